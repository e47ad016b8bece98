// A second name for each checkpoint, in user state: a command that deletes the store (`git clean -fdx`) does not delete
// history. By hard link on the same file system, which costs no bytes; else by copy, within bounds.
import path from 'node:path';
import { errorCode } from '../errors';
import type { Ports } from '../ports';
import { ensureDir, removeQuietly, uniqueSuffix } from '../state/atomicFile';
import { rename, syncDir } from '../state/platform';
import { isCheckpointId, type CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir, storeFolder, storeLayout, temporaryPrefix, type StoreLayout } from './layout';
import { isOwn } from './mac';
import { isThere } from './plainFile';
import { idsIn, listIds, readMeta } from './reader';
import { ensureStore, rootKey, type RootStores } from './stores';

/** Bytes that are copied for one root where links are not possible. */
const maxCopied = 256 * 2 ** 20;

/** Laid out as a store, so that it is read like one; nobody but this module changes it. */
export const twinOf = (ports: Ports, root: string): StoreLayout =>
  storeLayout(path.join(ports.stateDir, 'twins', rootKey(root)), root);

/** Brings the twin up to date. Cheap where nothing is new: names and inodes are compared. Never throws. */
export function syncTwin(ports: Ports, { root, primary }: RootStores): void {
  try {
    const twin = twinOf(ports, root);
    inStore(ports, primary, (within) => {
      const ids = idsIn(within, primary);
      if (ids.length === 0) return;
      ensureDir(within, twin.checkpoints);
      const left = { bytes: maxCopied };
      for (const id of ids.sort().reverse()) syncOne(within, primary, twin, id, left);
    });
  } catch {
    // No store, or user state is out of reach: the next time does it.
  }
}

function syncOne(ports: Ports, store: StoreLayout, twin: StoreLayout, id: CheckpointId, left: { bytes: number }): void {
  const [from, to] = [checkpointDir(store, id), checkpointDir(twin, id)];
  try {
    if (inode(ports, path.join(from, 'meta.json')) === inode(ports, path.join(to, 'meta.json'))) return;
    // What came with a clone is not taken over.
    if (!isOwn(ports, readMeta(ports, store, id))) return;
    replaceBy(ports, from, twin, id, left);
  } catch {
    // Removed meanwhile, or there is no room.
  }
}

/** Equal for two names of one file; for a copy its size and time have to do. */
function inode({ fs }: Ports, file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.size}:${Math.trunc(stat.mtimeMs)}` : undefined;
}

/** The checkpoint's folder appears whole in `target`; one that is there gives way. */
function replaceBy(ports: Ports, from: string, target: StoreLayout, id: CheckpointId, left: { bytes: number }): void {
  const building = path.join(target.checkpoints, `${temporaryPrefix}${uniqueSuffix()}`);
  ports.fs.mkdirSync(building, { mode: 0o700 });
  try {
    for (const side of ['.', 'pre', 'post']) {
      if (!isThere(ports, path.join(from, side))) continue;
      if (side !== '.') ports.fs.mkdirSync(path.join(building, side), { mode: 0o700 });
      for (const name of ports.fs.readdirSync(path.join(from, side))) {
        if (name.startsWith(temporaryPrefix)) continue;
        const file = path.join(from, side, name);
        if (ports.fs.lstatSync(file).isFile()) linkOrCopy(ports, file, path.join(building, side, name), left);
      }
    }
    const final = checkpointDir(target, id);
    if (isThere(ports, final)) removeQuietly(ports, final);
    rename(ports, building, final);
  } catch (error) {
    removeQuietly(ports, building);
    throw error;
  }
}

function linkOrCopy({ fs }: Ports, from: string, to: string, left: { bytes: number }): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    const { size, atime, mtime } = fs.lstatSync(from);
    left.bytes -= size;
    if (left.bytes < 0) throw new Error('the twin of this store is at its limit');
    fs.copyFileSync(from, to);
    fs.utimesSync(to, atime, mtime);
  }
  if (!fs.lstatSync(to).isFile()) throw new Error(`${from} is no plain file`);
}

/** Checkpoints that the twin has and no store of the root, newest first. Never throws. */
export function vanished(ports: Ports, stores: RootStores): CheckpointId[] {
  try {
    const there = new Set(listIds(ports, stores).map(({ id }) => id));
    return idsIn(ports, twinOf(ports, stores.root))
      .filter((id) => isCheckpointId(id) && !there.has(id))
      .sort()
      .reverse();
  } catch {
    return [];
  }
}

/**
 * Puts vanished checkpoints back into the root's store; what is there stays. Returns how many.
 * @throws CheckpointError `store-refused`; the system's error
 */
export function putBackVanished(ports: Ports, stores: RootStores): number {
  const ids = vanished(ports, stores);
  if (ids.length === 0) return 0;
  const twin = twinOf(ports, stores.root);
  return inStore(ports, stores.primary, (within) => {
    ensureStore(within, stores.primary);
    for (const id of ids) {
      replaceBy(within, checkpointDir(twin, id), stores.primary, id, { bytes: Number.MAX_SAFE_INTEGER });
    }
    syncDir(within, stores.primary.checkpoints);
    return ids.length;
  });
}

/** What is removed on purpose does not come back. Never throws. */
export function forgetTwin(ports: Ports, { dir }: StoreLayout, id: CheckpointId): void {
  if (path.basename(dir) !== storeFolder) return;
  removeQuietly(ports, checkpointDir(twinOf(ports, path.dirname(dir)), id));
}
