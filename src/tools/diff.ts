// What a checkpoint changed, as patches.
import { unifiedPatch } from '../core/diff/patch';
import { diffStats } from '../core/diff/stats';
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { hunksBetween, type FileHunks } from '../core/restore/hunks';
import { displayPath } from '../core/restore/relativePath';
import type { CheckpointId } from '../core/store/ids';
import type { StoreLayout } from '../core/store/layout';
import { isForeign } from '../core/store/mac';
import type { Entry, Meta } from '../core/store/meta';
import { currentBytes } from './current';
import { pathInRoot } from './paths';
import { namedCheckpoint } from './reading';
import { bytesOrNone, stateBytes } from './stateBytes';

/** Lines around a change. */
const context = 3;
/** Patches are left out where what changed has more characters. */
const maxBytes = 4 * 1024 * 1024;

export interface FileDiff {
  readonly path: string;
  readonly patch?: string;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

export interface Compared {
  /** Without `post`, the file is compared with what is on disk now. */
  readonly entry: Entry;
  readonly file: FileDiff;
  /** The changes one by one, where they can be taken back so. */
  readonly hunks?: () => FileHunks | undefined;
}

/**
 * @param path relative to the root, or absolute; a folder stands for the files in it
 * @throws UsageError for a path outside the root; CheckpointError `not-found`, `damaged`, `store-refused`
 */
export function diffCheckpoint(
  ports: Ports,
  root: string,
  id: CheckpointId,
  path?: string,
): { id: CheckpointId; files: Compared[] } {
  const { store, meta } = namedCheckpoint(ports, root, id);
  const entries = path === undefined ? meta.entries : entriesAt(meta, pathInRoot(ports.fs, root, root, path));
  return { id: meta.id, files: entries.map((entry) => compare({ ports, root, store, meta }, entry)) };
}

function entriesAt({ id, entries }: Meta, wanted: string): readonly Entry[] {
  const found = entries.filter(
    ({ path }) => displayPath(path) === wanted || displayPath(path).startsWith(`${wanted}/`),
  );
  if (found.length > 0) return found;
  throw new CheckpointError(
    'not-found',
    `Checkpoint ${id} has no ${JSON.stringify(wanted)}. \`show\` lists its files.`,
  );
}

interface Place {
  readonly ports: Ports;
  readonly root: string;
  readonly store: StoreLayout;
  readonly meta: Meta;
}

function compare({ ports, root, store, meta }: Place, entry: Entry): Compared {
  const path = displayPath(entry.path);
  const plain = { path, added: 0, removed: 0, binary: false };
  const before = stateBytes(ports, store, meta.id, entry.pre);
  const after =
    entry.post === undefined
      ? currentBytes(ports, root, entry.path, isForeign(ports, meta))
      : stateBytes(ports, store, meta.id, entry.post);
  if (before === undefined || after === undefined) return { entry, file: plain };
  const [old, now] = [bytesOrNone(before), bytesOrNone(after)];
  const { added, removed, binary } = diffStats(old, now);
  if (binary || old.equals(now)) return { entry, file: { ...plain, binary } };
  const patch = unifiedPatch(path, orUndefined(before), orUndefined(after), { context, maxBytes });
  const file = { path, ...(patch === undefined ? {} : { patch }), added, removed, binary };
  if (patch === undefined || entry.pre.type !== 'file' || entry.post?.type !== 'file') return { entry, file };
  const hunks = () => {
    const found = hunksBetween(old, now);
    return typeof found === 'string' ? undefined : found;
  };
  return { entry, file, hunks };
}

const orUndefined = (side: Buffer | 'absent'): Buffer | undefined => (side === 'absent' ? undefined : side);
