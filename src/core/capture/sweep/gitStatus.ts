// What Git says of a work tree. Pure: the text of `status --porcelain=v2 -z`.

export const statusArguments = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--no-renames',
  '--untracked-files=all',
  // A folder that is ignored as a whole is one name.
  '--ignored=matching',
  // Git would start a Git of its own in each submodule, with that one's configuration.
  '--ignore-submodules=all',
];

/** Paths are relative to the work tree, with `/`; a folder ends in one. */
export interface GitStatus {
  /** The commit; undefined before the first one. */
  readonly head?: string;
  /** Tracked, and not as in the commit and the index. */
  readonly changed: readonly string[];
  /** Those whose file is not as in the index. */
  readonly unlikeIndex: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
  /** Names that are no UTF-8, as well as they can be shown. */
  readonly unnameable: readonly string[];
}

/** Where in a record the path begins: after so many blanks. */
const fieldsBefore: Record<string, number> = { '1': 8, '2': 9, u: 10, '?': 1, '!': 1 };

/** @throws Error for what is no such text */
export function parseStatus(output: Buffer): GitStatus {
  const changed: string[] = [];
  const unlikeIndex: string[] = [];
  const untracked: string[] = [];
  const ignored: string[] = [];
  const unnameable: string[] = [];
  let head: string | undefined;
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    if (end < 0) throw new Error('the output of Git ends in the middle');
    const bytes = output.subarray(at, end);
    const record = bytes.toString();
    at = end + 1;
    const kind = record[0]!;
    if (kind === '#') {
      const oid = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(record)?.[1];
      head = oid ?? head;
      continue;
    }
    const skip = fieldsBefore[kind];
    if (skip === undefined) throw new Error(`Git said what is not known (${record.slice(0, 40)})`);
    const name = afterBlanks(record, skip);
    // The name before follows as a record of its own.
    if (kind === '2') at = output.indexOf(0, at) + 1 || output.length;
    if (record.includes('\ufffd') && !Buffer.from(record).equals(bytes)) {
      unnameable.push(name);
    } else if (kind === '?') {
      untracked.push(name);
    } else if (kind === '!') {
      ignored.push(name);
    } else {
      changed.push(name);
      if (record[3] !== '.') unlikeIndex.push(name);
    }
  }
  return { ...(head !== undefined && { head }), changed, unlikeIndex, untracked, ignored, unnameable };
}

function afterBlanks(record: string, count: number): string {
  let at = 0;
  for (let i = 0; i < count; i++) {
    at = record.indexOf(' ', at) + 1;
    if (at === 0) throw new Error('Git left a field out');
  }
  return record.slice(at);
}
