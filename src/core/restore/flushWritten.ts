// Making durable what a restore did, before it is said to be done: bytes that are not yet, and the names in each folder.
import { constants } from 'node:fs';
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem } from '../ports';
import { openToRead } from '../state/platform';
import type { RelativePath } from '../store/meta';
import { lastName, type Folder, type Folders } from './folder';
import { parentKeys } from './relativePath';
import type { PathRules } from './safePath';

/** From so many folders on, one flush of the file system is cheaper than one of each. */
const flushTogether = 16;

export interface Written {
  readonly path: RelativePath;
  readonly rules: PathRules;
  /** Its bytes, or its mode, may not be on the disk yet. */
  readonly isLate: boolean;
}

export function flushWritten(folders: Folders, written: readonly Written[]): void {
  const { ports, root } = folders;
  const inFolders = new Map<string, Written>();
  for (const each of written) {
    inFolders.set(parentKeys(each.path).at(-1) ?? '', each);
    if (each.isLate) flushFile(folders, each.path, each.rules);
  }
  const isTogether = inFolders.size >= flushTogether && ports.flushFileSystem?.(root) === true;
  // What is mounted below the root is on another file system.
  const dev = isTogether ? ports.fs.lstatSync(root).dev : undefined;
  for (const each of inFolders.values()) {
    const folder = folderOf(folders, each);
    if (folder && (dev === undefined || ports.fs.statSync(folder.at('.')).dev !== dev)) folder.flush();
  }
}

/** Undefined where it is gone: nothing in it is to be kept. */
function folderOf(folders: Folders, { path, rules }: Written): Folder | undefined {
  try {
    const walk = folders.near(path, rules);
    return walk.type === 'folder' ? walk.folder : undefined;
  } catch (error) {
    if (CheckpointError.is(error)) return undefined;
    throw error;
  }
}

/** Makes a file's bytes durable. One that is gone meanwhile is nobody's loss. */
export function flushFile(folders: Folders, path: RelativePath, rules: PathRules): void {
  const walk = folders.near(path, rules);
  if (walk.type === 'folder') flushAt(folders.ports.fs, walk.folder.at(lastName(path)));
}

export function flushAt(fs: FileSystem, at: string | Buffer): void {
  let fd: number;
  try {
    fd = fs.openSync(at, openToRead | constants.O_RDONLY);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EACCES'].includes(errorCode(error) ?? '')) return;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
