// Small files that are replaced whole: a reader sees the old one or the new one, never a part.
import path from 'node:path';
import { customAlphabet } from 'nanoid/non-secure';
import type { Ports } from '../ports';
import { openToCreate, placeOnClose, rename, syncDir } from './platform';

/** For names that only have to differ from those of other processes at the same time. */
export const uniqueSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 12);

export interface AtomicOptions {
  /** Permission bits; default 0600. */
  readonly mode?: number;
  /** Durable on return (default); only whole; or `soon`, for a caller that flushes it together with others. */
  readonly flush?: boolean | 'soon';
}

/** Makes a folder and its missing parents, for the owner only. */
export function ensureDir({ fs }: Ports, dir: string): void {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** Creates a file that must not exist (EEXIST otherwise) and writes all of it; a failure leaves no file. */
export function createFile(
  ports: Ports,
  file: string,
  content: string | Uint8Array,
  options: AtomicOptions = {},
): void {
  const { fs } = ports;
  const fd = fs.openSync(file, openToCreate, options.mode ?? 0o600);
  try {
    try {
      if (options.flush === 'soon') placeOnClose(ports, fd);
      fs.writeFileSync(fd, content);
      if ((options.flush ?? true) === true) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    removeQuietly(ports, file);
    throw error;
  }
}

/** Replaces or creates `file`, whose folder must exist. Throws the system's error; then the old file stands. */
export function writeFileAtomic(
  ports: Ports,
  file: string,
  content: string | Uint8Array,
  options: AtomicOptions = {},
): void {
  const temporary = path.join(path.dirname(file), `.tmp-${uniqueSuffix()}`);
  createFile(ports, temporary, content, options);
  try {
    rename(ports, temporary, file);
  } catch (error) {
    removeQuietly(ports, temporary);
    throw error;
  }
  if ((options.flush ?? true) === true) syncDir(ports, path.dirname(file));
}

/** For cleaning up after an error that matters more than a leftover. */
export function removeQuietly({ fs }: Ports, file: string): void {
  try {
    fs.rmSync(file, { force: true, recursive: true });
  } catch {
    // The sweep finds it later.
  }
}
