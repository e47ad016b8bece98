// Brings one path from a known state to another. Nothing outside its folder is touched, nothing is followed, and
// what is there is looked at again right before it is replaced.
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import { openToRead } from '../state/platform';
import type { FileState, RelativePath, State } from '../store/meta';
import { lastName, type Folder, type Folders } from './folder';
import { writeInPlace } from './inPlace';
import { changed, createFile, isHeld, place, removeQuietly, type Created } from './newFile';
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
  /** The file that takes the place was already made, under the temporary name. */
  readonly staged?: Created | undefined;
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

/** Other names of the same file are to show the change too; a stranger's record may not write through them. */
const isShared = ({ inPlace, seen, rules }: PathChange): boolean =>
  !rules.foreign && (inPlace === true || (seen?.stats?.nlink ?? 1n) > 1n);

/** Whether a new file takes the place; else the file that is there is written into, or only its mode changes. */
export const takesPlace = (change: PathChange): boolean =>
  change.to.type === 'file' &&
  (change.from.type !== 'file' || (!sameBytes(change.from, change.to) && !isShared(change)));

function setFile(ports: Ports, folder: Folder, name: Name, change: PathChange, to: FileState, check: () => void): void {
  const { from, rules, path } = change;
  if (from.type === 'file' && sameBytes(from, to) && setMode(ports.fs, folder.at(name), to.mode, check)) return;
  const isFile = from.type === 'file' && !rules.foreign;
  const writeInto = () => writeInPlace(ports, folder.at(name), change.bytes(), from as FileState, to, check);
  if (from.type === 'file' && isShared(change)) return writeInto();
  const temporary = folder.at(change.temporary);
  let made = change.staged;
  try {
    made ??= createFile(ports.fs, temporary, change.bytes(), to.mode);
    const stats = change.seen?.stats;
    const sameOwner = !stats || (stats.uid === made.uid && stats.gid === made.gid);
    if (isFile && !sameOwner) {
      // A new file would belong to somebody else.
      ports.fs.unlinkSync(temporary);
      return writeInto();
    }
    check();
    if (from.type === 'directory' && !remove(ports.fs, folder.at(name), from)) throw changed(path);
    if (from.type === 'absent') place(ports.fs, temporary, folder.at(name), path);
    else ports.fs.renameSync(temporary, folder.at(name));
  } catch (error) {
    if (made) removeQuietly(ports.fs, temporary);
    // It was made earlier, and somebody removed it.
    if (change.staged && errorCode(error) === 'ENOENT') throw changed(path, error);
    if (!isHeld(error) || !isFile) throw error;
    writeInto();
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
