// A checkpoint by hand.
import path from 'node:path';
import { createObserver } from '../core/capture/observer';
import type { CaptureResult } from '../core/capture/request';
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { readSettings } from '../core/state/settings';
import { listPage } from '../core/store/reader';
import type { RootStores } from '../core/store/stores';
import { expandPaths } from './expand';
import { pathInRoot } from './paths';
import { storesToRead } from './reading';
import { UsageError } from './usage';

/** Characters. */
const maxLabel = 1000;

type Made = CaptureResult['checkpoints'][number];

export interface Kept {
  /** Absolute folder that relative paths are meant from. */
  readonly base: string;
  /** A folder stands for the files in it. None: all that the history knows and that is still there. */
  readonly paths: readonly string[];
  readonly label?: string | undefined;
}

/**
 * `own` is the root's checkpoint, or the nearest to it; `others` are in other roots that hold some of the paths.
 * @throws UsageError for paths that are not there, lead out of the root or are too many; CheckpointError `failed` where
 * checkpoints are turned off, `store-unwritable`
 */
export function createCheckpoint(ports: Ports, root: string, kept: Kept): { own: Made; others: readonly Made[] } {
  if (readSettings(ports).enabled === false) {
    throw new CheckpointError('failed', 'Checkpoints are turned off. Turn on "agentCheckpoints.enabled" in VS Code.');
  }
  const files = kept.paths.length > 0 ? namedFiles(ports, root, kept) : knownFiles(ports, storesToRead(ports, root));
  const label = kept.label?.slice(0, maxLabel);
  const { checkpoints } = createObserver(ports).beforeWrite({
    kind: 'manual',
    cwd: root,
    projectDir: root,
    writes: files.map((file) => ({ path: file })),
    ...(label === undefined ? {} : { label }),
  });
  const [own, ...others] = [...checkpoints].sort((a, b) => Number(b.root === root) - Number(a.root === root));
  if (own === undefined) {
    throw new CheckpointError('store-unwritable', 'Nothing could be stored. `agents` shows why; is the disk full?');
  }
  return { own, others };
}

function namedFiles(ports: Ports, root: string, { base, paths }: Kept): string[] {
  const absolute = paths.map((named) => {
    if (named === '') throw new UsageError('"" is not a path.');
    // The root itself stands for all in it.
    if (path.resolve(base, named) === root) return root;
    return path.join(root, pathInRoot(ports.fs, root, base, named));
  });
  const files = expandPaths(ports.fs, absolute);
  if (files.length === 0) throw new UsageError('There are no files in the folders that you named.');
  return files;
}

/** What the history knows and is still there, or was removed by a person: that it is absent is worth noting then. */
function knownFiles(ports: Ports, stores: RootStores): string[] {
  const { root } = stores;
  const files = new Map<string, 'absent' | 'there'>();
  for (const { entries, status } of listPage(ports, stores, { limit: Infinity }).checkpoints) {
    if (status === 'unchanged' || status === 'abandoned') continue;
    for (const { path: file, pre, post } of entries) {
      const state = post ?? pre;
      if (typeof file !== 'string' || files.has(file) || state.type === 'directory') continue;
      files.set(file, state.type === 'absent' ? 'absent' : 'there');
    }
  }
  const known = [...files].filter(([file, last]) => last === 'there' || exists(ports, path.join(root, file)));
  if (known.length === 0)
    throw new UsageError('There is no history here yet. Name the files that the checkpoint is to hold.');
  return known.map(([file]) => path.join(root, file));
}

function exists({ fs }: Ports, file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
