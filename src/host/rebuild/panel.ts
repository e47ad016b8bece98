// The preview of a rebuilt context: one editor tab, used again for the next one.
import * as vscode from 'vscode';
import { startCommand } from '../../agents/startCommand';
import { event } from '../../core/context/rebuild';
import { fromRebuildView, type FromRebuildView, type RebuildAction } from '../../protocol/rebuild';
import { Disposer } from '../disposable';
import { messageOf } from '../log';
import type { Services } from '../services';
import { startAgentOf, toChain, toChat, toClipboard, toFile, toNextStart, toTerminal } from './handOver';
import { mediaFolder, rebuildHtml } from './html';
import { summariseByModel } from './modelSummary';
import type { RebuildSession } from './session';

export class RebuildPanel extends Disposer {
  #panel: vscode.WebviewPanel | undefined;
  #session: RebuildSession | undefined;

  #onOther: () => Promise<void> = async () => {};

  constructor(private readonly services: Pick<Services, 'ports' | 'dialogs' | 'log' | 'extensionPath' | 'rebuilt'>) {
    super();
  }

  /** @param onOther the person wants another point or conversation */
  show(session: RebuildSession, onOther: () => Promise<void>): void {
    this.#session = session;
    this.#onOther = onOther;
    this.#tell(session);
    const title = `Rebuilt: ${session.chain.name}`.slice(0, 60);
    if (this.#panel === undefined) {
      this.#panel = this.#open(title);
    } else {
      this.#panel.title = title;
      this.#panel.reveal();
      this.#update();
    }
  }

  override dispose(): void {
    this.#panel?.dispose();
    super.dispose();
  }

  #open(title: string): vscode.WebviewPanel {
    const { extensionPath } = this.services;
    const panel = vscode.window.createWebviewPanel('agentCheckpoints.rebuild', title, vscode.ViewColumn.Active, {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: [mediaFolder(extensionPath)],
    });
    panel.webview.onDidReceiveMessage((value) => {
      const message = fromRebuildView(value);
      if (message !== undefined) void this.#take(message);
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#session = undefined;
    });
    panel.webview.html = rebuildHtml(panel.webview, extensionPath);
    return panel;
  }

  async #take(message: FromRebuildView): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    try {
      if (message.type === 'keep') {
        session.keep(message.step);
        this.#tell(session);
      } else if (message.type === 'summary') session.useSummary(message.text);
      else if (message.type === 'do') session.status = (await this.#do(message.action, session)) ?? '';
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        this.services.log.error('rebuild', message.type, error);
        session.status = messageOf(error);
      }
    }
    this.#update();
  }

  async #do(action: RebuildAction, session: RebuildSession): Promise<string | undefined> {
    const { services } = this;
    switch (action) {
      case 'chat':
        return await toChat(services, session);
      case 'nextStart':
        return await toNextStart(services, session);
      case 'terminal':
        return await toTerminal(services, session);
      case 'copy':
        return await toClipboard(session);
      case 'markdown':
      case 'json':
        return await toFile(session, action);
      case 'distill':
        return await toChain(services, session);
      case 'model':
        return await summariseByModel(services, session);
      case 'reset':
        session.useSummary(undefined);
        return 'The summary is the one from before your changes.';
      case 'other':
        await this.#onOther();
        return '';
    }
  }

  #tell({ chain, result }: RebuildSession): void {
    this.services.rebuilt.fire({ conversation: chain.name, ...event(result) });
  }

  #update(): void {
    if (this.#session === undefined) return;
    const view = this.#session.view({
      terminalAgent: startCommand(this.#session.agent)?.name ?? null,
      startAgent: startAgentOf(this.#session) ?? null,
    });
    void this.#panel?.webview.postMessage(view);
  }
}
