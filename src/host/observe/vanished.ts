// A store that something deleted (`git clean -fdx`, a repository that was cloned anew) has a twin in user state: the person
// is told once, and can put it back.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { putBackVanished, vanished } from '../../core/store/twin';
import type { Dialogs } from '../dialogs';
import { Disposer } from '../disposable';
import { messageOf, type Log } from '../log';
import type { Timeline } from '../timeline/timeline';
import { counted } from '../timeline/words';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { StoreWatcher } from './storeWatcher';

const memoryKey = 'vanishedTold';
/** ms after which it is looked at again: what is removed on purpose is forgotten by its twin a moment later. */
const settleMs = 1000;

/** “3 checkpoints were deleted” */
export const wereDeleted = (count: number): string =>
  `${counted(count, 'checkpoint')} ${count === 1 ? 'was' : 'were'} deleted`;

export class Vanished extends Disposer {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly timeline: Timeline,
    watcher: StoreWatcher,
    private readonly dialogs: Dialogs,
    private readonly memory: vscode.Memento,
    private readonly log: Log,
  ) {
    super();
    this.own(watcher.onDidChange((root) => this.#soon(root)));
    this.own({ dispose: () => this.#timers.forEach(clearTimeout) });
  }

  checkAll(): void {
    for (const root of this.roots.all) this.#check(root);
  }

  /** How many checkpoints of the root can be put back. */
  countOf(root: HostRoot): number {
    return vscode.workspace.isTrusted ? vanished(this.ports, root.stores).length : 0;
  }

  async putBack(roots: readonly HostRoot[]): Promise<void> {
    let count = 0;
    try {
      for (const root of roots) count += putBackVanished(this.ports, root.stores);
      this.log.info('store', `${count} checkpoints were put back.`);
      await this.dialogs.tell('info', `${counted(count, 'checkpoint')} put back.`);
    } catch (error) {
      this.log.error('store', 'Checkpoints could not be put back', error);
      await this.dialogs.tell('error', `The checkpoints could not be put back: ${messageOf(error)}`);
    } finally {
      this.timeline.refreshAll();
    }
  }

  #soon(root: HostRoot): void {
    clearTimeout(this.#timers.get(root.path));
    this.#timers.set(
      root.path,
      setTimeout(() => this.#check(root), settleMs),
    );
  }

  #check(root: HostRoot): void {
    if (this.isDisposed || !vscode.workspace.isTrusted) return;
    const ids = vanished(this.ports, root.stores);
    const [newest] = ids;
    const told = this.memory.get<Record<string, string>>(memoryKey) ?? {};
    if (newest === undefined || told[root.hash] === newest) return;
    void this.memory.update(memoryKey, { ...told, [root.hash]: newest });
    const text = `${root.name}: ${wereDeleted(ids.length)} from the folder, but a second copy is still there.`;
    void this.dialogs.tell('warning', text, ['Put Back']).then((action) => action && this.putBack([root]));
  }
}
