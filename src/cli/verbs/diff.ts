// diff: what a checkpoint changed, as patches.
import { displayPath } from '../../core/restore/relativePath';
import { unifiedPatch } from '../../core/diff/patch';
import { diffStats } from '../../core/diff/stats';
import { CheckpointError } from '../../core/errors';
import { hunksBetween } from '../../core/restore/hunks';
import { isForeign } from '../../core/store/mac';
import type { StoreLayout } from '../../core/store/layout';
import type { Entry, Meta } from '../../core/store/meta';
import { bytesOrNone, stateBytes, stateText } from './changes';
import { currentBytes } from './current';
import { numberedHunks } from './numberedHunks';
import { pathInRoot } from './paths';
import { namedCheckpoint } from './reading';
import { safeLine, safeLines, styleFor, type Style } from './screen';
import type { Verb, VerbCall } from './verb';

/** Lines around a change. */
const context = 3;
/** Patches are left out where what changed has more characters. */
const maxBytes = 4 * 1024 * 1024;

interface FileDiff {
  readonly path: string;
  readonly patch?: string;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

export const diff: Verb = {
  name: 'diff',
  usage: '<id> [path]',
  summary: 'what a checkpoint changed',
  details: [
    'Each path before against after. Where the state after is not known yet: against what is on disk now.',
    'For people, each change has a number: `restore <id> --mode hunk --file P --hunk N` takes that one back.',
    'JSON: {id, files: [{path, patch?, added, removed, binary}]}.',
  ],
  options: {},
  arguments: { min: 1, max: 2 },
  run(call) {
    const { store, meta } = namedCheckpoint(call);
    const entries = wantedEntries(call, meta);
    const compared = entries.map((entry) => ({ entry, ...compare(call, store, meta, entry) }));
    const files = compared.map(({ file }) => file);
    return { json: { id: meta.id, files }, human: () => text(compared, styleFor(call.io.stdout, call.io.env)) };
  },
};

function wantedEntries(call: VerbCall, meta: Meta): readonly Entry[] {
  const named = call.positionals[1];
  if (named === undefined) return meta.entries;
  const root = call.root();
  const wanted = pathInRoot(call.io.ports.fs, root, root, named);
  const found = meta.entries.filter(
    ({ path }) => displayPath(path) === wanted || displayPath(path).startsWith(`${wanted}/`),
  );
  if (found.length > 0) return found;
  throw new CheckpointError(
    'not-found',
    `Checkpoint ${meta.id} has no ${JSON.stringify(wanted)}. \`show\` lists its files.`,
  );
}

interface Compared {
  readonly file: FileDiff;
  /** The changes one by one, where they can be taken back so. */
  readonly numbered?: () => readonly string[] | undefined;
}

function compare(call: VerbCall, store: StoreLayout, meta: Meta, entry: Entry): Compared {
  const { ports } = call.io;
  const path = displayPath(entry.path);
  const plain = { path, added: 0, removed: 0, binary: false };
  if (entry.post === undefined)
    call.say(`${safeLine(path)}: the state after is not known; compared with what is on disk now.`);
  const before = stateBytes(ports, store, meta.id, entry.pre);
  const after =
    entry.post === undefined
      ? currentBytes(ports, call.root(), entry.path, isForeign(ports, meta))
      : stateBytes(ports, store, meta.id, entry.post);
  if (before === undefined || after === undefined) return { file: plain };
  const [old, now] = [bytesOrNone(before), bytesOrNone(after)];
  const { added, removed, binary } = diffStats(old, now);
  if (binary || old.equals(now)) return { file: { ...plain, binary } };
  const patch = unifiedPatch(path, orUndefined(before), orUndefined(after), { context, maxBytes });
  const file = { path, ...(patch === undefined ? {} : { patch }), added, removed, binary };
  if (patch === undefined || entry.pre.type !== 'file' || entry.post?.type !== 'file') return { file };
  const numbered = () => {
    const found = hunksBetween(old, now);
    return typeof found === 'string' ? undefined : numberedHunks(found);
  };
  return { file, numbered };
}

const orUndefined = (side: Buffer | 'absent'): Buffer | undefined => (side === 'absent' ? undefined : side);

function text(compared: readonly (Compared & { entry: Entry })[], style: Style): string {
  if (compared.length === 0) return 'This checkpoint has no files.';
  return compared
    .map(({ entry, file, numbered }) => {
      const lines = numbered?.()?.map((line) => coloured(safeLine(line), style)) ?? body(entry, file, style);
      return [heading(entry, file, style), ...lines].join('\n');
    })
    .join('\n\n');
}

function heading({ pre, post, renamedFrom }: Entry, { path, added, removed, binary }: FileDiff, style: Style): string {
  const from = renamedFrom === undefined ? '' : ` (renamed from ${safeLine(displayPath(renamedFrom))})`;
  const mode =
    pre.type === 'file' && post?.type === 'file' && pre.mode !== post.mode
      ? `, mode ${pre.mode.toString(8)} to ${post.mode.toString(8)}`
      : '';
  return style('bold', `${safeLine(path)}${from}: ${binary ? 'binary' : `+${added} -${removed}`}${mode}`);
}

function body({ pre, post }: Entry, { patch }: FileDiff, style: Style): string[] {
  if (patch !== undefined)
    return safeLines(patch)
      .trimEnd()
      .split('\n')
      .map((line) => coloured(line, style));
  const after = post === undefined ? 'not known' : stateText(post);
  return [`  before: ${stateText(pre)}`, `  after:  ${after}`];
}

function coloured(line: string, style: Style): string {
  if (line.startsWith('@@')) return style('cyan', line);
  if (line.startsWith('+')) return style('green', line);
  return line.startsWith('-') ? style('red', line) : line;
}
