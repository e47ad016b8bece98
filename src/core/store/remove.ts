// Taking checkpoints away: each vanishes at once, and only bytes that nothing else in the store holds are freed.
import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Ports } from '../ports';
import { removeQuietly } from '../state/atomicFile';
import { rename } from '../state/platform';
import type { CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir, temporaryPrefix, type StoreLayout } from './layout';
import type { StoredId } from './reader';
import { checkStore } from './stores';
import { forgetTwin } from './twin';

/** Blob files of checkpoints by inode. */
export interface DiskUse {
  /** For each checkpoint (see {@link useKey}), the inodes of its files. */
  readonly inodes: ReadonlyMap<string, readonly string[]>;
  readonly bytes: ReadonlyMap<string, number>;
}

export const useKey = ({ id, store }: StoredId) => path.join(store.checkpoints, id);

/** Reads sizes only. What cannot be read counts as nothing. */
export function diskUse(ports: Ports, stored: readonly StoredId[]): DiskUse {
  const inodes = new Map<string, string[]>();
  const bytes = new Map<string, number>();
  for (const store of new Set(stored.map((each) => each.store))) {
    const those = stored.filter((each) => each.store === store);
    inStore(ports, store, (within) => those.forEach((each) => inodes.set(useKey(each), inodesOf(within, each, bytes))));
  }
  return { inodes, bytes };
}

function inodesOf(ports: Ports, { id, store }: StoredId, bytes: Map<string, number>): string[] {
  return ['pre', 'post'].flatMap((side) => {
    const dir = path.join(checkpointDir(store, id), side);
    return namesIn(ports, { id, store }, dir).flatMap((name) => {
      const stat = statOrNothing(ports, path.join(dir, name));
      if (stat === undefined || !stat.isFile()) return [];
      const inode = `${stat.dev}:${stat.ino}`;
      bytes.set(inode, Number(stat.size));
      return [inode];
    });
  });
}

function statOrNothing({ fs }: Ports, file: string): BigIntStats | undefined {
  try {
    return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function namesIn(ports: Ports, { store, id }: StoredId, dir: string): string[] {
  const { fs } = ports;
  try {
    checkStore(ports, store, id);
    return fs.lstatSync(dir).isDirectory() ? fs.readdirSync(dir) : [];
  } catch {
    return [];
  }
}

/** Bytes on disk, each inode once, without the checkpoints in `gone` (see {@link useKey}). */
export function totalBytes(use: DiskUse, gone: ReadonlySet<string> = new Set()): number {
  const present = new Set([...use.inodes].filter(([key]) => !gone.has(key)).flatMap(([, inodes]) => inodes));
  return [...present].reduce((sum, inode) => sum + (use.bytes.get(inode) ?? 0), 0);
}

/** @throws CheckpointError `store-refused`; else the system's error, and then the checkpoint is still whole */
export function removeCheckpoint(ports: Ports, store: StoreLayout, id: CheckpointId): void {
  inStore(ports, store, (within) => {
    checkStore(within, store, id);
    const leaving = path.join(store.checkpoints, `${temporaryPrefix}gone-${id}`);
    rename(within, checkpointDir(store, id), leaving);
    // What is left of it is swept.
    removeQuietly(within, leaving);
    forgetTwin(within, store, id);
  });
}
