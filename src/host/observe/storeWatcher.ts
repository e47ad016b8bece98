// Notices what hooks in other processes write to the stores, within a second.
import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { StoreLayout } from '../../core/store/layout';
import { Disposer } from '../disposable';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';

/** Many checkpoints may appear in one go. */
const collectMs = 80;
/** The events of a file system can fail to come (network mounts, watch limits): it is asked too, often while somebody looks. */
const pollMs = { visible: 1000, hidden: 15_000 };

/** The folders whose entries change when a checkpoint appears, is closed or goes. */
const foldersOf = (store: StoreLayout): string[] => [
  store.dir,
  store.checkpoints,
  store.conversations,
  store.index,
  path.join(store.index, 'open'),
];

export class StoreWatcher extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<HostRoot>());
  readonly onDidChange = this.#changed.event;
  #watched: RootWatch[] = [];
  #poll: NodeJS.Timeout | undefined;
  #visible = false;

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
    this.#startPoll();
  }

  /** Whether somebody looks at the view. */
  set isVisible(visible: boolean) {
    this.#visible = visible;
    if (visible) this.check();
    this.#startPoll();
  }

  #startPoll(): void {
    clearInterval(this.#poll);
    if (this.isDisposed) return;
    this.#poll = setInterval(() => this.check(), this.#visible ? pollMs.visible : pollMs.hidden);
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
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  /** In them a store appears or goes; they change for other reasons too. */
  readonly #around: readonly string[];
  readonly #folders: readonly string[];
  #state: string;
  #timer: NodeJS.Timeout | undefined;
  /** The store itself reported something: times of folders are too coarse to tell two changes apart. */
  #told = false;

  constructor(
    private readonly ports: Ports,
    root: HostRoot,
    private readonly fire: () => void,
  ) {
    super();
    const stores = [root.stores.primary, root.stores.fallback];
    this.#around = stores.map(({ dir }) => path.dirname(dir));
    this.#folders = stores.flatMap(foldersOf);
    this.#arm();
    this.#state = this.#look();
    this.own({ dispose: () => clearTimeout(this.#timer) });
    this.own({ dispose: () => this.#watchers.forEach(({ watcher }) => watcher.close()) });
  }

  /** Fires if a folder is not as it was at the last look, or has reported something since. */
  check(): void {
    if (this.isDisposed) return;
    this.#arm();
    const state = this.#look();
    if (state === this.#state && !this.#told) return;
    this.#state = state;
    this.#told = false;
    this.fire();
  }

  #noticed(isStore: boolean): void {
    this.#told ||= isStore;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.check();
    }, collectMs);
  }

  /** Inode and change time of each store folder. */
  #look(): string {
    return this.#folders.map((folder) => this.#stamp(folder)).join();
  }

  #stamp(folder: string): string {
    try {
      const { ino, mtimeMs } = this.ports.fs.lstatSync(folder);
      return `${ino}:${mtimeMs}`;
    } catch {
      return '';
    }
  }

  /** Watches what is there and not watched yet. A folder that was removed and made again is another one. */
  #arm(): void {
    for (const folder of [...this.#around, ...this.#folders]) {
      const identity = this.#identify(folder);
      if (this.#watchers.get(folder)?.identity === identity) continue;
      this.#forget(folder);
      if (identity !== undefined) this.#watch(folder, identity);
    }
  }

  /** Undefined where there is no folder. Inodes are used again at once, so the time of birth belongs to it. */
  #identify(folder: string): string | undefined {
    try {
      const found = this.ports.fs.lstatSync(folder);
      // No symlink is followed to a place outside: a store folder that is one is refused when it is read.
      return found.isDirectory() ? `${found.ino}:${found.birthtimeMs}` : undefined;
    } catch {
      return undefined;
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }

  #watch(folder: string, identity: string): void {
    try {
      const watcher = watch(folder, { persistent: false });
      const isStore = this.#folders.includes(folder);
      watcher.on('change', (type, name) => {
        // The folder itself went.
        if (type === 'rename' && name === path.basename(folder)) this.#forget(folder);
        this.#noticed(isStore);
      });
      watcher.on('error', () => {
        this.#forget(folder);
        this.#noticed(isStore);
      });
      this.#watchers.set(folder, { watcher, identity });
    } catch {
      // Gone again, or no more watches: the poll tells.
    }
  }
}
