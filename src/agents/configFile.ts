// An agent's own configuration file, read and replaced without changing what is not ours: its mode, its byte order
// mark, and where a symbolic link leads (many keep such files in a folder of their own and link them).
import path from 'node:path';
import { CheckpointError, errorCode } from '../core/errors';
import type { Ports } from '../core/ports';
import { writeFileAtomic } from '../core/state/atomicFile';

const bom = '\ufeff';

export interface ConfigFile {
  /** As the agent names it. */
  readonly file: string;
  /** Where the bytes are: `file`, or what it links to. */
  readonly target: string;
  /** Undefined where there is no file. */
  readonly bytes?: Buffer;
  /** Permission bits. */
  readonly mode?: number;
}

/** @throws CheckpointError `config-unreadable` */
export function readConfig(ports: Ports, file: string): ConfigFile {
  const target = followLinks(ports, file);
  try {
    const stat = ports.fs.lstatSync(target, { throwIfNoEntry: false });
    if (stat === undefined) return { file, target };
    if (!stat.isFile()) throw unreadable(file, 'it is not a plain file');
    return { file, target, bytes: ports.fs.readFileSync(target), mode: stat.mode & 0o7777 };
  } catch (error) {
    // A missing parent may also be a file.
    if (errorCode(error) === 'ENOTDIR') throw unreadable(file, 'a part of its path is not a folder');
    if (error instanceof CheckpointError) throw error;
    throw unreadable(file, errorCode(error) ?? String(error));
  }
}

/** The text without a byte order mark; empty where there is no file. @throws CheckpointError `config-unreadable` */
export function configText({ file, bytes }: ConfigFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(file, 'it is not UTF-8');
  }
}

/** Bytes for a new text of the file: with the byte order mark that it had. */
export function configBytes({ bytes }: ConfigFile, text: string): Buffer {
  const marked = bytes?.subarray(0, 3).equals(Buffer.from(bom)) ?? false;
  return Buffer.from((marked ? bom : '') + text);
}

export const unreadable = (file: string, why: string) =>
  new CheckpointError(
    'config-unreadable',
    `${file} was left as it is: ${why}. Its agent could not read it either; mend it and try again.`,
  );

/**
 * Replaces, creates or (without bytes) removes the file.
 *
 * @throws CheckpointError `failed` where it may not be written
 */
export function writeConfig(ports: Ports, { file, target, mode }: ConfigFile, bytes: Uint8Array | undefined): void {
  const { fs } = ports;
  // A person, or a tool that manages this file, took the right to write away; a rename would pass over that.
  if (mode !== undefined && (mode & 0o222) === 0) throw unwritable(file, 'it is read-only');
  try {
    if (bytes === undefined) {
      fs.unlinkSync(target);
      return;
    }
    fs.mkdirSync(path.dirname(target), { recursive: true });
    writeFileAtomic(ports, target, bytes, { mode: mode ?? 0o644 });
    if (mode !== undefined && (fs.lstatSync(target).mode & 0o7777) !== mode) fs.chmodSync(target, mode);
  } catch (error) {
    throw unwritable(file, errorCode(error) ?? String(error));
  }
}

const unwritable = (file: string, why: string) =>
  new CheckpointError(
    'failed',
    `${file} could not be written (${why}). Nothing was changed; make it writable and try again.`,
  );

/** The folders above `file` that do not exist yet, the deepest first. */
export function missingFolders({ fs }: Ports, file: string): string[] {
  const missing: string[] = [];
  for (let dir = path.dirname(file); dir !== path.dirname(dir); dir = path.dirname(dir)) {
    if (fs.lstatSync(dir, { throwIfNoEntry: false })) break;
    missing.push(dir);
  }
  return missing;
}

function followLinks({ fs }: Ports, file: string): string {
  let current = file;
  for (let hops = 0; hops < 40; hops++) {
    try {
      if (!fs.lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink()) return current;
      current = path.resolve(path.dirname(current), fs.readlinkSync(current));
    } catch (error) {
      if (errorCode(error) === 'ENOTDIR') return current;
      throw unreadable(file, errorCode(error) ?? String(error));
    }
  }
  throw unreadable(file, 'its symbolic links lead in a circle');
}
