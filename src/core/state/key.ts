// The per-user key by which records of this person are told from those that came with a clone.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { errorCode } from '../errors';
import type { Ports } from '../ports';
import { createFile, ensureDir, removeQuietly, uniqueSuffix } from './atomicFile';
import { openToRead, syncDir } from './platform';

const length = 32;

/**
 * The key, 32 bytes, made on first use where `create` is set. Undefined where it is missing, damaged, or can neither
 * be read nor made; never throws. Processes that make it at the same time all get the same one.
 */
export function readKey(ports: Ports, { create }: { create: boolean }): Buffer | undefined {
  try {
    return read(ports) ?? (create ? make(ports) : undefined);
  } catch {
    return undefined;
  }
}

const keyFile = (ports: Ports) => path.join(ports.stateDir, 'key');

function read(ports: Ports): Buffer | undefined {
  let fd: number;
  try {
    fd = ports.fs.openSync(keyFile(ports), openToRead);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(length + 1);
    const found = ports.fs.readSync(fd, bytes, 0, bytes.length, 0);
    if (found !== length) throw new Error('the key is damaged');
    return bytes.subarray(0, length);
  } finally {
    ports.fs.closeSync(fd);
  }
}

/** Written beside and linked: the name appears with all 32 bytes, for the first process only. */
function make(ports: Ports): Buffer | undefined {
  ensureDir(ports, ports.stateDir);
  const key = randomBytes(length);
  const temporary = path.join(ports.stateDir, `.tmp-${uniqueSuffix()}`);
  createFile(ports, temporary, key);
  try {
    ports.fs.linkSync(temporary, keyFile(ports));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return read(ports);
    // A file system without hard links: the exclusive creation decides; a reader in between sees a damaged key once.
    createFile(ports, keyFile(ports), key);
  } finally {
    removeQuietly(ports, temporary);
  }
  syncDir(ports, ports.stateDir);
  return key;
}
