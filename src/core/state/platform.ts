// The places where operating systems differ, for all of core.
import { constants } from 'node:fs';
import type { Ports } from '../ports';
import { errorCode } from '../errors';

export const isWindows = process.platform === 'win32';

// Windows knows neither flag; there a link is told by lstat before.
const noFollow = constants.O_NOFOLLOW ?? 0;
// Opening a FIFO for reading would wait for a writer.
const noBlock = constants.O_NONBLOCK ?? 0;

/** Opens for reading what must be a plain file: a link fails (ELOOP), a FIFO or device does not block. */
export const openToRead = constants.O_RDONLY | noFollow | noBlock;
/** Creates a file that must not be there yet. */
export const openToCreate = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;

/** Makes the names in a folder durable. Windows cannot open a folder and does this by itself. */
export function syncDir({ fs }: Ports, dir: string): void {
  let fd: number;
  try {
    fd = fs.openSync(dir, constants.O_RDONLY);
  } catch (error) {
    if (isWindows) return;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    // Some network and FUSE file systems refuse it for folders: nothing more can be done there.
    if (!isWindows && !['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** ext4 (its driver also serves ext2 and ext3) and XFS, as `statfs` numbers them. */
const orderedFileSystems = [0xef53, 0x58465342];

/**
 * Whether this file system writes all changes of names in one order, so that the flush of a folder makes every change
 * durable that was made before it, in other folders too. Where that is not known: false. Never throws.
 */
export function keepsOrder({ fs }: Ports, dir: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return orderedFileSystems.includes(fs.statfsSync(dir).type);
  } catch {
    return false;
  }
}

/**
 * To be called on a file that was just created: ext4 then gives the bytes a place on the disk when the file is closed,
 * not when it is flushed, so that the flush of one file takes along those of others. Nothing else comes of it.
 */
export function placeOnClose({ fs }: Ports, fd: number): void {
  fs.ftruncateSync(fd, 0);
}

/** Makes a file's bytes durable. */
export function syncFile({ fs }: Ports, file: string): void {
  // Windows flushes only what is open for writing.
  const fd = fs.openSync(file, constants.O_RDWR | noFollow);
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Renames; on Windows, where a virus scanner or another reader may hold the file for a moment, tries again. */
export function rename({ fs }: Ports, from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      const busy = isWindows && ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '');
      if (!busy || attempt === 8) throw error;
      sleep(2 ** attempt);
    }
  }
}

/** Waits without returning to the event loop. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Whether a process runs; one of another person counts as running. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
