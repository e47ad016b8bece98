// The blobs of one checkpoint while it is written: names, sharing, flushing, and taking back after a failure.
import path from 'node:path';
import { errorCode } from '../errors';
import type { Ports } from '../ports';
import { createFile, removeQuietly } from '../state/atomicFile';
import { syncDir, syncFile } from '../state/platform';
import { SourceError, storeBlob, type StoredBlob } from './blobs';
import type { AddState, DraftState } from './draft';
import { lastBlobOf, noteLastBlob, type KnownBlob } from './lastBlob';
import { blobName, type StoreLayout } from './layout';
import type { FileState, RelativePath, State } from './meta';

export interface CheckpointBlobs {
  /** Stores the blob of a state. Throws the system's error about the store. */
  readonly add: AddState;
  /**
   * Makes the bytes of all that was added durable. `folders`: their names as well. `own`: new folders too; else the
   * caller flushes the checkpoint's folder later.
   */
  readonly sync: (what: { readonly folders: boolean; readonly own?: boolean }) => void;
  /** Removes what was added. Never throws. */
  readonly remove: () => void;
  /** Records the added blobs as the last ones of their paths; `dir` is the folder's final place. Never throws. */
  readonly noteLast: (dir: string) => void;
}

const rereadBytes = 64 * 2 ** 10;

/** For the checkpoint's folder `dir`. `known`: blobs to share with, besides the last one of each path. */
export function checkpointBlobs(
  ports: Ports,
  store: StoreLayout,
  dir: string,
  known: readonly KnownBlob[] = [],
): CheckpointBlobs {
  const byHash = new Map(known.map((blob) => [blob.sha256, blob]));
  const sizes = new Set(known.map(({ size }) => size));
  const inPlace = (name: string) => path.join(dir, ...name.split('/'));
  const sides = new Map<string, 'made' | 'found'>();
  const files: string[] = [];
  const unflushed: string[] = [];
  const last = new Map<RelativePath, FileState>();

  const ensureSide = (side: string) => {
    if (sides.has(side)) return;
    try {
      ports.fs.mkdirSync(path.join(dir, side), { mode: 0o700 });
      sides.set(side, 'made');
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || !ports.fs.lstatSync(path.join(dir, side)).isDirectory()) throw error;
      sides.set(side, 'found');
    }
  };

  const storeFile = (name: string, file: RelativePath, { source }: DraftFile): StoredBlob & { noted: boolean } => {
    const hint = source.type === 'bytes' ? source.same : undefined;
    const remembered = source.type === 'link' ? undefined : (hint ?? lastBlobOf(ports, store, file));
    const shareable = (sha256: string) =>
      [byHash.get(sha256), remembered].filter((blob) => blob !== undefined && blob.sha256 === sha256) as KnownBlob[];
    const hasSize = (size: number) => sizes.has(size) || remembered?.size === size;
    const blob = storeBlob(ports, store, source, inPlace(name), { shareable, hasSize });
    files.push(inPlace(name));
    if (!blob.linked) unflushed.push(inPlace(name));
    sizes.add(blob.size);
    byHash.set(blob.sha256, { path: inPlace(name), sha256: blob.sha256, size: blob.size, verified: true });
    // The index leads to these bytes already; its stamp is old now, but reading a small file again costs no more.
    const noted =
      blob.linked === true && hint === undefined && remembered?.sha256 === blob.sha256 && blob.size <= rereadBytes;
    return { ...blob, noted };
  };

  const addFile = (name: string, file: RelativePath, state: DraftFile): State => {
    const inferred = state.inferred === undefined ? {} : { inferred: state.inferred };
    for (let variant = 1; ; variant++) {
      // Taken where another process closes the same checkpoint: both files stay whole, the metadata says which counts.
      const blob = variant === 1 ? name : name.replace('-', `-~${variant}-`);
      try {
        const { sha256, size, mode, noted } = storeFile(blob, file, state);
        const stored = { type: 'file' as const, sha256, size, mode: state.mode ?? mode ?? 0o644, blob, ...inferred };
        if (noted) last.delete(file);
        else last.set(file, stored);
        return stored;
      } catch (error) {
        if (error instanceof SourceError) {
          if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { type: 'absent', ...inferred };
          return { type: 'unreadable', error: error.message.slice(0, 1000), ...inferred };
        }
        if (errorCode(error) !== 'EEXIST' || variant === 100) throw error;
      }
    }
  };

  const mark = (name: string) => {
    try {
      createFile(ports, inPlace(name), '', { flush: false });
      files.push(inPlace(name));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  };

  return {
    add: (side, entry, file, state) => {
      const name = blobName(side, entry, typeof file === 'string' ? file : decoded(file.bytes));
      let result: State;
      if (state.type === 'file') {
        ensureSide(side);
        result = addFile(name, file, state);
      } else {
        result = state;
      }
      if (side === 'pre' && result.type === 'absent') {
        ensureSide(side);
        mark(`${name}.absent`);
      }
      return result;
    },
    sync: ({ folders, own = false }) => {
      unflushed.splice(0).forEach((file) => syncFile(ports, file));
      if (!folders) return;
      for (const side of sides.keys()) syncDir(ports, path.join(dir, side));
      if (own && [...sides.values()].includes('made')) syncDir(ports, dir);
    },
    remove: () => {
      files.splice(0).forEach((file) => removeQuietly(ports, file));
      for (const [side, how] of sides) if (how === 'made') removeEmpty(ports, path.join(dir, side));
    },
    noteLast: (final) => {
      for (const [file, { blob, sha256, size }] of last) {
        noteLastBlob(ports, store, file, { path: path.join(final, ...blob.split('/')), sha256, size });
      }
    },
  };
}

type DraftFile = Extract<DraftState, { type: 'file' }>;

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');

function removeEmpty({ fs }: Ports, dir: string): void {
  try {
    fs.rmdirSync(dir);
  } catch {
    // Somebody else's file is in it.
  }
}
