// Small JSON files of the user state: whatever is wrong with one, it is as if it were not there.
import path from 'node:path';
import type { Ports } from '../ports';
import { ensureDir, writeFileAtomic } from './atomicFile';

/** The parsed content, or undefined where the file is missing, unreadable or no JSON. Never throws. */
export function readJson({ fs }: Ports, file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
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
