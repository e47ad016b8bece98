// Merging one path by hand: in VS Code's merge editor, else in a text with markers beside a diff. The result is a file
// of our own: the workspace's file is written by the restore alone, with a guard.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { hasMarkers, mergeLabels } from '../../core/restore/conflictMarkers';
import type { MergeSides } from '../../core/restore/mergeSides';
import type { ContextKeySetter } from '../contextKeys';
import { Disposer } from '../disposable';
import { messageOf, type Log } from '../log';
import { baseName } from '../timeline/pathParts';
import { closeTabs } from './planDiff';

/** How long the merge editor may take to open before the text is opened instead. */
const openWithinMs = 10_000;
/** Results that nobody used any more. */
const keptMs = 7 * 24 * 60 * 60_000;

interface Merge {
  readonly output: vscode.Uri;
  readonly dir: string;
  readonly saved: (bytes: Uint8Array) => void;
}

export class HandMerges extends Disposer {
  readonly #open = new Map<string, Merge>();

  constructor(
    private readonly ports: Ports,
    private readonly contextKeys: ContextKeySetter,
    private readonly log: Log,
  ) {
    super();
    this.own(vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#saved(uri)));
    this.own(vscode.window.tabGroups.onDidChangeTabs(() => this.#setKey()));
    this.own(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#setKey()));
    this.own({ dispose: () => void this.end() });
  }

  /** @param saved called each time the person saves a result without open conflicts */
  async start(relative: string, sides: MergeSides, saved: (bytes: Uint8Array) => void): Promise<void> {
    const name = baseName(relative);
    const all = path.join(this.ports.stateDir, 'merging');
    this.#sweep(all);
    const dir = path.join(all, randomBytes(8).toString('hex'));
    const write = (folder: string, bytes: Uint8Array): vscode.Uri => {
      this.ports.fs.mkdirSync(path.join(dir, folder), { recursive: true, mode: 0o700 });
      const file = path.join(dir, folder, name);
      this.ports.fs.writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
      return vscode.Uri.file(file);
    };
    const output = write('result', sides.text);
    const base = write('base', sides.base);
    const ours = write('now', sides.ours);
    const theirs = write('before', sides.theirs);
    this.#open.set(output.toString(), { output, dir, saved });
    const asEditor = this.#opened(output);
    try {
      await vscode.commands.executeCommand('_open.mergeEditor', {
        base,
        input1: { uri: ours, title: mergeLabels.ours, description: 'the file with your changes' },
        input2: { uri: theirs, title: mergeLabels.theirs, description: 'what the restore would put back' },
        output,
      });
      if (await asEditor) {
        await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
        return;
      }
    } catch (error) {
      this.log.info('merge', `no merge editor: ${messageOf(error)}`);
    }
    await vscode.commands.executeCommand('vscode.diff', ours, output, `${name} (now ↔ merged)`, { preview: false });
    await vscode.window.showTextDocument(output, { preview: false });
  }

  /** What a window that crashed left behind. */
  #sweep(all: string): void {
    const { fs, now } = this.ports;
    if (!fs.lstatSync(all, { throwIfNoEntry: false })?.isDirectory()) return;
    for (const name of fs.readdirSync(all, { encoding: 'utf8' })) {
      const found = fs.lstatSync(path.join(all, name), { throwIfNoEntry: false });
      if (found && now() - found.mtimeMs > keptMs) fs.rmSync(path.join(all, name), { recursive: true, force: true });
    }
  }

  /** Saves the merge that is in the active editor, and closes it. */
  async use(): Promise<void> {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    const merge = active && this.#of(active);
    if (!merge) return;
    if (resultOf(active)) return void (await vscode.commands.executeCommand('mergeEditor.acceptMerge'));
    const document = await vscode.workspace.openTextDocument(merge.output);
    if (document.isDirty) await document.save();
    else this.#saved(merge.output);
    if (!hasMarkers(Buffer.from(document.getText()))) await this.#close(merge);
  }

  /** All of them are over: their editors and files go. */
  async end(): Promise<void> {
    const merges = [...this.#open.values()];
    this.#open.clear();
    for (const merge of merges) {
      await this.#close(merge);
      this.ports.fs.rmSync(merge.dir, { recursive: true, force: true });
    }
    this.#setKey();
  }

  #saved(uri: vscode.Uri): void {
    const merge = this.#open.get(uri.toString());
    if (!merge) return;
    const bytes = this.ports.fs.readFileSync(merge.output.fsPath);
    if (!hasMarkers(bytes)) return merge.saved(bytes);
    const open = 'The merge still has conflict markers: choose a side for each, then save again.';
    void vscode.window.showWarningMessage(open);
  }

  #of(tab: vscode.Tab): Merge | undefined {
    const { input } = tab;
    const uri = resultOf(tab) ?? (input instanceof vscode.TabInputText ? input.uri : undefined);
    const side = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    return this.#open.get((uri ?? side)?.toString() ?? '');
  }

  /** Whether the merge editor of the file appears. */
  #opened(output: vscode.Uri): Promise<boolean> {
    return new Promise((resolve) => {
      const found = () =>
        vscode.window.tabGroups.all.some(({ tabs }) =>
          tabs.some((tab) => resultOf(tab)?.toString() === output.toString()),
        );
      const finish = (answer: boolean) => {
        clearTimeout(late);
        listener.dispose();
        resolve(answer);
      };
      const listener = vscode.window.tabGroups.onDidChangeTabs(() => found() && finish(true));
      const late = setTimeout(() => finish(found()), openWithinMs);
    });
  }

  async #close(merge: Merge): Promise<void> {
    const own = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter((tab) => {
        const { input } = tab;
        const text = input instanceof vscode.TabInputText ? input.uri : undefined;
        const diff = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
        return [resultOf(tab), text, diff].some((uri) => uri?.toString() === merge.output.toString());
      });
    await closeTabs(own);
  }

  #setKey(): void {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    this.contextKeys.set('agentCheckpoints.merging', active !== undefined && this.#of(active) !== undefined);
  }
}

/** The file that a merge editor writes. Its type is no part of the stable API, so it is told by what it has. */
function resultOf({ input }: vscode.Tab): vscode.Uri | undefined {
  const { base, result } = (input ?? {}) as { base?: unknown; result?: unknown };
  return base !== undefined && result instanceof vscode.Uri ? result : undefined;
}
