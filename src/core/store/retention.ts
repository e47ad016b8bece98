// Keeping a store within its limits. Runs when idle, never in a write path.
import type { Ports } from '../ports';
import { History, type Standing } from '../restore/history';
import { readKey } from '../state/key';
import type { RetentionLimits } from '../state/settings';
import { checkpointTime, type CheckpointId } from './ids';
import { pinnedFile } from './layout';
import { withLock, type LockOptions } from './lock';
import { isForeign } from './mac';
import type { Meta } from './meta';
import { isThere } from './plainFile';
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

/**
 * What is over the limits, by name order and sizes alone. Only where something is, metadata is parsed: what came with a
 * clone goes first, or it could push out this person's own with names of the future and with sizes.
 */
function beyond(ports: Ports, stored: readonly StoredId[], limits: RetentionLimits, use: DiskUse): StoredId[] {
  const over = overLimits(ports, stored, limits, use);
  if (over.length === 0) return [];
  const isOwn = ownRecords(ports);
  const [own, others]: [StoredId[], StoredId[]] = [[], []];
  for (const each of stored) (isOwn(each) ? own : others).push(each);
  return others.length === 0 ? over : overLimits(ports, [...own, ...others], limits, use);
}

/** Whether a record is this person's; without a key none is told apart. */
function ownRecords(ports: Ports): (each: StoredId) => boolean {
  const key = readKey(ports, { create: false });
  return (each) => {
    if (key === undefined) return true;
    const meta = metaOrNothing(ports, each);
    return meta !== undefined && !isForeign(ports, meta, key);
  };
}

function overLimits(
  ports: Ports,
  stored: readonly StoredId[],
  { maxCheckpoints, maxBytes, maxAgeDays }: RetentionLimits,
  use: DiskUse,
): StoredId[] {
  const counted = new Set<string>();
  let bytes = 0;
  return stored.filter((each, i) => {
    for (const inode of use.inodes.get(useKey(each)) ?? []) {
      if (!counted.has(inode)) bytes += use.bytes.get(inode) ?? 0;
      counted.add(inode);
    }
    const tooOld = maxAgeDays !== undefined && checkpointTime(each.id) < ports.now() - maxAgeDays * day;
    return i > 0 && (i >= maxCheckpoints || bytes > maxBytes || tooOld);
  });
}

function keeper(ports: Ports, stored: readonly StoredId[]): (each: StoredId) => boolean {
  const key = readKey(ports, { create: false });
  let standing: Standing | undefined;
  return ({ id, store }) => {
    if (isThere(ports, pinnedFile(store, id))) return true;
    const meta = metaOrNothing(ports, { id, store });
    if (meta === undefined || (key !== undefined && isForeign(ports, meta, key))) return false;
    if (meta.kind === 'restore' && meta.status === 'done') {
      standing ??= trustedHistory(ports, stored).standing();
      return meta.entries.some((_, entry) => standing!.has({ id, entry }));
    }
    // A restore that was stopped half-way needs its guard until it was finished or taken back.
    return meta.status === 'pending' && (meta.kind === 'restore' || checkpointTime(id) > ports.now() - day);
  };
}

/** A record that came with a clone must not make a guard look as if it were not needed. */
function trustedHistory(ports: Ports, stored: readonly StoredId[]): History {
  const key = readKey(ports, { create: false });
  const metas = stored.map((each) => metaOrNothing(ports, each)).filter((meta) => meta !== undefined);
  // Without a key all look foreign: then none is told apart.
  const trusted = key === undefined ? metas : metas.filter((meta) => !isForeign(ports, meta, key));
  return new History(trusted.reverse());
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
