// Keeping a store within its limits. Runs when idle, never in a write path.
import type { Ports } from '../ports';
import type { RetentionLimits } from '../state/settings';
import { checkpointTime, type CheckpointId } from './ids';
import { pinnedFile } from './layout';
import { withLock, type LockOptions } from './lock';
import type { Meta } from './meta';
import { listIds, readMeta, type StoredId } from './reader';
import { diskUse, removeCheckpoint, totalBytes, useKey, type DiskUse } from './remove';
import type { RootStores } from './stores';
import { sweep } from './sweep';

const day = 24 * 3_600_000;

/** What pruning and purging tell. */
export interface Removed {
  readonly removed: CheckpointId[];
  /** Bytes that nothing else in the store holds. */
  readonly freedBytes: number;
}

/**
 * Removes what is beyond the newest `maxCheckpoints`, beyond the newest `maxBytes` (equal bytes counted once) or older
 * than `maxAgeDays`. Stay: the newest one, pinned ones, restores in force (an undo or redo may need them), and calls
 * under way that are younger than a day. Also sweeps.
 * @throws CheckpointError `locked`, `store-unwritable`
 */
export function prune(ports: Ports, stores: RootStores, limits: RetentionLimits, options?: LockOptions): Removed {
  return withLock(
    ports,
    stores,
    'pruning',
    () => {
      sweep(ports, stores);
      const stored = listIds(ports, stores);
      const use = diskUse(ports, stored);
      const gone = new Set<string>();
      const removed: CheckpointId[] = [];
      const kept = keeper(ports, stored);
      for (const each of beyond(ports, stored, limits, use)) {
        if (kept(each) || !tryRemove(ports, each)) continue;
        gone.add(useKey(each));
        removed.push(each.id);
      }
      return { removed, freedBytes: totalBytes(use) - totalBytes(use, gone) };
    },
    options,
  );
}

/** By name order and sizes alone: no metadata is parsed. */
function beyond(
  ports: Ports,
  stored: readonly StoredId[],
  { maxCheckpoints, maxBytes, maxAgeDays }: RetentionLimits,
  use: DiskUse,
): StoredId[] {
  const counted = new Set<string>();
  let bytes = 0;
  let first = stored.length;
  for (const [i, each] of stored.entries()) {
    for (const inode of use.inodes.get(useKey(each)) ?? []) {
      if (!counted.has(inode)) bytes += use.bytes.get(inode) ?? 0;
      counted.add(inode);
    }
    const tooOld = maxAgeDays !== undefined && checkpointTime(each.id) < ports.now() - maxAgeDays * day;
    if (i > 0 && (i >= maxCheckpoints || bytes > maxBytes || tooOld)) {
      first = i;
      break;
    }
  }
  return stored.slice(first);
}

function keeper(ports: Ports, stored: readonly StoredId[]): (each: StoredId) => boolean {
  let inForce: Set<CheckpointId> | undefined;
  return ({ id, store }) => {
    if (ports.fs.lstatSync(pinnedFile(store, id), { throwIfNoEntry: false }) !== undefined) return true;
    const meta = metaOrNothing(ports, { id, store });
    if (meta === undefined) return false;
    if (meta.kind === 'restore') return (inForce ??= restoresInForce(ports, stored)).has(id);
    return meta.status === 'pending' && checkpointTime(id) > ports.now() - day;
  };
}

/**
 * The restores that no later restore in force takes back completely. They can still be undone, so their guards stay.
 * @param stored newest first
 */
export function restoresInForce(ports: Ports, stored: readonly StoredId[]): Set<CheckpointId> {
  const taken = new Set<string>();
  const inForce = new Set<CheckpointId>();
  for (const each of stored) {
    const meta = metaOrNothing(ports, each);
    if (meta?.kind !== 'restore' || meta.status === 'abandoned' || meta.status === 'unchanged') continue;
    if (meta.entries.length > 0 && meta.entries.every((_, i) => taken.has(`${meta.id}#${i}`))) continue;
    inForce.add(meta.id);
    // One that did not end has taken nothing back yet.
    if (meta.status === 'done') meta.restores?.forEach(({ id, entry }) => taken.add(`${id}#${entry}`));
  }
  return inForce;
}

function metaOrNothing(ports: Ports, { id, store }: StoredId): Meta | undefined {
  try {
    return readMeta(ports, store, id);
  } catch {
    return undefined;
  }
}

/** One that cannot be removed does not stop the others. */
function tryRemove(ports: Ports, { id, store }: StoredId): boolean {
  try {
    removeCheckpoint(ports, store, id);
    return true;
  } catch {
    return false;
  }
}
