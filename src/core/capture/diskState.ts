// What is at a path now. Nothing is followed, and nothing but a plain file is ever opened.
import type { Stats } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../errors';
import type { FileSystem } from '../ports';

export type Found =
  | { readonly type: 'file'; readonly size: number; readonly mode: number }
  | { readonly type: 'absent' }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'directory' }
  /** FIFO, socket, device. */
  | { readonly type: 'special'; readonly what: string }
  | { readonly type: 'unreadable'; readonly error: string };

const permissionBits = 0o7777;

/** Never throws: what cannot be told is `unreadable`, never `absent`. */
export function look(fs: FileSystem, absolute: string): Found {
  let stat: Stats;
  try {
    stat = fs.lstatSync(absolute);
  } catch (error) {
    // ENOTDIR: a parent is a file, so this path certainly is not there.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { type: 'absent' };
    return { type: 'unreadable', error: reasonOf(error) };
  }
  if (stat.isFile()) return { type: 'file', size: stat.size, mode: stat.mode & permissionBits };
  if (stat.isDirectory()) return { type: 'directory' };
  if (stat.isSymbolicLink()) return readLink(fs, absolute);
  const what = stat.isFIFO() ? 'a named pipe' : stat.isSocket() ? 'a socket' : 'a device';
  return { type: 'special', what };
}

/** Why its bytes are nobody's to keep; undefined for what can be kept. */
export const reasonIn = (found: Found): string | undefined =>
  found.type === 'special' ? `it is ${found.what}` : found.type === 'unreadable' ? found.error : undefined;

function readLink(fs: FileSystem, absolute: string): Found {
  try {
    const bytes = fs.readlinkSync(absolute, 'buffer');
    const target = bytes.toString();
    if (!Buffer.from(target).equals(bytes)) return { type: 'unreadable', error: 'the link’s target is not UTF-8' };
    return { type: 'symlink', target };
  } catch (error) {
    return { type: 'unreadable', error: reasonOf(error) };
  }
}

/** In plain words, with the system's code. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  const words = code === undefined ? undefined : reasons[code];
  return words ?? (error instanceof Error ? error.message : String(error)).slice(0, 500);
}

const reasons: Record<string, string> = {
  EACCES: 'no permission to read it (EACCES)',
  EPERM: 'reading it is not permitted (EPERM)',
  EIO: 'the disk reports an error (EIO)',
  ELOOP: 'its links lead in a circle (ELOOP)',
  ENOENT: 'a parent folder is a link to nothing (ENOENT)',
  ENAMETOOLONG: 'the name is too long (ENAMETOOLONG)',
  ESTALE: 'the network file system lost it (ESTALE)',
};

/** Bytes of UTF-8; what file systems commonly allow. */
const maxComponent = 255;
const maxPath = 4096;

/** Why a path can be no file's name at all, or undefined. */
export function impossibleName(file: string): string | undefined {
  if (file.includes('\0')) return 'the name holds a NUL character';
  if (Buffer.byteLength(file) >= maxPath) return 'the path is too long';
  const tooLong = file.split(path.sep).some((part) => Buffer.byteLength(part) > maxComponent);
  return tooLong ? 'the name is too long' : undefined;
}
