// Leftovers of processes that were killed.
import path from 'node:path';
import type { Ports } from '../ports';
import { removeQuietly } from '../state/atomicFile';
import { isCheckpointId, type CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir, temporaryPrefix, type StoreLayout } from './layout';
import { asRecord, readJson } from '../state/jsonFile';
import { checkStore, type RootStores } from './stores';

const hour = 3_600_000;
const week = 7 * 24 * hour;

/** Removes what is left over for more than an hour in both stores and in user state. Returns how many. Never throws. */
export function sweep(ports: Ports, stores: RootStores): number {
  const inStores = [stores.primary, stores.fallback].reduce((sum, store) => sum + sweepStore(ports, store), 0);
  return inStores + sweepState(ports);
}

/** Its files, and those of its folders (journal, roots, …), are written under a name of their own first. */
function sweepState(ports: Ports): number {
  const { stateDir, fs } = ports;
  try {
    const folders = fs.readdirSync(stateDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [stateDir, ...folders.map(({ name }) => path.join(stateDir, name))].reduce(
      (sum, dir) => sum + removeOld(ports, dir, isTemporary, hour),
      0,
    );
  } catch {
    return 0;
  }
}

function sweepStore(ports: Ports, store: StoreLayout): number {
  try {
    return inStore(ports, store, (within) => sweepFolders(within, store));
  } catch {
    // No store, or one that is refused.
    return 0;
  }
}

function sweepFolders(ports: Ports, store: StoreLayout): number {
  checkStore(ports, store);
  const names = ports.fs.readdirSync(store.checkpoints);
  const ids = new Set(names.filter(isCheckpointId));
  let swept = removeOld(ports, store.checkpoints, isTemporary, hour);
  for (const id of ids) swept += sweepCheckpoint(ports, store, id);
  return swept + sweepIndex(ports, store, ids);
}

const isTemporary = (name: string) => name.startsWith(temporaryPrefix);

function sweepCheckpoint(ports: Ports, store: StoreLayout, id: CheckpointId): number {
  const dir = checkpointDir(store, id);
  if (!ports.fs.lstatSync(dir).isDirectory()) return 0;
  return removeOld(ports, dir, isTemporary, hour);
}

/** The index is rebuilt by use: what points to a checkpoint that is gone is useless. */
function sweepIndex(ports: Ports, store: StoreLayout, ids: ReadonlySet<string>): number {
  if (ports.fs.lstatSync(store.index, { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  const gone = (dir: string) => (name: string) => {
    if (isTemporary(name)) return true;
    const { blob } = asRecord(readJson(ports, path.join(dir, name))) ?? {};
    return typeof blob === 'string' && !ids.has(blob.split('/')[0]!);
  };
  const inFolder = (name: string, matches: (dir: string) => (file: string) => boolean, ageMs: number) => {
    const dir = path.join(store.index, name);
    if (ports.fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
    return removeOld(ports, dir, matches(dir), ageMs);
  };
  return (
    inFolder('last', gone, hour) +
    inFolder('open', () => (name) => isTemporary(name) || !ids.has(name.replace(/\.json$/, '')), hour) +
    inFolder('calls', () => () => true, week) +
    inFolder('sessions', () => () => true, week)
  );
}

function removeOld(ports: Ports, dir: string, matches: (name: string) => boolean, ageMs: number): number {
  let removed = 0;
  for (const name of ports.fs.readdirSync(dir)) {
    const file = path.join(dir, name);
    const found = ports.fs.lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || ports.now() - found.mtimeMs < ageMs || !matches(name)) continue;
    removeQuietly(ports, file);
    removed++;
  }
  return removed;
}
