// Brings one path from a known state to another. Nothing outside its folder is touched, nothing is followed, and
// what is there is looked at again right before it is replaced.
import { constants } from 'node:fs';
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import { openToCreate, openToRead } from '../state/platform';
import { writeFully } from '../store/plainFile';
import type { FileState, RelativePath, State } from '../store/meta';
import { lastName, type Folder, type Folders } from './folder';
import { writeInPlace } from './inPlace';
import { displayPath, type Name } from './relativePath';
import type { PathRules } from './safePath';
import { lookIn, sameStats, type Found } from './snapshot';
import { sameBytes, sameState } from './states';

export interface PathChange {
  readonly path: RelativePath;
  readonly from: State;
  readonly to: State;
  readonly rules: PathRules;
  /** The bytes of a file that `to` is. @throws CheckpointError `damaged` */
  readonly bytes: () => Uint8Array;
  /** A name in the same folder that nothing else uses. */
  readonly temporary: string;
  /** What was found when `from` was read: saves reading it again where nothing moved since. */
  readonly seen?: Found | undefined;
  /** A file that gives way to a file is written into, since a new one would lack its attributes. */
  readonly inPlace?: boolean | undefined;
}

/**
 * Makes the change. Returns false where a folder that was to be removed is not empty, and stays.
 * @throws CheckpointError `changed-meanwhile` where the path is not as `from` says, and then it is untouched;
 * `refused-path`; else the system's error, and then it is untouched or as `to` says, or (a file that is written in
 * place, a folder that gives way to a file) somewhere between, and `restoreFrom` of the guard is needed
 */
export function setPath(folders: Folders, change: PathChange): boolean {
  const { path, from, to, rules } = change;
  const walk = folders.near(path, rules);
  if (walk.type !== 'folder') {
    if (from.type === 'absent' && to.type === 'absent') return true;
    throw changed(path);
  }
  const { folder } = walk;
  const { ports } = folders;
  const name = lastName(path);
  const check = () => {
    folder.verify();
    if (!isUnchanged(ports, folder, name, change)) throw changed(path);
  };
  switch (to.type) {
    case 'file':
      setFile(ports, folder, name, change, to, check);
      return true;
    case 'absent':
      check();
      return remove(ports.fs, folder.at(name), from);
    case 'symlink':
      setLink(ports.fs, folder, name, change, to.target, check);
      return true;
    case 'directory':
      check();
      if (from.type === 'directory') return true;
      remove(ports.fs, folder.at(name), from);
      ports.fs.mkdirSync(folder.at(name));
      return true;
    case 'unreadable':
      throw new CheckpointError('failed', `${displayPath(path)} cannot be brought to an unknown state.`);
  }
}

const changed = (path: RelativePath, cause?: unknown) =>
  new CheckpointError('changed-meanwhile', `${displayPath(path)} was changed meanwhile.`, { cause });

/** By identity and times where these are sure to tell, else by the bytes. */
function isUnchanged(ports: Ports, folder: Folder, name: Name, { from, seen }: PathChange): boolean {
  const before = seen?.stats;
  if (before !== undefined && seen?.settled) {
    const now = ports.fs.lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
    if (sameStats(now, before)) return true;
  }
  return sameState(lookIn(ports, folder, name).state, from);
}

/** False for a folder with something in it. */
function remove(fs: FileSystem, at: string | Buffer, { type }: State): boolean {
  if (type === 'absent') return true;
  if (type !== 'directory') {
    fs.unlinkSync(at);
    return true;
  }
  try {
    fs.rmdirSync(at);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

function setFile(ports: Ports, folder: Folder, name: Name, change: PathChange, to: FileState, check: () => void): void {
  const { from } = change;
  if (from.type === 'file' && sameBytes(from, to) && setMode(ports.fs, folder.at(name), to.mode, check)) return;
  const bytes = change.bytes();
  // Other names of the same file are to show the change too; a stranger's record may not write through them.
  const shared = change.inPlace === true || (change.seen?.stats?.nlink ?? 1n) > 1n;
  if (from.type === 'file' && shared && !change.rules.foreign)
    return writeInPlace(ports, folder.at(name), bytes, from, to, check);
  const temporary = folder.at(change.temporary);
  try {
    const owners = createFile(ports.fs, temporary, bytes, to.mode);
    const stats = change.seen?.stats;
    const sameOwner = !stats || (stats.uid === owners.uid && stats.gid === owners.gid);
    if (from.type === 'file' && !sameOwner && !change.rules.foreign) {
      // A new file would belong to somebody else.
      ports.fs.unlinkSync(temporary);
      return writeInPlace(ports, folder.at(name), bytes, from, to, check);
    }
    check();
    if (from.type === 'directory' && !remove(ports.fs, folder.at(name), from)) throw changed(change.path);
    if (from.type === 'absent') place(ports.fs, temporary, folder.at(name), change.path);
    else ports.fs.renameSync(temporary, folder.at(name));
  } catch (error) {
    removeQuietly(ports.fs, temporary);
    // A folder where nothing can be made, or a file that a mount holds in its place.
    const held = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'].includes(errorCode(error) ?? '');
    if (!held || from.type !== 'file' || change.rules.foreign) throw error;
    writeInPlace(ports, folder.at(name), bytes, from, to, check);
  }
}

/** Puts a file where nothing is; unlike a rename it never replaces what has just come there. */
function place(fs: FileSystem, temporary: string | Buffer, at: string | Buffer, path: RelativePath): void {
  try {
    fs.linkSync(temporary, at);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw changed(path, error);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error) ?? '')) throw error;
    // A file system without hard links.
    if (fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) throw changed(path, error);
    fs.renameSync(temporary, at);
    return;
  }
  fs.unlinkSync(temporary);
}

function createFile(
  fs: FileSystem,
  at: string | Buffer,
  bytes: Uint8Array,
  mode: number,
): { uid: bigint; gid: bigint } {
  const fd = fs.openSync(at, openToCreate, mode & 0o777);
  try {
    writeFully({ fs } as Ports, fd, bytes);
    const stats = fs.fstatSync(fd, { bigint: true });
    if ((Number(stats.mode) & 0o7777) !== mode) fs.fchmodSync(fd, mode);
    return stats;
  } finally {
    fs.closeSync(fd);
  }
}

/** False where the file cannot be opened; it is replaced then. */
function setMode(fs: FileSystem, at: string | Buffer, mode: number, check: () => void): boolean {
  let fd: number;
  try {
    fd = fs.openSync(at, openToRead);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return false;
    throw error;
  }
  try {
    check();
    fs.fchmodSync(fd, mode);
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

function setLink(
  fs: FileSystem,
  folder: Folder,
  name: Name,
  { from, temporary, path }: PathChange,
  target: string,
  check: () => void,
): void {
  if (from.type === 'absent' || from.type === 'directory') {
    check();
    if (!remove(fs, folder.at(name), from)) throw changed(path);
    fs.symlinkSync(target, folder.at(name));
    return;
  }
  try {
    fs.symlinkSync(target, folder.at(temporary));
    check();
    fs.renameSync(folder.at(temporary), folder.at(name));
  } catch (error) {
    removeQuietly(fs, folder.at(temporary));
    throw error;
  }
}

function removeQuietly(fs: FileSystem, at: string | Buffer): void {
  try {
    fs.unlinkSync(at);
  } catch {
    // It is not there, or the recovery removes it.
  }
}

/** Makes a file's bytes durable. One that is gone meanwhile is nobody's loss. */
export function flushFile(folders: Folders, path: RelativePath, rules: PathRules): void {
  const { fs } = folders.ports;
  const walk = folders.near(path, rules);
  if (walk.type !== 'folder') return;
  let fd: number;
  try {
    fd = fs.openSync(walk.folder.at(lastName(path)), openToRead | constants.O_RDONLY);
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
