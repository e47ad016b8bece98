// Notices what hooks in other processes write to the stores, within a second.
import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { StoreLayout } from '../../core/store/layout';
import { debounce, Disposer } from '../disposable';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';

/** Many checkpoints may appear in one go. */
const settleMs = 80;
/** The events of a file system can fail to come (network mounts, watch limits): while the view is visible it is asked too. */
const pollMs = 1000;

/**
 * The folders whose own entries change when a checkpoint appears, is closed or goes. A folder that does not exist yet
 * is noticed in its parent.
 */
const foldersOf = (store: StoreLayout): string[] => [
  path.dirname(store.dir),
  store.dir,
  store.checkpoints,
  store.index,
  path.join(store.index, 'open'),
];

export class StoreWatcher extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<HostRoot>());
  readonly onDidChange = this.#changed.event;
  #watched: RootWatch[] = [];
  #poll: NodeJS.Timeout | undefined;

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
  ) {
    super();
    this.own(roots.onDidChange(() => this.start()));
    this.own({ dispose: () => this.#stop() });
  }

  start(): void {
    this.#stop();
    if (this.isDisposed) return;
    this.#watched = this.roots.all.map((root) => new RootWatch(this.ports, root, () => this.#changed.fire(root)));
  }

  /** Asks the file system too, once a second, while somebody looks. */
  set polling(on: boolean) {
    clearInterval(this.#poll);
    this.#poll = undefined;
    if (on && !this.isDisposed) {
      this.check();
      this.#poll = setInterval(() => this.check(), pollMs);
    }
  }

  check(): void {
    for (const watched of this.#watched) watched.check();
  }

  #stop(): void {
    for (const watched of this.#watched) watched.dispose();
    this.#watched = [];
    clearInterval(this.#poll);
  }
}

class RootWatch extends Disposer {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #folders: readonly string[];
  readonly #noticed = this.own(debounce(settleMs, () => this.check()));
  #state: string;

  constructor(
    private readonly ports: Ports,
    root: HostRoot,
    private readonly fire: () => void,
  ) {
    super();
    this.#folders = [...foldersOf(root.stores.primary), ...foldersOf(root.stores.fallback)];
    this.#arm();
    this.#state = this.#look();
    this.own({ dispose: () => this.#watchers.forEach((watcher) => watcher.close()) });
  }

  /** Fires if a folder is not as it was at the last look. */
  check(): void {
    if (this.isDisposed) return;
    this.#arm();
    const state = this.#look();
    if (state === this.#state) return;
    this.#state = state;
    this.fire();
  }

  /** Inode and change time of each store folder; the folders around a store change for other reasons too. */
  #look(): string {
    return this.#folders
      .filter((_, i) => i % 5 !== 0)
      .map((folder) => this.#stamp(folder))
      .join();
  }

  #stamp(folder: string): string {
    try {
      const { ino, mtimeMs } = this.ports.fs.statSync(folder);
      return `${ino}:${mtimeMs}`;
    } catch {
      return '';
    }
  }

  #arm(): void {
    for (const folder of this.#folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        // No symlink is followed to a place outside: a store folder that is one is refused when it is read.
        if (!this.ports.fs.lstatSync(folder).isDirectory()) continue;
        const watcher = watch(folder, { persistent: false });
        const forget = () => {
          watcher.close();
          if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder);
        };
        watcher.on('change', (type) => {
          // A folder that is moved or removed reports itself, and is watched anew where it comes back.
          if (type === 'rename' && !this.#exists(folder)) forget();
          this.#noticed();
        });
        watcher.on('error', forget);
        this.#watchers.set(folder, watcher);
      } catch {
        // Not there yet, or no more watches: its parent or the poll tells.
      }
    }
  }

  #exists(folder: string): boolean {
    return this.ports.fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  }
}
