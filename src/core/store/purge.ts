// Forgetting on request: all that is stored of a path or of a session.
import path from 'node:path';
import { removeOverSweeps } from '../capture/sweep/isOpen';
import type { Ports } from '../ports';
import { syncDir } from '../state/platform';
import type { CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir } from './layout';
import { forgetLastBlob } from './lastBlob';
import { withLock, type LockOptions } from './lock';
import type { Entry, Meta, RelativePath, State } from './meta';
import { listIds, purgedError, readMeta, type StoredId } from './reader';
import { diskUse, removeCheckpoint, totalBytes } from './remove';
import type { Removed } from './retention';
import type { RootStores } from './stores';
import { forgetTwin, twinOf, vanished } from './twin';
import { updateMeta } from './writer';

/** Relative to the root, with `/` (a folder stands for all below it); or an agent's own session id. */
export type PurgeTarget = { readonly path: string } | { readonly session: string };

/**
 * Removes checkpoints that are only about the target, pinned ones too, and takes its bytes out of the others: such an
 * entry stays, so that restores still count entries right, but its states say `purged`.
 * @throws CheckpointError `locked`, `store-unwritable`, `damaged`; the system's error
 */
export function purge(ports: Ports, stores: RootStores, target: PurgeTarget, options?: LockOptions): Removed {
  return withLock(
    ports,
    stores,
    'purging',
    () => {
      const stored = listIds(ports, stores);
      const before = totalBytes(diskUse(ports, stored));
      const metas = new Map(stored.map((each) => [each, metaOrNothing(ports, each)]));
      const matches = 'path' in target ? matchesPath(target.path) : matchesSession(target.session, [...metas.values()]);
      const removed: CheckpointId[] = [];
      for (const [each, meta] of metas) {
        const hits = meta?.entries.map((entry) => matches(meta, entry)) ?? [];
        if (!hits.includes(true)) continue;
        if (hits.includes(false)) {
          blank(ports, each, hits);
          forgetTwin(ports, each.store, each.id);
        } else {
          removeCheckpoint(ports, each.store, each.id);
          removed.push(each.id);
        }
      }
      purgeCopies(ports, stores, matches);
      return { removed, freedBytes: before - totalBytes(diskUse(ports, listIds(ports, stores))) };
    },
    options,
  );
}

/** What is not in a store any more, and copies of files before commands that are over. */
function purgeCopies(ports: Ports, stores: RootStores, matches: Matches): void {
  const twin = twinOf(ports, stores.root);
  for (const id of vanished(ports, stores)) {
    const meta = metaOrNothing(ports, { id, store: twin });
    if (meta === undefined || meta.entries.some((entry) => matches(meta, entry))) {
      forgetTwin(ports, stores.primary, id);
    }
  }
  removeOverSweeps(ports, stores);
}

type Matches = (meta: Meta, entry: Entry) => boolean;

function matchesPath(target: string): Matches {
  const under = (each: RelativePath | undefined) =>
    typeof each === 'string' && (each === target || each.startsWith(`${target}/`));
  return (_, { path: file, renamedFrom }) => under(file) || under(renamedFrom);
}

/** The session's own checkpoints, and the restores that took back nothing else: their guards hold its bytes. */
function matchesSession(session: string, metas: readonly (Meta | undefined)[]): Matches {
  const own = new Set(metas.filter((meta) => meta?.agent?.session === session).map((meta) => meta?.id));
  return ({ id, restores = [], restoresPart = [] }) => {
    const about = [...restores, ...restoresPart];
    return own.has(id) || (about.length > 0 && about.every((each) => own.has(each.id)));
  };
}

function metaOrNothing(ports: Ports, { id, store }: StoredId): Meta | undefined {
  try {
    return readMeta(ports, store, id);
  } catch {
    return undefined;
  }
}

const purged: State = { type: 'unreadable', error: purgedError };

/** The metadata first: what it no longer names can be removed in any order, and by a second run after a crash. */
function blank(ports: Ports, stored: StoredId, hits: readonly boolean[]): void {
  inStore(ports, stored.store, (within) => blankIn(within, stored, hits));
}

function blankIn(ports: Ports, { id, store }: StoredId, hits: readonly boolean[]): void {
  updateMeta(ports, store, id, (meta) => ({
    ...meta,
    entries: meta.entries.map((entry, i) => {
      if (!hits[i]) return entry;
      forgetLastBlob(ports, store, entry.path);
      return { ...entry, pre: purged, ...(entry.post !== undefined && { post: purged }) };
    }),
  }));
  for (const side of ['pre', 'post']) {
    const dir = path.join(checkpointDir(store, id), side);
    if (ports.fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const names = ports.fs.readdirSync(dir).filter((name) => hits[Number(/^(\d+)-/.exec(name)?.[1] ?? NaN)]);
    names.forEach((name) => ports.fs.rmSync(path.join(dir, name), { force: true }));
    syncDir(ports, dir);
  }
}
