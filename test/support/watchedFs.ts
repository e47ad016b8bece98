// A file system that notes every call which opens, lists or changes something outside the folders that are allowed, by
// real paths, and that refuses what would wait for ever.
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../src/core/ports';

/** Which arguments are paths: of what is opened or listed, and of names that are made, replaced or removed. */
const opens: Record<string, readonly number[]> = {
  copyFileSync: [0],
  openSync: [0],
  readFileSync: [0],
  readdirSync: [0],
};
const changes: Record<string, readonly number[]> = {
  chmodSync: [0],
  copyFileSync: [1],
  linkSync: [0, 1],
  mkdirSync: [0],
  renameSync: [0, 1],
  rmSync: [0],
  rmdirSync: [0],
  symlinkSync: [1],
  unlinkSync: [0],
  utimesSync: [0],
  writeFileSync: [0],
};

/** What reads or changes an open file. */
const uses = new Set(['readSync', 'readFileSync', 'writeSync', 'writeFileSync', 'fchmodSync', 'ftruncateSync']);

export interface WatchedFs {
  readonly fs: FileSystem;
  /** `call real-path` of each violation. */
  readonly violations: string[];
  /** Runs before each call; for exchanging folders under it. */
  before: ((call: string, args: readonly unknown[]) => void) | undefined;
}

/** @param allowed real absolute paths of folders */
export function watchedFs(...allowed: readonly string[]): WatchedFs {
  const violations: string[] = [];
  const isAllowed = (real: string) => allowed.some((dir) => real === dir || real.startsWith(dir + path.sep));
  /** Open files of outside. */
  const strangers = new Map<unknown, string>();
  const watched: WatchedFs = { fs: undefined as unknown as FileSystem, violations, before: undefined };

  const checkOpen = (name: string, file: string, flags: unknown): string | undefined => {
    let real: string;
    try {
      real = fs.realpathSync.native(file);
      // It fails by itself.
      const has = (flag: number) => typeof flags === 'number' && (flags & flag) === flag;
      if (has(fs.constants.O_NOFOLLOW) && fs.lstatSync(file).isSymbolicLink()) return undefined;
      if (has(fs.constants.O_EXCL) || (has(fs.constants.O_DIRECTORY) && !fs.statSync(file).isDirectory()))
        return undefined;
    } catch {
      return undefined;
    }
    const found = fs.statSync(real);
    const waits = found.isFIFO() || found.isCharacterDevice() || found.isBlockDevice();
    const noWait = typeof flags === 'number' && (flags & fs.constants.O_NONBLOCK) !== 0;
    if (isAllowed(real) && !(waits && !noWait)) return undefined;
    // To open a file, and to see that it is the wrong one, reads nothing of it.
    if (name === 'openSync' && !waits && flags === (fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)) return real;
    violations.push(`${name} ${real}`);
    if (waits && !noWait) throw new Error(`${name} would wait for ever on ${real}`);
    return undefined;
  };
  const checkChange = (name: string, file: string) => {
    try {
      const real = path.join(fs.realpathSync.native(path.dirname(file)), path.basename(file));
      if (!isAllowed(real)) violations.push(`${name} ${real}`);
    } catch {
      // It fails by itself.
    }
  };
  const wrap =
    (name: string, original: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      watched.before?.(name, args);
      let strange: string | undefined;
      for (const i of opens[name] ?? []) if (isPath(args[i])) strange = checkOpen(name, String(args[i]), args[1]);
      if (uses.has(name) && strangers.has(args[0])) violations.push(`${name} ${strangers.get(args[0])}`);
      if (name === 'closeSync') strangers.delete(args[0]);
      for (const i of changes[name] ?? []) if (isPath(args[i])) checkChange(name, String(args[i]));
      const result = original(...args);
      if (strange !== undefined) strangers.set(result, strange);
      return result;
    };
  const wrapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fs)) {
    if (!name.endsWith('Sync') || typeof value !== 'function') continue;
    const call = wrap(name, name === 'fsyncSync' ? () => {} : (value as (...args: unknown[]) => unknown));
    if (name === 'realpathSync') Object.assign(call, { native: fs.realpathSync.native });
    wrapped[name] = call;
  }
  return Object.assign(watched, { fs: wrapped as unknown as FileSystem });
}

const isPath = (value: unknown) => typeof value === 'string' || Buffer.isBuffer(value);
