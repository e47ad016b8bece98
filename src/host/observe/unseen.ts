// How many turns came since the person last looked at the view: the badge and the status bar.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { listIds, listPage } from '../../core/store/reader';
import { Disposer } from '../disposable';
import type { Timeline } from '../timeline/timeline';
import { groupTurns, isPending } from '../timeline/turns';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { StoreWatcher } from './storeWatcher';

const memoryKey = 'lastSeenCheckpoint';
/** What is counted at most. */
const readAtMost = 200;
/** A call that began longer ago has probably no end any more. */
const activeMs = 5 * 60_000;

export interface Activity {
  readonly unseenTurns: number;
  readonly hasCheckpoints: boolean;
  /** An agent is at work on a file now. */
  readonly isActive: boolean;
}

export class Unseen extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<Activity>());
  readonly onDidChange = this.#changed.event;
  readonly #counts = new Map<string, Activity>();
  #looking = false;

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly timeline: Timeline,
    watcher: StoreWatcher,
    private readonly memory: vscode.Memento,
  ) {
    super();
    this.own(watcher.onDidChange((root) => this.#count(root)));
    this.own(roots.onDidChange(() => this.countAll()));
  }

  /** The view is visible: what is there is seen. */
  set looking(on: boolean) {
    this.#looking = on;
    if (on) this.countAll();
  }

  countAll(): void {
    this.#counts.clear();
    for (const root of this.roots.all) this.#count(root, false);
    this.#changed.fire(this.activity);
  }

  get activity(): Activity {
    const all = [...this.#counts.values()];
    return {
      unseenTurns: all.reduce((sum, each) => sum + each.unseenTurns, 0),
      hasCheckpoints: all.some((each) => each.hasCheckpoints),
      isActive: all.some((each) => each.isActive),
    };
  }

  #count(root: HostRoot, fire = true): void {
    this.#counts.set(root.path, this.#countRoot(root));
    if (fire) this.#changed.fire(this.activity);
  }

  #countRoot(root: HostRoot): Activity {
    const [newest] = listIds(this.ports, root.stores);
    const seen = this.memory.get<Record<string, string>>(memoryKey) ?? {};
    // What was there before this window first came here is not news.
    const since = this.#looking ? undefined : seen[root.hash];
    if (since === undefined && seen[root.hash] !== (newest?.id ?? '')) {
      void this.memory.update(memoryKey, { ...seen, [root.hash]: newest?.id ?? '' });
    }
    if (!newest) return { unseenTurns: 0, hasCheckpoints: false, isActive: false };
    const unseen = since === undefined ? [] : this.#newer(root, since);
    const turns = groupTurns(unseen, root.prefix).filter(({ kind }) => kind === 'turn');
    const last = turns[0] ?? (this.timeline.isLoaded(root) ? this.timeline.get(root).turns[0] : undefined);
    const isActive =
      last?.kind === 'turn' &&
      isPending(last) &&
      this.ports.now() - Date.parse(last.checkpoints.at(-1)!.createdAt) < activeMs;
    return { unseenTurns: turns.length, hasCheckpoints: true, isActive };
  }

  #newer(root: HostRoot, since: string) {
    const ids = listIds(this.ports, root.stores).slice(0, readAtMost);
    const count = ids.filter(({ id }) => id > since).length;
    return count === 0 ? [] : listPage(this.ports, root.stores, { limit: count }).checkpoints;
  }
}
