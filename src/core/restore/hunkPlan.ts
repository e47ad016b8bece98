// Taking back one changed region of a path. The rest of the file stays as it is, whoever wrote it: so nothing but
// lines that are no longer there, or not clear to be the same ones, stands in the way.
import { sha256Of } from '../store/plainFile';
import { CheckpointError } from '../errors';
import type { CheckpointId } from '../store/ids';
import type { FileState, Meta, RelativePath } from '../store/meta';
import { explain, placesIn } from './hunkPlaces';
import { hunksBetween, type FileHunks, type Hunk } from './hunks';
import { roleOf, turnKey, type Change, type History, type Ref } from './history';
import { linesOf, notLines } from './merge';
import type { PlanSources } from './plan';
import { displayPath, pathKey, pathOfKey } from './relativePath';
import { runsOf } from './reverse';
import { settle, type Draft } from './settle';
import type { RestorePlan, RestoreTarget } from './types';

/** A path's change by a checkpoint or a turn, taken apart. */
export interface HunkList {
  /**
   * One for each unbroken run of changes, oldest first: where somebody else wrote in between there are several. The
   * numbers of the hunks go on from one to the next.
   */
  readonly parts: readonly HunkPart[];
}

export interface HunkPart extends FileHunks {
  /** Whose `pre` is the state before. */
  readonly first: Ref;
}

type ReadBlob = (id: CheckpointId, state: FileState) => Buffer;

/**
 * The regions that `target` (mode `hunk`, with one file) names; a text says why the change cannot be taken apart.
 * @throws CheckpointError `not-found`, `bad-argument`, `damaged`
 */
export function hunksOf(history: History, target: RestoreTarget, readBlob: ReadBlob): HunkList | string {
  const { path, standing } = subjectOf(history, target);
  if (standing.length === 0) return 'it was taken back already';
  return hunksOfChanges(changesOf(history, pathKey(path), standing), readBlob);
}

function hunksOfChanges(changes: readonly Change[], readBlob: ReadBlob): HunkList | string {
  const parts: HunkPart[] = [];
  let count = 0;
  for (const run of runsOf(changes)) {
    const [first, last] = [run[0]!, run.at(-1)!];
    if (last.post === undefined) return 'it is not known yet what the agent left';
    if (first.pre.type === 'absent') return 'the file was created as a whole';
    if (last.post.type === 'absent') return 'the file was deleted as a whole';
    if (first.pre.type !== 'file' || last.post.type !== 'file') return 'it is no change of a text file';
    const found = hunksBetween(readBlob(first.id, first.pre), readBlob(last.postOf, last.post));
    if (typeof found === 'string') return found;
    const hunks = found.hunks.map((hunk) => ({ ...hunk, index: hunk.index + count }));
    parts.push({ first: { id: first.id, entry: first.entry }, post: found.post, hunks });
    count += found.hunks.length;
  }
  return { parts };
}

/** The path that is meant, and the entries that changed it and still stand. */
function subjectOf(history: History, { id, files = [], hunk }: RestoreTarget): { path: RelativePath; standing: Ref[] } {
  const meta = history.meta(id);
  if (!meta) throw new CheckpointError('not-found', `There is no checkpoint ${id} here. \`list\` shows them.`);
  if (roleOf(meta) === 'mark') throw new CheckpointError('bad-argument', `Checkpoint ${id} changed nothing.`);
  if (!hunk || files.length !== 1) {
    throw new CheckpointError('bad-argument', 'A change is named by its file (--file) and its number (--hunk).');
  }
  const key = files[0]!;
  const refs = metasOf(history, meta, hunk.of).flatMap(({ id: of, entries }) =>
    entries.flatMap(({ path }, entry): Ref[] => (pathKey(path) === key ? [{ id: of, entry }] : [])),
  );
  if (refs.length === 0) {
    throw new CheckpointError(
      'not-found',
      `${JSON.stringify(key)} is not among the paths of ${id}; \`show\` lists them.`,
    );
  }
  const standing = history.standing();
  return { path: pathOfKey(key), standing: refs.filter((ref) => standing.has(ref)) };
}

function metasOf(history: History, meta: Meta, of: 'checkpoint' | 'turn'): readonly Meta[] {
  const turn = of === 'turn' && roleOf(meta) === 'agent' ? turnKey(meta) : undefined;
  return turn === undefined ? [meta] : history.metas.filter((other) => turnKey(other) === turn);
}

function changesOf(history: History, key: string, refs: readonly Ref[]): Change[] {
  const found = refs.map((ref) => history.change(ref)).filter((change) => change !== undefined);
  const order = history.changes(key);
  return found.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/**
 * The plan with one step. It takes no entry back as a whole, so `undo` and `redo` see the change as still standing,
 * with this restore on top of it.
 * @throws CheckpointError `not-found`, `bad-argument`, `changed-meanwhile` (the region is another one now)
 */
export function planHunk(root: string, history: History, target: RestoreTarget, sources: PlanSources): RestorePlan {
  const { path, standing } = subjectOf(history, target);
  const foreign = [target.id, ...standing.map(({ id }) => id)].some((id) => sources.isForeign(id));
  const found = sources.look(path, foreign);
  const base = {
    path,
    current: found.state,
    result: found.state,
    takes: [],
    ...(foreign && { foreign: true as const }),
    ...(found.inEditor && { inEditor: found.inEditor }),
  };
  const only = (step: Draft['step']): RestorePlan => {
    const newest = history.metas.at(-1)?.id;
    const steps = settle(new Map([[pathKey(path), { step, found }]]), { stands: () => false, areTaken: () => true });
    const label = labelOf(history.meta(target.id)!, path, target.hunk!.index);
    return { root, label, steps, notCovered: [], ...(newest !== undefined && { newest }) };
  };
  if (standing.length === 0) return only({ ...base, action: 'keep', reason: 'it was taken back already' });
  if (found.refused !== undefined) return only({ ...base, action: 'refused', reason: found.refused });
  const read = <T>(call: () => T): T | string => {
    try {
      return call();
    } catch (error) {
      if (!CheckpointError.is(error)) throw error;
      return error.message;
    }
  };
  const list = read(() =>
    hunksOfChanges(changesOf(history, pathKey(path), standing), (...of) => sources.readBlob(...of)),
  );
  if (typeof list === 'string') return only({ ...base, action: 'refused', reason: list });
  const { part, at } = find(list, target.hunk!);
  const { state } = found;
  if (state.type !== 'file') {
    const reason = state.type === 'absent' ? 'it was deleted or moved later' : 'it is no file any more';
    return only({ ...base, action: 'conflict', reason });
  }
  const bytes = read(() => sources.readCurrent(path, found, foreign));
  if (typeof bytes === 'string') return only({ ...base, action: 'refused', reason: bytes });
  const result = withoutHunk(part, at, bytes);
  if (typeof result === 'string') return only({ ...base, action: 'conflict', reason: result });
  if (result.equals(bytes)) return only({ ...base, action: 'keep', reason: 'nothing of it is left to take back' });
  const sha256 = sha256Of(result);
  return only({
    ...base,
    action: 'write',
    reason: 'this one change is taken back; all else stays',
    result: { type: 'file', sha256, size: result.length, mode: state.mode, blob: '' },
    merged: result,
    takesPart: standing,
  });
}

function find(
  { parts }: HunkList,
  { index, hash }: NonNullable<RestoreTarget['hunk']>,
): { part: FileHunks; at: number } {
  for (const part of parts) {
    const at = part.hunks.findIndex((hunk) => hunk.index === index);
    if (at < 0) continue;
    if (hash !== undefined && part.hunks[at]!.hash !== hash) break;
    return { part, at };
  }
  if (hash !== undefined) {
    throw new CheckpointError('changed-meanwhile', 'The changes of the file are others by now. Look at them again.');
  }
  const count = parts.reduce((sum, { hunks }) => sum + hunks.length, 0);
  throw new CheckpointError(
    'bad-argument',
    `There is no change ${index}: the file has ${count}. \`diff\` numbers them.`,
  );
}

/** The file as it is now without one region; a text says why that is not clear. The same bytes: it is gone already. */
function withoutHunk(part: FileHunks, at: number, bytes: Buffer): Buffer | string {
  const reason = notLines(bytes);
  if (reason !== undefined) return reason;
  const current = linesOf(bytes);
  const places = explain(part, current, at) ?? placesIn(part, current);
  if (places === undefined) return 'the file is too large to be taken apart';
  const [hunk, place] = [part.hunks[at]!, places[at]!];
  if (place.type === 'undone') return bytes;
  if (place.type === 'changed') return 'its lines were changed later';
  const end = place.at + hunk.lines.length;
  const lines = [...current.slice(0, place.at), ...hunk.oldLines, ...current.slice(end)];
  return Buffer.from(joined(lines, hunk).join(''), 'latin1');
}

/** Only the last line of a file may have no line break: what was last once need not be last now. */
function joined(lines: readonly string[], { lines: now, oldLines }: Hunk): readonly string[] {
  const open = lines.slice(0, -1).findIndex((line) => !line.endsWith('\n'));
  if (open < 0) return lines;
  const ending = [...now, ...oldLines, ...lines].some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
  return lines.map((line, i) => (i === open ? line + ending : line));
}

function labelOf({ prompt }: Meta, path: RelativePath, index: number): string {
  const words = prompt?.trim().split('\n')[0]?.slice(0, 80);
  return `Undo change ${index} in ${displayPath(path)}${words ? ` of "${words}"` : ''}`;
}
