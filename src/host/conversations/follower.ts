// Takes what agents wrote into their own transcripts over into our chains: when the window is idle, or a turn ended.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { setting } from '../contributions';
import { debounce, Disposer } from '../disposable';
import type { Log } from '../log';
import { onDemand } from '../onDemand';
import type { Timeline } from '../timeline/timeline';
import type { WorkspaceRoots } from '../workspaceRoots';
import type { Known } from './following';

/** An agent may still be writing when its checkpoint is there. */
const settleMs = 1500;
const pollMs = 15_000;

export class ConversationFollower extends Disposer {
  readonly #known = new Map<string, Known>();
  readonly #soon = this.own(debounce(settleMs, () => void this.follow()));
  #running = false;

  /** @param added called when chains have grown */
  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    timeline: Timeline,
    private readonly added: () => void,
    private readonly log: Log,
  ) {
    super();
    this.own(timeline.onDidChange(() => this.#soon()));
    const timer = setInterval(() => vscode.window.state.focused && void this.follow(), pollMs);
    this.own({ dispose: () => clearInterval(timer) });
  }

  async follow(): Promise<void> {
    if (this.#running || this.isDisposed || !isOn()) return;
    this.#running = true;
    try {
      const added = await onDemand().followAll({
        ports: this.ports,
        stores: this.roots.all.filter(({ prefix }) => prefix === '').map(({ stores }) => stores),
        places: { env: process.env, home: process.env['HOME'] || homedir() },
        known: this.#known,
        isOver: () => this.isDisposed,
        failed: (file, error) => this.log.error('conversations', file, error),
      });
      if (added) this.added();
    } catch (error) {
      this.log.error('conversations', 'Following', error);
    } finally {
      this.#running = false;
    }
  }
}

const isOn = () =>
  vscode.workspace.isTrusted &&
  setting(vscode.workspace, 'agentCheckpoints.enabled') &&
  setting(vscode.workspace, 'agentCheckpoints.conversations.enabled');
