// Files that are about to take their places are first written beside them and made durable, all of a batch together:
// one flush of the file system costs little more than that of one file, and what is renamed afterwards has no bytes
// left to wait for.
import { CheckpointError } from '../errors';
import type { FileState } from '../store/meta';
import { flushAt } from './flushWritten';
import type { Folders } from './folder';
import type { Item } from './guard';
import { createFile, isHeld, removeQuietly, type Created } from './newFile';
import { withPath } from './report';
import { takesPlace, type PathChange } from './setPath';

/** Files of a batch: bounds what is on the disk twice, and how long nothing seems to happen. */
const maxFiles = 1000;
/** Bytes of a batch. */
const maxBytes = 256 * 1024 * 1024;
/** From so many on, one flush of all is cheaper than one of each. */
const flushTogether = 16;

export class Staging {
  readonly #made = new Map<Item, Created>();

  constructor(
    readonly folders: Folders,
    readonly changeOf: (item: Item) => PathChange,
  ) {}

  /** What was made for an item; from now on it is the caller's. */
  take(item: Item): Created | undefined {
    const made = this.#made.get(item);
    this.#made.delete(item);
    return made;
  }

  /**
   * Durable on return. What cannot be made beside its place is passed over: it has its own way.
   * @throws the system's error where the disk takes no more
   */
  stage(items: readonly Item[]): void {
    const { ports, root } = this.folders;
    const files = items.filter((item) => takesPlace(this.changeOf(item)));
    // What is mounted below the root is on another file system, and is flushed by itself.
    const together =
      files.length >= flushTogether && ports.flushFileSystem
        ? ports.fs.lstatSync(root, { bigint: true }).dev
        : undefined;
    for (const item of files) {
      const made = this.#make(item, ({ dev }) => dev !== together);
      if (made) this.#made.set(item, made);
    }
    if (together === undefined || ports.flushFileSystem?.(root)) return;
    for (const [item, { dev }] of this.#made) {
      if (dev === together) this.#each(item, (at) => flushAt(ports.fs, at));
    }
  }

  /** Removes what was made and not taken. */
  discard(): void {
    for (const item of this.#made.keys()) {
      try {
        this.#each(item, (at) => removeQuietly(this.folders.ports.fs, at));
      } catch {
        // Its folder is gone; if not, the next start removes it.
      }
    }
    this.#made.clear();
  }

  #make(item: Item, isFlushed: (created: Created) => boolean): Created | undefined {
    const change = this.changeOf(item);
    const { mode } = change.to as FileState;
    try {
      return this.#each(item, (at) => createFile(this.folders.ports.fs, at, change.bytes(), mode, isFlushed));
    } catch (error) {
      if (CheckpointError.is(error) || isHeld(error)) return undefined;
      throw withPath(change.path, error);
    }
  }

  #each<T>(item: Item, work: (at: string | Buffer) => T): T | undefined {
    const { path, rules, temporary } = this.changeOf(item);
    const walk = this.folders.near(path, rules);
    return walk.type === 'folder' ? work(walk.folder.at(temporary)) : undefined;
  }
}

/**
 * Items in batches, in their order. What comes before the first file is one of its own: a file can be made only where
 * its folder is.
 */
export function* batches(items: readonly Item[]): Generator<readonly Item[]> {
  const first = items.findIndex(({ step }) => step.result.type === 'file');
  if (first > 0) yield items.slice(0, first);
  let [batch, bytes]: [Item[], number] = [[], 0];
  for (const item of first < 0 ? items : items.slice(first)) {
    const size = item.step.result.type === 'file' ? item.step.result.size : 0;
    if (batch.length === maxFiles || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
