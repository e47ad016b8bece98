// The Conversations view: all conversations of all agents, newest first.
import * as vscode from 'vscode';
import type { Chain } from '../../core/conversation/chain';
import { findConversations } from '../../core/conversation/conversations';
import type { ConversationName } from '../../core/conversation/names';
import { addedMessages, labelOf } from '../../core/conversation/shown';
import type { Ports } from '../../core/ports';
import type { ContextKeySetter } from '../contextKeys';
import { conversationsView } from '../contributions';
import { Disposer } from '../disposable';
import { messageOf } from '../log';
import { agentName, relativeTime } from '../timeline/words';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';

export interface ConversationRow {
  readonly root: HostRoot;
  readonly name: ConversationName;
  readonly title: string;
  /** Empty where it is not known. */
  readonly agent: string;
  /** ms since the epoch. */
  readonly changedAt: number;
  readonly size: number;
}

export const isConversationRow = (value: unknown): value is ConversationRow =>
  typeof value === 'object' && value !== null && 'name' in value && 'root' in value && 'changedAt' in value;

/** What is read of a conversation for its title; bytes. */
const beginning = 64 * 2 ** 10;
/** Rows; older ones are found by the filter. */
const maxRows = 1000;

const icons: Readonly<Record<string, string>> = {
  vscode: 'copilot',
  'copilot-cli': 'copilot',
  'claude-code': 'sparkle',
};

export class ConversationTree extends Disposer implements vscode.TreeDataProvider<ConversationRow> {
  readonly #changed = this.own(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ConversationRow>;
  readonly #titles = new Map<string, Pick<ConversationRow, 'title' | 'agent'>>();
  #filter = '';

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly contextKeys: ContextKeySetter,
  ) {
    super();
    this.#view = this.own(vscode.window.createTreeView(conversationsView, { treeDataProvider: this }));
    this.own(roots.onDidChange(() => this.refresh()));
    this.own(this.#view.onDidChangeVisibility(({ visible }) => visible && this.refresh()));
  }

  get filter(): string {
    return this.#filter;
  }

  set filter(text: string) {
    this.#filter = text;
    this.contextKeys.set('agentCheckpoints.conversationsFiltered', text !== '');
    this.#view.description = text === '' ? '' : `“${text}”`;
    this.refresh();
  }

  refresh(): void {
    if (!this.isDisposed) this.#changed.fire(undefined);
  }

  /** All, newest first. A store that is refused has none; its row says why elsewhere. */
  all(): ConversationRow[] {
    const rows = this.roots.all.flatMap((root) => {
      try {
        return findConversations(this.ports, root.stores).map(({ chain, changedAt, size }) => ({
          root,
          chain,
          changedAt,
          size,
        }));
      } catch {
        return [];
      }
    });
    return rows
      .sort((a, b) => b.changedAt - a.changedAt)
      .slice(0, maxRows)
      .map(({ root, chain, changedAt, size }) => ({
        root,
        name: chain.name,
        changedAt,
        size,
        ...this.#told(chain, changedAt),
      }));
  }

  getChildren(element?: ConversationRow): ConversationRow[] {
    if (element !== undefined) return [];
    const wanted = this.#filter.toLowerCase();
    return this.all().filter(({ title, name, agent }) =>
      [title, name, agentName(agent)].some((text) => text.toLowerCase().includes(wanted)),
    );
  }

  getTreeItem(row: ConversationRow): vscode.TreeItem {
    const item = new vscode.TreeItem(row.title);
    const who = row.agent === '' ? '' : agentName(row.agent);
    const when = relativeTime(row.changedAt, this.ports.now());
    item.id = `${row.root.hash}/${row.name}`;
    item.description = [who, when].filter((text) => text !== '').join(' · ');
    item.iconPath = new vscode.ThemeIcon(icons[row.agent] ?? 'comment-discussion');
    item.contextValue = 'conversation';
    item.tooltip = `${row.title}\n${[who, row.name, new Date(row.changedAt).toLocaleString()].filter(Boolean).join('\n')}`;
    item.accessibilityInformation = { label: [row.title, who, when].filter(Boolean).join(', ') };
    item.command = { command: 'agentCheckpoints.openConversation', title: '', arguments: [row] };
    return item;
  }

  /** From the beginning of the file; kept until it changes. */
  #told(chain: Chain, changedAt: number): Pick<ConversationRow, 'title' | 'agent'> {
    const key = `${chain.file}\n${changedAt}`;
    let told = this.#titles.get(key);
    if (told === undefined) {
      told = this.#read(chain);
      if (this.#titles.size > 2 * maxRows) this.#titles.clear();
      this.#titles.set(key, told);
    }
    return told;
  }

  #read(chain: Chain): Pick<ConversationRow, 'title' | 'agent'> {
    try {
      chain.refresh(beginning);
      const node = chain.nodes.find((each) => each.lastUser >= 0) ?? chain.nodes[0];
      if (node === undefined) return { title: chain.name, agent: '' };
      const messages = addedMessages(chain.record(node.id), node, undefined);
      return { title: labelOf(messages, node.kind, undefined).text, agent: node.source?.agent ?? '' };
    } catch (error) {
      return { title: `${chain.name} (${messageOf(error)})`, agent: '' };
    }
  }
}
