// All Conversation panels: one for each conversation; they come back after a reload.
import * as vscode from 'vscode';
import { isConversationName, type ConversationName } from '../../core/conversation/names';
import type { Ports } from '../../core/ports';
import type { CheckpointId } from '../../core/store/ids';
import { conversationPanelType } from '../contributions';
import { ConversationSource } from '../conversations/source';
import type { ConversationTarget } from '../conversations/target';
import { Disposer } from '../disposable';
import type { Log } from '../log';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { PanelActions } from './actions';
import { ConversationPanel } from './panel';

export class ConversationPanels extends Disposer implements vscode.WebviewPanelSerializer {
  readonly #open = new Map<string, ConversationPanel>();

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly actions: PanelActions,
    private readonly extensionUri: vscode.Uri,
    private readonly log: Log,
  ) {
    super();
    this.own(vscode.window.registerWebviewPanelSerializer(conversationPanelType, this));
    this.own({ dispose: () => this.#open.forEach((panel) => panel.dispose()) });
  }

  /** What the panel shows that is in front, if one is, and which of its checkpoints is selected. */
  get active(): ConversationTarget | undefined {
    const found = [...this.#open.values()].find(({ panel }) => panel.active);
    if (found === undefined) return undefined;
    const { root, name } = found.source;
    return { conversation: name, root: root.hash, at: found.selected };
  }

  /** @param files the checkpoint to select is the one whose calls made one of these */
  open(root: HostRoot, name: ConversationName, files: readonly CheckpointId[] = []): void {
    const known = this.#open.get(keyOf(root.hash, name));
    if (known !== undefined) return known.reveal(files);
    const options = { enableScripts: true, enableFindWidget: false };
    const panel = vscode.window.createWebviewPanel(conversationPanelType, name, vscode.ViewColumn.Active, options);
    this.#fill(panel, root, name).reveal(files);
  }

  /** After a reload. Where it is from is in its own state: checked like everything that a page says. */
  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { root: hash, name } = (state ?? {}) as Record<string, unknown>;
    const root = typeof hash === 'string' ? this.roots.byHash(hash) : undefined;
    if (root === undefined || !isConversationName(name) || this.#open.has(keyOf(root.hash, name)))
      return panel.dispose();
    this.#fill(panel, root, name);
  }

  #fill(panel: vscode.WebviewPanel, root: HostRoot, name: ConversationName): ConversationPanel {
    const source = new ConversationSource(this.ports, root, name);
    const made = new ConversationPanel(this.ports, panel, source, this.actions, this.extensionUri, this.log);
    const key = keyOf(root.hash, name);
    this.#open.set(key, made);
    panel.onDidDispose(() => this.#open.delete(key));
    return made;
  }
}

const keyOf = (hash: string, name: string) => `${hash}/${name}`;
