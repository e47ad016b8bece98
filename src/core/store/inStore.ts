// Changing a store while somebody else may exchange its folders for links: nothing is ever made, replaced or removed
// through one.
//
// On Linux each folder of the store is opened once without following links, and files are reached through the open
// folder (`/proc/self/fd/<n>/<name>`), so that what happens to its name afterwards changes nothing. Elsewhere the real
// path of the folder is checked right before each change, which leaves a small window.
import { constants } from 'node:fs';
import path from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import type { StoreLayout } from './layout';

/** Which arguments of a call are paths, and whether it changes something. */
const calls: Partial<Record<keyof FileSystem, { readonly paths: readonly number[]; readonly changes?: true }>> = {
  accessSync: { paths: [0] },
  chmodSync: { paths: [0], changes: true },
  copyFileSync: { paths: [0, 1], changes: true },
  linkSync: { paths: [0, 1], changes: true },
  lstatSync: { paths: [0] },
  mkdirSync: { paths: [0], changes: true },
  openSync: { paths: [0], changes: true },
  readFileSync: { paths: [0] },
  readdirSync: { paths: [0] },
  readlinkSync: { paths: [0] },
  renameSync: { paths: [0, 1], changes: true },
  rmSync: { paths: [0], changes: true },
  rmdirSync: { paths: [0], changes: true },
  statSync: { paths: [0] },
  statfsSync: { paths: [0] },
  symlinkSync: { paths: [1], changes: true },
  unlinkSync: { paths: [0], changes: true },
  utimesSync: { paths: [0], changes: true },
  writeFileSync: { paths: [0], changes: true },
};

// Windows has no such flag; there a link is told by lstat before.
const noFollow = constants.O_NOFOLLOW ?? 0;

const owners = new WeakMap<FileSystem, { readonly dir: string; readonly handles: boolean }>();

/**
 * Runs `use` with ports for which the paths in this store never lead through a link; all other paths are as they are.
 * @throws what `use` throws; CheckpointError `store-refused` where a folder of the store is a link or no folder
 */
export function inStore<T>(ports: Ports, store: StoreLayout, use: (ports: Ports) => T): T {
  // User state is nobody else's; it may well be reached over links of the person's own.
  if (store.standsFor !== undefined || owners.get(ports.fs)?.dir === store.dir) return use(ports);
  const held = new HeldStore(ports.fs, store.dir);
  try {
    return use({ ...ports, fs: held.calls });
  } finally {
    held.close();
  }
}

/** Whether these ports cannot be led through a link inside this store at all, so that looking for one is in vain. */
export function isHeld(ports: Ports, store: StoreLayout): boolean {
  const owner = owners.get(ports.fs);
  return owner !== undefined && owner.dir === store.dir && owner.handles;
}

/** Folders held open at once. */
const maxHeld = 16;
/** Folders below each other that are removed; deeper ones are no work of this product. */
const maxDepth = 64;

type Call = (...args: unknown[]) => unknown;

class HeldStore {
  readonly calls: FileSystem;
  readonly #fs: FileSystem;
  readonly #dir: string;
  readonly #handles: boolean;
  readonly #held = new Map<string, number>();

  constructor(fs: FileSystem, dir: string) {
    this.#fs = fs;
    this.#dir = dir;
    this.#handles = process.platform === 'linux' && hasHandles(fs);
    this.calls = this.#wrap();
    owners.set(this.calls, { dir, handles: this.#handles });
  }

  close(): void {
    for (const name of [...this.#held.keys()]) this.#release(name);
  }

  #wrap(): FileSystem {
    // Whatever takes no path (`readSync`, …) is inherited.
    const wrapped = Object.create(this.#fs) as FileSystem;
    for (const [name, { paths, changes }] of Object.entries(calls)) {
      const original = this.#fs[name as keyof FileSystem] as Call;
      const value = (...args: unknown[]): unknown => {
        const options = args[1] as { recursive?: boolean; force?: boolean; throwIfNoEntry?: boolean } | undefined;
        if (name === 'rmSync' && options?.recursive && this.#owns(args[0])) return this.#removeAll(args[0], 0);
        const named = paths.flatMap((i) => (this.#owns(args[i]) ? [{ i, file: args[i], at: '' }] : []));
        if (named.length === 0) return original(...args);
        try {
          // Listing a folder would follow its last name.
          if (name === 'readdirSync' && this.#handles) named[0]!.at = `/proc/self/fd/${this.#folder(named[0]!.file)}`;
          else for (const each of named) each.at = this.#at(each.file, changes === true);
        } catch (error) {
          const isFine = options?.throwIfNoEntry === false || (name === 'rmSync' && options?.force === true);
          if (isFine && errorCode(error) === 'ENOENT') return undefined;
          throw error;
        }
        try {
          const mapped = args.map((arg, i) => named.find((each) => each.i === i)?.at ?? arg);
          if (name === 'openSync' && typeof args[1] === 'number') mapped[1] = args[1] | noFollow;
          return original(...mapped);
        } catch (error) {
          throw namedAsGiven(error, named);
        } finally {
          // What is held by these names may be something else now.
          if (name === 'renameSync' || name === 'rmdirSync') named.forEach(({ file }) => this.#forget(file));
        }
      };
      Object.defineProperty(wrapped, name, { value });
    }
    return wrapped;
  }

  #owns(file: unknown): file is string {
    return typeof file === 'string' && (file === this.#dir || file.startsWith(this.#dir + path.sep));
  }

  /** The path by which a call reaches the file. */
  #at(file: string, changes: boolean): string {
    const dir = path.dirname(file);
    if (this.#handles) return `/proc/self/fd/${this.#folder(dir)}/${path.basename(file)}`;
    if (changes && this.#fs.realpathSync.native(dir) !== dir) throw refused(dir);
    return file;
  }

  #folder(dir: string): number {
    const known = this.#held.get(dir);
    if (known !== undefined) {
      this.#held.delete(dir);
      this.#held.set(dir, known);
      return known;
    }
    const from = this.#owns(dir) ? this.#at(dir, false) : dir;
    let fd: number;
    try {
      fd = this.#fs.openSync(from, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      if (['ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) throw refused(dir);
      throw namedAsGiven(error, [{ at: from, file: dir }]);
    }
    this.#held.set(dir, fd);
    if (this.#held.size > maxHeld) this.#release(this.#held.keys().next().value!);
    return fd;
  }

  #release(dir: string): void {
    const fd = this.#held.get(dir)!;
    this.#held.delete(dir);
    try {
      this.#fs.closeSync(fd);
    } catch {
      // What was done through it is done.
    }
  }

  #forget(file: string): void {
    for (const dir of [...this.#held.keys()]) {
      if (dir === file || dir.startsWith(file + path.sep)) this.#release(dir);
    }
  }

  /** As `rmSync` with `force` and `recursive`; that one goes by names, so a folder could turn into a link under it. */
  #removeAll(file: string, depth: number): void {
    const { lstatSync, readdirSync, unlinkSync, rmdirSync } = this.calls;
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isDirectory()) return unlinkSync(file);
    if (depth >= maxDepth) throw new Error(`${file} is nested too deeply to be removed`);
    for (const name of readdirSync(file)) this.#removeAll(path.join(file, name), depth + 1);
    rmdirSync(file);
  }
}

const refused = (dir: string) =>
  new CheckpointError(
    'store-refused',
    `${dir} is a link, or no folder. Checkpoints are only kept in a real folder: move it away, a new one is made.`,
  );

/** A message for people names the file, not how it was reached. */
function namedAsGiven(error: unknown, paths: readonly { at: string; file: string }[]): unknown {
  if (error instanceof Error) {
    for (const { at, file } of paths) error.message = error.message.replaceAll(at, file);
  }
  return error;
}

let handles: boolean | undefined;
/** In a sandbox `/proc` may be missing. */
export const hasHandles = (fs: FileSystem): boolean =>
  (handles ??= fs.lstatSync('/proc/self/fd', { throwIfNoEntry: false }) !== undefined);
