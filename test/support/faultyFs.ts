// A file system that fails at one chosen call: the n-th, counted over all functions.
import * as fs from 'node:fs';
import type { FileSystem } from '../../src/core/ports';

export interface FaultOptions {
  /** Which call fails, from 1; 0 or absent: none (only counts). */
  failAt?: number;
  /** `error`: only that call fails. `kill`: that call and all later ones fail, as if the process had ended before it. */
  mode?: 'error' | 'kill';
  /** The system's code in `error` mode; default EIO. */
  code?: string;
  /** Nothing is flushed: faster, and no difference to a process that is stopped while the system goes on. */
  unflushed?: boolean;
  /** Only these functions are counted and can fail; default all. */
  only?: readonly string[];
}

export interface FaultyFs {
  readonly fs: FileSystem;
  readonly counts: { calls: number; readonly names: string[] };
}

/** Thrown by each call after a `kill`. Code under test may catch it, but can do nothing more. */
export class Killed extends Error {
  readonly code = 'KILLED';
}

export function faultyFs(options: FaultOptions = {}): FaultyFs {
  const counts = { calls: 0, names: [] as string[] };
  const { failAt = 0, mode = 'error', code = 'EIO', only, unflushed = false } = options;
  const guarded =
    (name: string, original: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      if (only !== undefined && !only.includes(name)) return original(...args);
      counts.calls++;
      counts.names.push(name);
      if (failAt > 0 && mode === 'kill' && counts.calls >= failAt) throw new Killed(`killed before ${name}`);
      if (failAt > 0 && counts.calls === failAt) {
        // A failing close still frees the descriptor, as on the real system.
        if (name === 'closeSync') original(...args);
        throw Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });
      }
      return original(...args);
    };
  const wrapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fs)) {
    if (!name.endsWith('Sync') || typeof value !== 'function') continue;
    const skipped = unflushed && name === 'fsyncSync';
    const wrap = guarded(name, skipped ? () => {} : (value as (...args: unknown[]) => unknown));
    if (name === 'realpathSync') Object.assign(wrap, { native: guarded(name, fs.realpathSync.native as never) });
    wrapped[name] = wrap;
  }
  return { fs: wrapped as unknown as FileSystem, counts };
}
