// A file made under a name of its own, which then takes its place.
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import { openToCreate } from '../state/platform';
import type { RelativePath } from '../store/meta';
import { writeFully } from '../store/plainFile';
import { displayPath } from './relativePath';

/** Of a new file: who owns it, and on which file system it is. */
export interface Created {
  readonly uid: bigint;
  readonly gid: bigint;
  readonly dev: bigint;
}

/**
 * Leaves nothing behind where it fails.
 * @param isFlushed whether its bytes are to be durable on return
 */
export function createFile(
  fs: FileSystem,
  at: string | Buffer,
  bytes: Uint8Array,
  mode: number,
  isFlushed: (created: Created) => boolean = () => false,
): Created {
  const fd = fs.openSync(at, openToCreate, mode & 0o777);
  try {
    try {
      writeFully({ fs } as Ports, fd, bytes);
      const stats = fs.fstatSync(fd, { bigint: true });
      if ((Number(stats.mode) & 0o7777) !== mode) fs.fchmodSync(fd, mode);
      if (isFlushed(stats)) fs.fsyncSync(fd);
      return stats;
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    removeQuietly(fs, at);
    throw error;
  }
}

/** Puts a file where nothing is; unlike a rename it never replaces what has just come there. */
export function place(fs: FileSystem, temporary: string | Buffer, at: string | Buffer, path: RelativePath): void {
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

export const changed = (path: RelativePath, cause?: unknown): CheckpointError =>
  new CheckpointError('changed-meanwhile', `${displayPath(path)} was changed meanwhile.`, { cause });

/** A folder where nothing can be made, or a file that a mount holds in its place. */
export const isHeld = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'].includes(errorCode(error) ?? '');

export function removeQuietly(fs: FileSystem, at: string | Buffer): void {
  try {
    fs.unlinkSync(at);
  } catch {
    // It is not there, or the recovery removes it.
  }
}
