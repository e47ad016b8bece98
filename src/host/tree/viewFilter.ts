// What the person chose to see, and the words in the view that say so.
import * as vscode from 'vscode';
import type { ContextKeySetter } from '../contextKeys';
import { withoutLinks } from '../dialogs';
import { Disposer } from '../disposable';
import { parseSide } from '../preview/uri';
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
  /** The last active file of a root: going to a terminal or a log leaves it. */
  #file: { root: string; path: string } | undefined;

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
    if (!on) this.#file = undefined;
    this.#apply();
  }

  set session(choice: SessionChoice | undefined) {
    this.#session = choice;
    this.#apply();
  }

  clear(): void {
    this.#session = undefined;
    this.activeFileOnly = false;
  }

  #apply(): void {
    if (this.#followsEditor) this.#file = this.#activeFile() ?? this.#file;
    const file = this.#file ?? null;
    const choice: FilterChoice = {
      ...(this.#followsEditor && { file }),
      ...(this.#session && { agent: this.#session.agent }),
      ...(this.#session?.session !== undefined && { session: this.#session.session }),
    };
    this.keys.set('agentCheckpoints.activeFileOnly', this.#followsEditor);
    this.keys.set('agentCheckpoints.filtered', this.#followsEditor || this.#session !== undefined);
    this.view.message = withoutLinks(this.#message(file?.path) ?? '');
    const applied = JSON.stringify(choice);
    if (applied === this.#applied) return;
    this.#applied = applied;
    this.timeline.filter = turnFilter(choice);
  }

  /** Of the active editor; a preview of a file stands for the file. */
  #activeFile(): { root: string; path: string } | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const side = uri && parseSide(uri);
    if (side?.type === 'stored') {
      const root = this.roots.byHash(side.root);
      return root && { root: root.path, path: side.path };
    }
    const located = uri && this.roots.locate(uri);
    return located && { root: located.root.path, path: located.path };
  }

  #message(path: string | undefined): string | undefined {
    const parts = [
      this.#followsEditor && (path === undefined ? 'the active file (none of this folder is open)' : path),
      this.#session && (this.#session.title ? `“${oneLine(this.#session.title, 60)}”` : agentName(this.#session.agent)),
    ].filter(Boolean);
    return parts.length > 0 ? `Only ${parts.join(', ')}` : undefined;
  }
}
