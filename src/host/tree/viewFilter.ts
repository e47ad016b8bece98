// What the person chose to see, and the words in the view that say so.
import * as vscode from 'vscode';
import type { ContextKeySetter } from '../contextKeys';
import { Disposer } from '../disposable';
import { turnFilter, type FilterChoice } from '../timeline/filter';
import type { Timeline } from '../timeline/timeline';
import { agentName, oneLine } from '../timeline/words';
import type { WorkspaceRoots } from '../workspaceRoots';
import type { Node } from './nodes';

export interface SessionChoice {
  readonly agent: string;
  readonly session?: string;
  /** How the session is called in the quick pick. */
  readonly title?: string;
}

export class ViewFilter extends Disposer {
  #followsEditor = false;
  #session: SessionChoice | undefined;
  #applied = '{}';

  constructor(
    private readonly timeline: Timeline,
    private readonly roots: WorkspaceRoots,
    private readonly view: vscode.TreeView<Node>,
    private readonly keys: ContextKeySetter,
  ) {
    super();
    this.own(vscode.window.onDidChangeActiveTextEditor(() => this.#followsEditor && this.#apply()));
  }

  set activeFileOnly(on: boolean) {
    this.#followsEditor = on;
    this.#apply();
  }

  set session(choice: SessionChoice | undefined) {
    this.#session = choice;
    this.#apply();
  }

  clear(): void {
    this.#followsEditor = false;
    this.#session = undefined;
    this.#apply();
  }

  #apply(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const located = this.#followsEditor && uri ? this.roots.locate(uri) : undefined;
    const file = located ? { root: located.root.path, path: located.path } : null;
    const choice: FilterChoice = {
      ...(this.#followsEditor && { file }),
      ...(this.#session && { agent: this.#session.agent }),
      ...(this.#session?.session !== undefined && { session: this.#session.session }),
    };
    this.keys.set('agentCheckpoints.activeFileOnly', this.#followsEditor);
    this.keys.set('agentCheckpoints.filtered', this.#followsEditor || this.#session !== undefined);
    this.view.message = this.#message(located?.path) ?? '';
    const applied = JSON.stringify(choice);
    if (applied === this.#applied) return;
    this.#applied = applied;
    this.timeline.filter = turnFilter(choice);
  }

  #message(path: string | undefined): string | undefined {
    const parts = [
      this.#followsEditor && (path === undefined ? 'the active file (none of this folder is open)' : path),
      this.#session && (this.#session.title ? `“${oneLine(this.#session.title, 60)}”` : agentName(this.#session.agent)),
    ].filter(Boolean);
    return parts.length > 0 ? `Only ${parts.join(', ')}` : undefined;
  }
}
