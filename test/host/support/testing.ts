// What the suites in the extension host share.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { createObserver } from '../../../src/core/capture/observer';
import type { AgentCheckpointsApi } from '../../../src/host/api';
import type { Dialogs, replaceableDialogs } from '../../../src/host/dialogs';
import type { Services } from '../../../src/host/services';
import type { FileNode, Node, TurnNode } from '../../../src/host/tree/nodes';

export type Testing = Omit<Services, 'dialogs'> & { readonly dialogs: ReturnType<typeof replaceableDialogs> };

export const extension = () => {
  const found = vscode.extensions.getExtension<AgentCheckpointsApi & { readonly testing: Testing }>(
    'agent-checkpoints.agent-checkpoints',
  );
  assert.ok(found, 'the extension is not loaded');
  return found;
};

export async function testing(): Promise<Testing> {
  const { testing: parts } = await extension().activate();
  assert.ok(parts, 'the extension does not run as under test');
  return parts;
}

export const folder = (): string => vscode.workspace.workspaceFolders![0]!.uri.fsPath;
export const at = (name: string): string => path.join(folder(), name);
export const uriOf = (name: string): vscode.Uri => vscode.Uri.file(at(name));
export const read = (name: string): string | undefined =>
  fs.existsSync(at(name)) ? fs.readFileSync(at(name), 'utf8') : undefined;

export function write(name: string, bytes: string | Uint8Array): void {
  fs.mkdirSync(path.dirname(at(name)), { recursive: true });
  fs.writeFileSync(at(name), bytes);
}

/** An empty workspace folder without a store, and no editor open. */
export async function reset(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.files.revert');
  const own = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.fsPath.startsWith(folder()));
  for (const document of own) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  for (const name of fs.readdirSync(folder())) fs.rmSync(at(name), { recursive: true, force: true });
  (await testing()).timeline.refreshAll();
}

/** Waits until `ask` gives something. */
export async function eventually<T>(what: string, ask: () => T | undefined | false, ms = 10_000): Promise<T> {
  for (const end = Date.now() + ms; ;) {
    const answer = ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`Not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Asked {
  readonly question: string;
  readonly detail: string;
  readonly actions: readonly string[];
}

/** Answers confirmations in turn, and remembers what was asked and told. */
export class Answers implements Dialogs {
  readonly asked: Asked[] = [];
  readonly told: string[] = [];
  /** The action of the next message that is clicked. */
  click: string | undefined;

  constructor(private readonly answers: (string | undefined)[] = []) {}

  async confirm<A extends string>(question: string, detail: string, actions: readonly A[]): Promise<A | undefined> {
    this.asked.push({ question, detail, actions });
    const answer = this.answers.shift();
    assert.ok(answer === undefined || actions.some((action) => action === answer), `no button ${answer} in ${actions}`);
    return answer as A | undefined;
  }

  async tell<A extends string>(_kind: string, text: string, actions: readonly A[] = []): Promise<A | undefined> {
    this.told.push(text);
    const clicked = actions.find((action) => action === this.click);
    if (clicked !== undefined) this.click = undefined;
    return clicked;
  }

  async pick<T>(): Promise<T | undefined> {
    return undefined;
  }

  async pickMany<T>(): Promise<T[] | undefined> {
    return undefined;
  }

  async ask(): Promise<string | undefined> {
    return undefined;
  }
}

/** Lets an agent write files, as its hooks do; `undefined` removes one. */
export async function agentWrites(
  files: Readonly<Record<string, string | undefined>>,
  { turn = 'turn-1', session = 'session-1', toolUse = `call-${Math.random()}` } = {},
): Promise<void> {
  const { ports } = await testing();
  const observer = createObserver(ports);
  const request = {
    kind: 'edit' as const,
    agent: { name: 'claude-code', session, turn, tool: 'Edit', toolUse },
    cwd: folder(),
    writes: Object.keys(files).map((name) => ({ path: at(name) })),
  };
  observer.beforeWrite(request);
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) fs.rmSync(at(name));
    else write(name, text);
  }
  observer.afterWrite(request);
}

export const rowsOf = async (element?: Node): Promise<Node[]> => (await testing()).tree.getChildren(element);

/** The turns of the view, newest first; waits for at least `count`. */
export async function turns(count = 1): Promise<TurnNode[]> {
  const { tree, timeline } = await testing();
  timeline.refreshAll();
  return eventually(`${count} turns`, () => {
    const rows = tree.getChildren().filter((row) => row.type === 'turn');
    return rows.length >= count && rows;
  });
}

export const filesOf = async (turn: TurnNode): Promise<FileNode[]> =>
  (await rowsOf(turn)).filter((row) => row.type === 'file');
