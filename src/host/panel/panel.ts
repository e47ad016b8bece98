// One Conversation panel: a webview in the editor area, and what it is told.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { CheckpointId } from '../../core/store/ids';
import { fromPanel, type FromPanel, type ToPanel } from '../../protocol/conversation';
import type { ConversationSource } from '../conversations/source';
import { Disposer } from '../disposable';
import { messageOf, type Log } from '../log';
import type { PanelActions } from './actions';
import { PanelFeed } from './feed';
import { panelHtml, panelResources } from './html';
import { searchChain } from './search';

/** How often the file is looked at while the panel is seen. */
const pollMs = 1000;

export class ConversationPanel extends Disposer {
  readonly #feed: PanelFeed;
  #isReady = false;
  #search = 0;
  #selected = -1;
  /** The checkpoint that made one of these files is shown once it is there. */
  #reveal: readonly CheckpointId[] = [];

  constructor(
    ports: Ports,
    readonly panel: vscode.WebviewPanel,
    readonly source: ConversationSource,
    private readonly actions: PanelActions,
    extensionUri: vscode.Uri,
    private readonly log: Log,
  ) {
    super();
    this.#feed = new PanelFeed(ports, source);
    this.own(source);
    this.own(source.onDidChange(() => this.#update()));
    this.own(panel.onDidDispose(() => this.dispose()));
    this.own(panel.webview.onDidReceiveMessage((message: unknown) => void this.#receive(message)));
    panel.webview.options = { enableScripts: true, localResourceRoots: panelResources(extensionUri) };
    const icon = (theme: string) => vscode.Uri.joinPath(extensionUri, 'media', 'icons', `conversation-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.title = source.name;
    panel.webview.html = panelHtml(panel.webview, extensionUri);
    const timer = setInterval(() => panel.visible && void source.refresh(), pollMs);
    this.own({ dispose: () => clearInterval(timer) });
  }

  /** The id of the checkpoint whose messages are shown. */
  get selected(): string | undefined {
    return this.source.chain.nodes[this.#selected]?.id;
  }

  reveal(files: readonly CheckpointId[]): void {
    this.panel.reveal();
    this.#reveal = files;
    this.#showRevealed();
  }

  #showRevealed(): void {
    if (this.#reveal.length === 0 || !this.#isReady || !this.source.isDone) return;
    const index = this.source.chain.nodes.findIndex(({ files }) => files.some((id) => this.#reveal.includes(id)));
    if (index < 0) return;
    this.#reveal = [];
    this.#post({ type: 'reveal', index });
  }

  #lastState = '';

  #update(): void {
    if (!this.#isReady) return;
    // Most looks at the file bring nothing new.
    const state = JSON.stringify([
      this.#feed.state(),
      this.source.chain.index.nodes.length,
      this.source.chain.index.size,
    ]);
    if (state === this.#lastState) return;
    this.#lastState = state;
    for (const message of this.#feed.updates()) this.#post(message);
    this.#showRevealed();
  }

  async #receive(value: unknown): Promise<void> {
    const message = fromPanel(value);
    if (message === undefined) return this.log.info('panel', 'A message that is none was dropped.');
    try {
      await this.#handle(message);
    } catch (error) {
      this.log.error('panel', message.type, error);
      await vscode.window.showErrorMessage(messageOf(error));
    }
  }

  async #handle(message: FromPanel): Promise<void> {
    const { chain } = this.source;
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#lastState = '';
        this.#feed.reset();
        if (this.source.isDone) this.#update();
        return this.source.refresh();
      case 'labels':
        return this.#post({ type: 'labels', labels: this.#feed.labels(message.indices) });
      case 'open':
        return this.#open(message.index);
      case 'search': {
        const search = ++this.#search;
        const { query } = message;
        return searchChain(
          chain,
          query,
          () => search !== this.#search || this.isDisposed,
          (indices, done) => this.#post({ type: 'found', query, indices, done }),
        );
      }
      case 'action':
        await this.actions.run(this.source, message.action, message.index);
        return this.#open(message.index);
    }
  }

  #open(index: number): void {
    const node = this.source.chain.nodes[index];
    if (node === undefined) return;
    this.#selected = index;
    const actions = this.actions.of(this.source, index);
    try {
      const problem = node.tooLong ? 'This line is too long to show. It is kept in the file.' : undefined;
      this.#post({
        type: 'messages',
        index,
        messages: this.#feed.messages(index),
        actions,
        ...(problem && { problem }),
      });
    } catch (error) {
      this.#post({ type: 'messages', index, messages: [], actions: [], problem: messageOf(error) });
    }
  }

  #post(message: ToPanel): void {
    if (!this.isDisposed) void this.panel.webview.postMessage(message);
  }
}
