// Writing into the file that is there, where replacing it would lose more than its bytes: other hard links, a mount,
// an owner. A process that ends in the middle leaves the new bytes up to some point and the old ones behind it, which
// `isBetween` recognises.
import { constants } from 'node:fs';
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import type { FileState } from '../store/meta';
import { hashOpenFile } from '../store/plainFile';

const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @throws CheckpointError `changed-meanwhile`; the system's error */
export function writeInPlace(
  ports: Ports,
  at: string | Buffer,
  bytes: Uint8Array,
  from: FileState,
  to: FileState,
  check: () => void,
): void {
  const { fs } = ports;
  const fd = openToWrite(fs, at, check);
  try {
    const stats = fs.fstatSync(fd);
    const found = stats.isFile() ? hashOpenFile(ports, fd, stats.size) : undefined;
    if (found?.sha256 !== from.sha256) {
      throw new CheckpointError('changed-meanwhile', 'The file was changed meanwhile.');
    }
    writeAt(fs, fd, bytes);
    fs.ftruncateSync(fd, bytes.length);
    if ((stats.mode & 0o7777) !== to.mode) fs.fchmodSync(fd, to.mode);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A read-only file is made writable for the moment; its mode is set at the end in any case. */
function openToWrite(fs: FileSystem, at: string | Buffer, check: () => void): number {
  check();
  try {
    return fs.openSync(at, flags);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
  }
  const reader = fs.openSync(at, (flags & ~constants.O_RDWR) | constants.O_RDONLY);
  try {
    fs.fchmodSync(reader, (fs.fstatSync(reader).mode & 0o7777) | 0o200);
  } finally {
    fs.closeSync(reader);
  }
  return fs.openSync(at, flags);
}

function writeAt(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += fs.writeSync(fd, bytes, offset, bytes.length - offset, offset);
}

/** Whether bytes are what an interrupted `writeInPlace` leaves: the new ones up to a point, then the old ones. */
export function isBetween(now: Uint8Array, from: Uint8Array, to: Uint8Array): boolean {
  if (now.length < from.length && now.length !== to.length) return false;
  let same = 0;
  while (same < now.length && same < to.length && now[same] === to[same]) same++;
  return Buffer.compare(now.subarray(same), from.subarray(Math.min(same, from.length))) === 0;
}
