// What the stores of this window hold, page by page, kept up to date.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { listIds, type Damaged } from '../../core/store/reader';
import { Disposer } from '../disposable';
import type { StoreWatcher } from '../observe/storeWatcher';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { TurnFilter } from './filter';
import { CheckpointCache } from './checkpointCache';
import { groupTurns, isPending, newestOf, type Turn } from './turns';

export const turnsPerPage = 50;
/** How many checkpoints are read at most to fill a page: a filter may match few. */
const readAtMost = 2000;
const readAtOnce = 100;

export interface RootTimeline {
  /** Newest first. */
  readonly turns: readonly Turn[];
  readonly damaged: readonly Damaged[];
  /** There is more behind the last turn. */
  readonly more: boolean;
}

export interface TimelineChange {
  readonly root: HostRoot;
  /** Keys of the turns that look different; undefined where rows came or went. */
  readonly keys: readonly string[] | undefined;
}

export class Timeline extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<TimelineChange>());
  readonly onDidChange = this.#changed.event;
  readonly #loaded = new Map<string, RootTimeline>();
  readonly #limits = new Map<string, number>();
  readonly #caches = new Map<string, CheckpointCache>();
  #filter: TurnFilter = { isActive: false, apply: (turns) => turns };

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    watcher: StoreWatcher,
  ) {
    super();
    this.own(watcher.onDidChange((root) => this.refresh(root)));
    this.own(
      roots.onDidChange(() => {
        this.#loaded.clear();
        for (const root of roots.all) this.#changed.fire({ root, keys: undefined });
      }),
    );
  }

  get(root: HostRoot): RootTimeline {
    const known = this.#loaded.get(root.path);
    if (known) return known;
    const loaded = this.#load(root);
    this.#loaded.set(root.path, loaded);
    return loaded;
  }

  isLoaded(root: HostRoot): boolean {
    return this.#loaded.has(root.path);
  }

  isEmpty(root: HostRoot): boolean {
    const { turns, damaged } = this.get(root);
    return turns.length === 0 && damaged.length === 0;
  }

  /** Whether the root has any checkpoint; reads names only. */
  hasAny(root: HostRoot): boolean {
    try {
      return listIds(this.ports, root.stores).length > 0;
    } catch {
      return false;
    }
  }

  set filter(filter: TurnFilter) {
    this.#filter = filter;
    this.#limits.clear();
    this.#loaded.clear();
    for (const root of this.roots.all) this.#changed.fire({ root, keys: undefined });
  }

  get filter(): TurnFilter {
    return this.#filter;
  }

  loadMore(root: HostRoot): void {
    this.#limits.set(root.path, this.#limit(root) + turnsPerPage);
    this.refresh(root);
  }

  refreshAll(): void {
    for (const root of this.roots.all) this.refresh(root);
  }

  /** Reads again what is shown of the root and tells what is different. */
  refresh(root: HostRoot): void {
    const before = this.#loaded.get(root.path);
    if (!before) {
      // Nobody has looked yet: nothing is read now.
      this.#changed.fire({ root, keys: undefined });
      return;
    }
    const after = this.#load(root);
    this.#loaded.set(root.path, after);
    const keys = changedKeys(before, after);
    if (keys === undefined || keys.length > 0) this.#changed.fire({ root, keys });
  }

  #limit(root: HostRoot): number {
    return this.#limits.get(root.path) ?? turnsPerPage;
  }

  #load(root: HostRoot): RootTimeline {
    const limit = this.#limit(root);
    const reading = this.#cache(root).read();
    let turns: readonly Turn[] = [];
    do {
      reading.next(readAtOnce);
      turns = this.#filter.apply(groupTurns(reading.checkpoints, root.prefix), root);
      // One turn more than wanted: the last one shown is then likely to be whole.
    } while (turns.length <= limit && !reading.atEnd && reading.checkpoints.length < readAtMost + limit * 20);
    return {
      turns: turns.slice(0, limit),
      damaged: this.#filter.isActive ? [] : reading.damaged,
      more: !reading.atEnd || turns.length > limit,
    };
  }

  #cache(root: HostRoot): CheckpointCache {
    let cache = this.#caches.get(root.path);
    if (!cache) this.#caches.set(root.path, (cache = new CheckpointCache(this.ports, root.stores)));
    return cache;
  }
}

function changedKeys(before: RootTimeline, after: RootTimeline): string[] | undefined {
  const rows = ({ turns, damaged, more }: RootTimeline) => JSON.stringify([turns.map(({ key }) => key), damaged, more]);
  if (rows(before) !== rows(after)) return undefined;
  return after.turns.filter((turn, i) => signature(turn) !== signature(before.turns[i]!)).map(({ key }) => key);
}

/** Everything that a turn's rows depend on. */
function signature(turn: Turn): string {
  return JSON.stringify([
    newestOf(turn).prompt,
    isPending(turn),
    turn.checkpoints.map(({ id, status, pinned, foreign }) => [id, status, pinned, foreign]),
    turn.files.map(({ path, edits }) => [path, edits.map((edit) => [edit.takenBack, edit.entry])]),
  ]);
}
