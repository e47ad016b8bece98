// Small JSON files: whatever is wrong with one, it is as if it were not there.
import path from 'node:path';
import type { Ports } from '../ports';
import { readToEnd, withPlainFile } from '../store/plainFile';
import { ensureDir, writeFileAtomic } from './atomicFile';

/** Bytes; no file of ours comes near it. */
const maxBytes = 64 * 2 ** 20;

/**
 * The parsed content, or undefined where the file is missing, unreadable, no plain file or no JSON. Never throws, and
 * never waits: a FIFO in its place is not opened for reading, a link not followed.
 */
export function readJson(ports: Ports, file: string): unknown {
  try {
    return withPlainFile(ports, file, (fd, { size }): unknown =>
      size > maxBytes ? undefined : JSON.parse(readToEnd(ports, fd, size).toString('utf8')),
    );
  } catch {
    return undefined;
  }
}

/** Replaces the file whole and makes its folder. Throws the system's error. */
export function writeJson(ports: Ports, file: string, value: unknown, options: { flush?: boolean } = {}): void {
  ensureDir(ports, path.dirname(file));
  writeFileAtomic(ports, file, `${JSON.stringify(value, undefined, 2)}\n`, options);
}

/** As a record of unknown values; undefined for anything that is not a plain object. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
