// Shows the exact change of configuration files before it is written.
import * as vscode from 'vscode';
import type { ConfigChange } from '../../agents/target';
import { setUpScheme } from '../contributions';
import { Disposer } from '../disposable';

/** Holds the texts in memory for as long as the decision takes; URIs only number them. */
export class ChangePreview extends Disposer implements vscode.TextDocumentContentProvider {
  #texts: readonly string[] = [];
  #round = 0;

  constructor() {
    super();
    this.own(vscode.workspace.registerTextDocumentContentProvider(setUpScheme, this));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const [, round, index] = /^(\d{1,6})\.(\d{1,3})$/.exec(uri.query) ?? [];
    return (Number(round) === this.#round && this.#texts[Number(index)]) || '';
  }

  async show(changes: readonly ConfigChange[]): Promise<void> {
    this.#round++;
    this.#texts = changes.flatMap(({ before, after }) => [before ?? '', after ?? '']);
    const side = (file: string, index: number) =>
      vscode.Uri.from({ scheme: setUpScheme, path: vscode.Uri.file(file).path, query: `${this.#round}.${index}` });
    const triples = changes.map(({ file, before, after }, i) => [
      side(file, 2 * i + (after === undefined ? 0 : 1)),
      before === undefined ? undefined : side(file, 2 * i),
      after === undefined ? undefined : side(file, 2 * i + 1),
    ]);
    await vscode.commands.executeCommand('vscode.changes', previewTitle, triples);
  }

  async close(): Promise<void> {
    this.#texts = [];
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ label }) => label.startsWith(previewTitle));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}

const previewTitle = 'Set Up Agents: what will be written';
