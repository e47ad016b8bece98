// Opens VS Code's own diff editors on what a row stands for.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { RelativePath, State } from '../../core/store/meta';
import type { RestorePlan } from '../../core/restore/types';
import { displayPath } from '../../core/restore/relativePath';
import { baseName } from '../timeline/pathParts';
import { entryOf, type Edit, type Turn, type TurnFile } from '../timeline/turns';
import { sidesOf, turnTitle } from '../timeline/words';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { PlanPreviews } from './plans';
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

  /** What a restore would make of the files as they are now. */
  async openPlan(root: HostRoot, plan: RestorePlan, title: string): Promise<void> {
    const token = this.plans.add(root, plan);
    const triples = plan.steps.flatMap((step, index): Triple[] => {
      if (!['write', 'delete', 'relink'].includes(step.action)) return [];
      const path = displayPath(step.path);
      const current = this.#current(root, step.path);
      const planned = sideUri({ type: 'planned', plan: token, step: index, path });
      const right = isThere(step.result) ? planned : undefined;
      return current || right ? [[current ?? planned, current, right]] : [];
    });
    await vscode.commands.executeCommand('vscode.changes', title, triples);
  }
}

const isThere = (state: State) => state.type === 'file' || state.type === 'symlink';

function sideOf(root: HostRoot, edit: Edit, side: 'pre' | 'post'): vscode.Uri {
  const path = displayPath(entryOf(edit).path);
  return sideUri({ type: 'stored', root: root.hash, id: edit.checkpoint.id, entry: edit.entry, side, path });
}
