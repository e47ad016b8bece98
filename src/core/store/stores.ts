// The two stores of a workspace root: the one in the root, and the one in user state for when that is unwritable.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { createFile, ensureDir } from '../state/atomicFile';
import { syncDir } from '../state/platform';
import type { CheckpointId } from './ids';
import { checkpointDir, storeFolder, storeLayout, type StoreLayout } from './layout';

export interface RootStores {
  /** Absolute real path of the workspace root. */
  readonly root: string;
  /** `<root>/.system_generated`. */
  readonly primary: StoreLayout;
  /** The same layout in user state. */
  readonly fallback: StoreLayout;
}

/** Names a root in the user state: 32 hex digits of its real path. */
export const rootKey = (realRoot: string) => createHash('sha256').update(realRoot).digest('hex').slice(0, 32);

/** Makes nothing. `root` is resolved to its real path; one that is gone keeps its name. */
export function rootStores(ports: Ports, root: string): RootStores {
  let real = path.resolve(root);
  try {
    real = ports.fs.realpathSync.native(real);
  } catch {
    // Gone or out of reach: what is in user state can still be read.
  }
  return {
    root: real,
    primary: storeLayout(path.join(real, storeFolder)),
    fallback: storeLayout(path.join(ports.stateDir, 'stores', rootKey(real)), real),
  };
}

/**
 * Refuses a store that leads elsewhere. A store that is not there passes.
 * @throws CheckpointError `store-refused` where the store, its `checkpoints` or the given checkpoint's folder is a
 * link or no folder
 */
export function checkStore(ports: Ports, store: StoreLayout, id?: CheckpointId): void {
  for (const dir of [store.dir, store.checkpoints, ...(id === undefined ? [] : [checkpointDir(store, id)])]) {
    if (!isRealFolder(ports, dir)) return;
  }
}

/** False where it is missing. @throws CheckpointError `store-refused` for a link or anything else than a folder */
export function isRealFolder(ports: Ports, dir: string): boolean {
  const found = ports.fs.lstatSync(dir, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isDirectory()) return true;
  const what = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
  throw new CheckpointError(
    'store-refused',
    `${dir} is ${what}. Checkpoints are only kept in a real folder: move it away, a new one is made.`,
  );
}

/**
 * Makes the store for the owner only, or completes it. Cheap where it is complete.
 * @throws CheckpointError `store-refused`; else the system's error
 */
export function ensureStore(ports: Ports, store: StoreLayout): void {
  const ignore = path.join(store.dir, '.gitignore');
  if (isRealFolder(ports, store.dir) && isRealFolder(ports, store.checkpoints)) {
    if (ports.fs.lstatSync(ignore, { throwIfNoEntry: false }) === undefined) createOnce(ports, ignore, '*\n');
    return;
  }
  if (store.standsFor !== undefined) ensureDir(ports, path.dirname(store.dir));
  makeFolder(ports, store.dir);
  if (store.standsFor !== undefined) createOnce(ports, path.join(store.dir, 'root'), `${store.standsFor}\n`);
  createOnce(ports, ignore, '*\n');
  makeFolder(ports, store.checkpoints);
  syncDir(ports, store.dir);
  syncDir(ports, path.dirname(store.dir));
}

/**
 * A folder below `index/`, made where it is missing; the caller's files there are never trusted.
 * @throws CheckpointError `store-refused` where it leads elsewhere; else the system's error
 */
export function ensureIndexDir(ports: Ports, store: StoreLayout, name: 'last' | 'calls' | 'open' | 'sessions'): string {
  const dir = path.join(store.index, name);
  if (!isRealFolder(ports, store.index)) makeFolder(ports, store.index);
  if (!isRealFolder(ports, dir)) makeFolder(ports, dir);
  return dir;
}

/** @throws CheckpointError `store-refused` where it leads elsewhere; else the system's error */
export function makeFolder(ports: Ports, dir: string): void {
  try {
    ports.fs.mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process was first, or it was there.
    if (errorCode(error) !== 'EEXIST') throw error;
    isRealFolder(ports, dir);
  }
}

function createOnce(ports: Ports, file: string, content: string): void {
  try {
    createFile(ports, file, content);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
