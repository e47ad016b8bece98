// Where things are in a store. Pure: no file calls.
import path from 'node:path';
import type { CheckpointId } from './ids';

export const storeFolder = '.system_generated';

/** Paths inside one store folder: a workspace root's `.system_generated`, or its fallback in user state. */
export interface StoreLayout {
  /** The store folder itself. */
  readonly dir: string;
  readonly checkpoints: string;
  readonly conversations: string;
  /** Not part of the contract of the store; rebuilt or missed without loss. See docs/store-format.md. */
  readonly index: string;
  /** Set for a store in user state: the workspace root (real path) that it stands in for. */
  readonly standsFor?: string;
}

export function storeLayout(dir: string, standsFor?: string): StoreLayout {
  const layout = {
    dir,
    checkpoints: path.join(dir, 'checkpoints'),
    conversations: path.join(dir, 'conversations'),
    index: path.join(dir, 'index'),
  };
  return standsFor === undefined ? layout : { ...layout, standsFor };
}

export const checkpointDir = (store: StoreLayout, id: CheckpointId) => path.join(store.checkpoints, id);
export const metaFile = (store: StoreLayout, id: CheckpointId) => path.join(store.checkpoints, id, 'meta.json');
export const pinnedFile = (store: StoreLayout, id: CheckpointId) => path.join(store.checkpoints, id, 'pinned');

/** Unfinished checkpoints and metadata begin with this; they are swept when they are old. */
export const temporaryPrefix = '.tmp-';

/** The base name of a path as it may stand in a blob's file name: a person finds the file by it. */
export function safeBaseName(relativePath: string): string {
  const base = relativePath.slice(relativePath.lastIndexOf('/') + 1);
  const cleaned = [...base.normalize('NFC')]
    // Control characters, separators and what Windows refuses.
    .map((char) => (/[\u0000-\u001f\u007f"*/:<>?\\|]/.test(char) ? '_' : char))
    .join('')
    .replace(/[. ]+$/, '_');
  let name = cleaned.toWellFormed();
  while (Buffer.byteLength(name) > 120) name = name.slice(1);
  return name.toWellFormed() || '_';
}

/** A blob's place relative to the checkpoint's folder, with `/`. */
export const blobName = (side: 'pre' | 'post', entry: number, relativePath: string) =>
  `${side}/${entry}-${safeBaseName(relativePath)}`;
