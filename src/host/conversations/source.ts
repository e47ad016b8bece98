// A chain that is read in slices, so that the editor stays alive, and read on when it grows.
import * as vscode from 'vscode';
import { chainOf, type Chain } from '../../core/conversation/chain';
import type { ConversationName } from '../../core/conversation/names';
import type { Ports } from '../../core/ports';
import { Disposer } from '../disposable';
import { messageOf } from '../log';
import type { HostRoot } from '../workspaceRoots';

/** Bytes that are read before the editor gets its turn. */
const slice = 2 * 2 ** 20;

export class ConversationSource extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly chain: Chain;
  /** Read to its end at least once. */
  isDone = false;
  problem: string | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(
    private readonly ports: Ports,
    readonly root: HostRoot,
    readonly name: ConversationName,
  ) {
    super();
    this.chain = chainOf(ports, root.stores, name);
  }

  /** In percent of the file. */
  get percent(): number {
    try {
      const { size } = this.ports.fs.statSync(this.chain.file);
      return size === 0 ? 100 : Math.min(100, Math.floor((100 * this.chain.index.bytesRead) / size));
    } catch {
      return 100;
    }
  }

  /** Reads what came since; resolves when all is read. */
  refresh(): Promise<void> {
    if (this.#running !== undefined) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#read().finally(() => {
      this.#running = undefined;
      if (this.#again && !this.isDisposed) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#running;
  }

  async #read(): Promise<void> {
    for (;;) {
      if (this.isDisposed) return;
      try {
        const done = this.chain.refresh(slice);
        this.problem = undefined;
        if (done) {
          this.isDone = true;
          this.#changed.fire();
          return;
        }
      } catch (error) {
        this.problem = messageOf(error);
        this.isDone = true;
        this.#changed.fire();
        return;
      }
      this.#changed.fire();
      await new Promise(setImmediate);
    }
  }
}
