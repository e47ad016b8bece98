// Reading files that somebody else may have put there: only plain ones, never through a link, never more than agreed.
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { isWindows, openToRead } from '../state/platform';

const chunkBytes = 2 ** 20;
const pieceBytes = 128 * 2 ** 10;

/** Opens, calls and closes. @throws CheckpointError `damaged` for what is no plain file; else the system's error */
export function withPlainFile<T>(ports: Ports, file: string, use: (fd: number, stat: Stats) => T): T {
  const { fs } = ports;
  if (isWindows && fs.lstatSync(file).isSymbolicLink()) throw notPlain(file);
  let fd: number;
  try {
    fd = fs.openSync(file, openToRead);
  } catch (error) {
    // ELOOP: a link; ENXIO: a socket or a FIFO nobody reads.
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes(errorCode(error) ?? '')) throw notPlain(file);
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw notPlain(file);
    return use(fd, stat);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * As {@link withPlainFile}, for a file whose folders are no links: one that was exchanged for a link while the file was
 * opened is noticed, and nothing is read. @throws CheckpointError `changed-meanwhile`
 */
export function withFileInPlace<T>(ports: Ports, file: string, use: (fd: number, stat: Stats) => T): T {
  return withPlainFile(ports, file, (fd, stat) => {
    if (folderOf(ports, file, fd) === path.dirname(file)) return use(fd, stat);
    throw new CheckpointError('changed-meanwhile', `A folder of ${file} was exchanged for a link.`);
  });
}

/** The folder of an open file. */
function folderOf({ fs }: Ports, file: string, fd: number): string {
  if (process.platform === 'linux') {
    try {
      return path.dirname(fs.readlinkSync(`/proc/self/fd/${fd}`));
    } catch (error) {
      // In a sandbox `/proc` may be missing.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return fs.realpathSync.native(path.dirname(file));
}

const notPlain = (file: string) => new CheckpointError('damaged', `${file} is not a plain file.`);

/** Whether there is anything of that name; not where a folder of it is none. @throws the system's other errors */
export function isThere({ fs }: Ports, file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** From the current position to the end; `expected` bytes are read in one call where the size did not change. */
export function readToEnd({ fs }: Ports, fd: number, expected: number): Buffer {
  // One byte more: a full buffer tells that the file grew.
  let bytes = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const count = fs.readSync(fd, bytes, length, bytes.length - length, null);
    length += count;
    // Asked for more than there should be, and given all that there should be: that was the end.
    if (count === 0 || (length === expected && length < bytes.length)) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length + chunkBytes)]);
  }
}

/** Free while nobody reads in pieces: fresh memory would cost more than the reading. */
let spare: Buffer | undefined = Buffer.allocUnsafeSlow(pieceBytes);

/**
 * Feeds the file to `use` in pieces that are only valid during the call. Returns its length in bytes.
 * @param expected its length as the system told it
 * @param failed what to throw for an error of the reading itself
 */
export function readInChunks(
  { fs }: Ports,
  fd: number,
  expected: number,
  use: (chunk: Buffer) => void,
  failed: (error: unknown) => unknown = (error) => error,
): number {
  const buffer = spare ?? Buffer.allocUnsafe(pieceBytes);
  spare = undefined;
  const read = () => {
    try {
      return fs.readSync(fd, buffer, 0, buffer.length, null);
    } catch (error) {
      throw failed(error);
    }
  };
  try {
    let length = 0;
    for (let count; (count = read()) > 0;) {
      length += count;
      use(buffer.subarray(0, count));
      if (length === expected && count < buffer.length) break;
    }
    return length;
  } finally {
    spare = buffer;
  }
}

/** Lower-case hex. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of an open file from its current position to its end, without holding it in memory. */
export function hashOpenFile(ports: Ports, fd: number, expected: number): { sha256: string; size: number } {
  const hash = createHash('sha256');
  const size = readInChunks(ports, fd, expected, (chunk) => hash.update(chunk));
  return { sha256: hash.digest('hex'), size };
}

/** Writes all of it; a short write goes on where it stopped. */
export function writeFully({ fs }: Ports, fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += fs.writeSync(fd, bytes, offset);
}
