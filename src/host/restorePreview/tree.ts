// The rows of the Restore Preview view.
import * as vscode from 'vscode';
import type { CommandId } from '../contributions';
import { baseName, folderName } from '../timeline/pathParts';
import { rowUri } from '../tree/decorations';
import type { GroupRow, NoteRow, PathRow, Row, RunRow } from './rows';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
const { Checked, Unchecked } = vscode.TreeItemCheckboxState;

export class PlanTree implements vscode.TreeDataProvider<Row> {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #rows: readonly Row[] = [];

  get rows(): readonly Row[] {
    return this.#rows;
  }

  set(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#changed.fire(undefined);
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) return [...this.#rows];
    return row.type === 'group' ? [...row.rows] : [];
  }

  getParent(row: Row): Row | undefined {
    return row.type === 'path' || row.type === 'note'
      ? this.#rows.find((each) => each.type === 'group' && each.kind === row.group)
      : undefined;
  }

  /** The row of the same id as things are now. */
  find(id: string): Row | undefined {
    return this.#rows.flatMap((row) => [row, ...(row.type === 'group' ? row.rows : [])]).find((row) => row.id === id);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = itemOf(row);
    item.id = row.id;
    return item;
  }
}

function itemOf(row: Row): vscode.TreeItem {
  switch (row.type) {
    case 'run':
      return runItem(row);
    case 'group':
      return groupItem(row);
    case 'path':
      return pathItem(row);
    case 'note':
      return noteItem(row);
  }
}

function runItem({ label, count }: RunRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label, None);
  item.iconPath = new vscode.ThemeIcon(count > 0 ? 'check' : 'circle-slash', new vscode.ThemeColor('charts.green'));
  item.description = count > 0 ? 'what is checked' : '';
  item.contextValue = 'run';
  if (count > 0) item.command = command('agentCheckpoints.runPlan', 'Restore');
  item.accessibilityInformation = { label: count > 0 ? `${label}: what is checked` : label, role: 'button' };
  return item;
}

function groupItem({ kind, label, rows }: GroupRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label, kind === 'kept' ? Collapsed : Expanded);
  item.description = String(rows.length);
  item.contextValue = `group ${kind}`;
  item.accessibilityInformation = { label: `${label}, ${rows.length}` };
  return item;
}

function pathItem(row: PathRow): vscode.TreeItem {
  const { path, words, group, checked, step } = row;
  const item = new vscode.TreeItem(baseName(path), None);
  item.description = [folderName(path), words].filter(Boolean).join(' · ');
  item.tooltip = `${path}\n${words}`;
  const isFolder = step.result.type === 'directory' || step.current.type === 'directory';
  item.iconPath = isFolder ? vscode.ThemeIcon.Folder : vscode.ThemeIcon.File;
  item.resourceUri = rowUri({ path, ...statusOf(row) });
  item.contextValue = [group, checked && 'checked', step.inEditor && 'unsaved'].filter(Boolean).join(' ');
  item.accessibilityInformation = { label: `${baseName(path)}, ${item.description}` };
  if (group === 'change') {
    item.checkboxState = {
      state: checked ? Checked : Unchecked,
      tooltip: checked ? 'Restored. Uncheck to leave it as it is.' : 'Left as it is. Check to restore it.',
      accessibilityInformation: { label: `${baseName(path)}: ${checked ? 'restored' : 'left as it is'}` },
    };
    item.command = command(step.inEditor ? 'agentCheckpoints.decidePath' : 'agentCheckpoints.comparePath', 'Show', row);
  }
  if (group === 'yours') {
    item.iconPath = checked
      ? new vscode.ThemeIcon('check', new vscode.ThemeColor('charts.green'))
      : new vscode.ThemeIcon('account', new vscode.ThemeColor('charts.yellow'));
    item.command = command('agentCheckpoints.decidePath', 'Decide…', row);
  }
  return item;
}

function statusOf({ step, checked }: PathRow) {
  if (!checked) return {};
  if (step.action === 'delete') return { status: 'D' as const };
  return { status: step.current.type === 'absent' ? ('A' as const) : ('M' as const) };
}

function noteItem({ path, words }: NoteRow): vscode.TreeItem {
  const item = new vscode.TreeItem(path, None);
  item.description = words;
  item.tooltip = `${path}\n${words}`;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.accessibilityInformation = { label: `${path}, not covered: ${words}` };
  return item;
}

const command = (id: CommandId, title: string, ...args: unknown[]): vscode.Command => ({
  command: id,
  title,
  arguments: args,
});
