// Opens VS Code's own diff editors on what a row stands for.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { RelativePath, State } from '../../core/store/meta';
import { displayPath } from '../../core/restore/relativePath';
import { baseName } from '../timeline/pathParts';
import { entryOf, type Edit, type Turn, type TurnFile } from '../timeline/turns';
import { sidesOf, turnTitle } from '../timeline/words';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { PlanPreviews, PlanShown } from './plans';
import { sideUri } from './uri';

type Triple = [label: vscode.Uri, original: vscode.Uri | undefined, modified: vscode.Uri | undefined];

export class Previews {
  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly plans: PlanPreviews,
  ) {}

  /** One file, before and after the edits. */
  async openFile(root: HostRoot, file: TurnFile, what: 'turn' | 'edit'): Promise<void> {
    const { before, after } = sidesOf(file);
    const name = baseName(file.path);
    const left = sideOf(root, file.edits[0]!, 'pre');
    if (after === undefined) return this.compareWithCurrent(root, file, what);
    const right = sideOf(root, file.edits.at(-1)!, 'post');
    const title =
      before.type === 'absent'
        ? `${name} (created in this ${what})`
        : after.type === 'absent'
          ? `${name} (deleted in this ${what})`
          : `${name} (before ${what} ↔ after ${what})`;
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  /** One file, before the edits and as it is now. */
  async compareWithCurrent(root: HostRoot, file: TurnFile, what: 'turn' | 'edit'): Promise<void> {
    const left = sideOf(root, file.edits[0]!, 'pre');
    const current = this.#current(root, entryOf(file.edits[0]!).path);
    const title = `${baseName(file.path)} (before ${what} ↔ now)`;
    if (current) await vscode.commands.executeCommand('vscode.diff', left, current, title, { preview: true });
    else await vscode.commands.executeCommand('vscode.changes', title, [[left, left, undefined]]);
  }

  #current(root: HostRoot, path: RelativePath): vscode.Uri | undefined {
    const uri = this.roots.fileUri(root, path);
    return uri && this.ports.fs.statSync(uri.fsPath, { throwIfNoEntry: false })?.isFile() ? uri : undefined;
  }

  /** All files of a turn in one editor. */
  async openTurn(root: HostRoot, turn: Turn): Promise<void> {
    const triples = turn.files.map((file): Triple => {
      const { before, after } = sidesOf(file);
      const current = this.#current(root, entryOf(file.edits[0]!).path);
      const left = isThere(before) ? sideOf(root, file.edits[0]!, 'pre') : undefined;
      const right = after && isThere(after) ? sideOf(root, file.edits.at(-1)!, 'post') : undefined;
      return [current ?? right ?? sideOf(root, file.edits[0]!, 'pre'), left, after === undefined ? current : right];
    });
    await vscode.commands.executeCommand('vscode.changes', `${turnTitle(turn)} (before ↔ after)`, triples);
  }

  /** What a restore would make of the files as they are now. False where it changes no file. */
  async openPlan(shown: PlanShown, title: string): Promise<boolean> {
    const { root, plan } = shown;
    const token = this.plans.add(shown);
    const triples = plan.steps.flatMap((step, index): Triple[] => {
      if (!['write', 'delete', 'relink'].includes(step.action)) return [];
      const path = displayPath(step.path);
      const current = this.#current(root, step.path);
      // Both sides with the same path: the diff of many files calls anything else a rename.
      const side = (side: 'now' | 'then') => sideUri({ type: 'planned', plan: token, step: index, side, path });
      const left = isThere(step.current) ? side('now') : undefined;
      const right = isThere(step.result) ? side('then') : undefined;
      return left || right ? [[current ?? (right ?? left)!, left, right]] : [];
    });
    if (triples.length > 0) await vscode.commands.executeCommand('vscode.changes', title, triples);
    return triples.length > 0;
  }

  /** One path of a plan: as it is now, and as it would be. The focus stays where it is. */
  async openStep(shown: PlanShown, index: number): Promise<void> {
    const { root, plan } = shown;
    const step = plan.steps[index];
    if (!step) return;
    const path = displayPath(step.path);
    const current = this.#current(root, step.path);
    const planned = sideUri({ type: 'planned', plan: this.plans.add(shown), step: index, side: 'then', path });
    const right = isThere(step.result) ? planned : undefined;
    const options = { preview: true, preserveFocus: true };
    const title = `${baseName(path)} (now ↔ restored)`;
    if (current && right) await vscode.commands.executeCommand('vscode.diff', current, right, title, options);
    else if (current ?? right) await vscode.window.showTextDocument((current ?? right)!, options);
  }
}

const isThere = (state: State) => state.type === 'file' || state.type === 'symlink';

function sideOf(root: HostRoot, edit: Edit, side: 'pre' | 'post'): vscode.Uri {
  const path = displayPath(entryOf(edit).path);
  return sideUri({ type: 'stored', root: root.hash, id: edit.checkpoint.id, entry: edit.entry, side, path });
}
