// What each row looks like. No file calls but the counting of lines of a turn that is open.
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { CommandId } from '../contributions';
import { baseName, folderName } from '../timeline/pathParts';
import type { LineStats } from '../timeline/stats';
import { isFolder, isPending, type Turn } from '../timeline/turns';
import {
  counted,
  oneLine,
  relativeTime,
  statsText,
  statusOf,
  statusWords,
  turnOrigin,
  turnTime,
  turnTitle,
} from '../timeline/words';
import { rowUri } from './decorations';
import type { DamagedNode, EditNode, FileNode, Node, RootNode, TurnNode } from './nodes';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
const dimmed = new vscode.ThemeColor('disabledForeground');
const warningIcon = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));

export class RowItems {
  constructor(
    private readonly stats: LineStats,
    private readonly now: () => number,
  ) {}

  item(node: Node): vscode.TreeItem {
    switch (node.type) {
      case 'root':
        return rootItem(node);
      case 'turn':
        return this.#turnItem(node);
      case 'file':
        return this.#fileItem(node);
      case 'edit':
        return this.#editItem(node);
      case 'damaged':
        return damagedItem(node);
      case 'more':
        return moreItem(node.id, command('agentCheckpoints.loadMore', 'Load More', node));
      default:
        return assertNever(node);
    }
  }

  #turnItem(node: TurnNode): vscode.TreeItem {
    const { turn, root } = node;
    const time = relativeTime(turnTime(turn), this.now());
    const stats = this.stats.ofTurn(root, turn);
    const files = counted(turn.files.length, 'file');
    const missing = turn.checkpoints.reduce((sum, { notCovered }) => sum + notCovered.length, 0);
    const facts = [
      turn.takenBack && turn.kind !== 'manual' && 'taken back',
      ...(turn.kind === 'restore' ? [time, turnOrigin(turn)] : [turnOrigin(turn), time]),
      turn.kind !== 'restore' && `${files} ${stats ? statsText(stats) : ''}`.trim(),
      missing > 0 && `${missing} not covered`,
      turn.checkpoints.some(({ foreign }) => foreign) && 'not made on this machine',
    ].filter((fact) => typeof fact === 'string' && fact !== '') as string[];
    const item = new vscode.TreeItem(turnTitle(turn), turn.files.length > 0 ? Collapsed : None);
    item.id = node.id;
    item.description = facts.join(' · ');
    item.iconPath = turnIcon(turn, this.now());
    item.contextValue = words(
      'turn',
      turn.kind === 'turn' || turn.kind === 'recovered' ? 'agent' : turn.kind,
      canRestore(turn) && !turn.takenBack && 'stands',
      pinWord(turn.checkpoints.some(({ pinned }) => pinned)),
      turn.kind === 'turn' && turn.checkpoints.some(({ agent }) => agent) && 'session',
    );
    if (turn.takenBack && turn.kind !== 'manual') item.resourceUri = rowUri({ takenBack: true, path: '' });
    item.accessibilityInformation = {
      label: [turnTitle(turn), ...facts, isPending(turn) && 'in progress'].filter(Boolean).join(', '),
    };
    return item;
  }

  #fileItem(node: FileNode): vscode.TreeItem {
    const { file, parent } = node;
    const several = file.edits.length > 1;
    const status = statusOf(file);
    const takenBack = file.edits.every((edit) => edit.takenBack) && parent.turn.kind !== 'manual';
    const stats = this.stats.of(parent.root, file.edits);
    const shown = file.path.slice(parent.root.prefix.length);
    const facts = [
      folderName(shown),
      stats && statsText(stats),
      several && counted(file.edits.length, 'edit'),
      takenBack && !parent.turn.takenBack && 'taken back',
    ].filter(Boolean) as string[];
    const item = new vscode.TreeItem(baseName(shown), several ? Collapsed : None);
    item.id = node.id;
    item.description = facts.join(' · ');
    item.iconPath = isFolder(file) ? vscode.ThemeIcon.Folder : vscode.ThemeIcon.File;
    item.resourceUri = rowUri({ path: file.path, status, takenBack });
    item.contextValue = words('file', canRestore(parent.turn) && !takenBack && 'stands');
    item.command = command('agentCheckpoints.peekChanges', 'Peek Changes', node);
    item.accessibilityInformation = { label: [`${baseName(shown)}, ${statusWords[status]}`, ...facts].join(', ') };
    return item;
  }

  #editItem(node: EditNode): vscode.TreeItem {
    const { checkpoint, takenBack } = node.edit;
    const tool = oneLine(checkpoint.agent?.tool ?? '', 60) || (checkpoint.kind === 'command' ? 'Command' : 'Edit');
    const stats = this.stats.of(node.parent.parent.root, [node.edit]);
    const facts = [
      relativeTime(Date.parse(checkpoint.createdAt), this.now()),
      stats && statsText(stats),
      takenBack && 'taken back',
    ].filter(Boolean) as string[];
    const item = new vscode.TreeItem(tool, None);
    item.id = node.id;
    item.description = facts.join(' · ');
    item.iconPath = new vscode.ThemeIcon(
      checkpoint.kind === 'command' ? 'terminal' : 'edit',
      takenBack ? dimmed : undefined,
    );
    if (takenBack) item.resourceUri = rowUri({ takenBack: true, path: '' });
    item.contextValue = words('edit', !takenBack && 'stands', pinWord(checkpoint.pinned));
    item.command = command('agentCheckpoints.peekChanges', 'Peek Changes', node);
    item.accessibilityInformation = { label: [tool, ...facts].join(', ') };
    return item;
  }
}

/** A point that a person made is not undone by itself; what is only partly known can still be tried. */
const canRestore = (turn: Turn) => turn.files.length > 0;

/** A call that is open for longer has probably no end any more. */
const activeMs = 2 * 60_000;

function turnIcon(turn: Turn, now: number): vscode.ThemeIcon {
  if (turn.checkpoints.some(({ foreign }) => foreign)) return warningIcon;
  const color = turn.takenBack && turn.kind !== 'manual' ? dimmed : undefined;
  if (isPending(turn)) return new vscode.ThemeIcon(now - turnTime(turn) < activeMs ? 'loading~spin' : 'clock', color);
  if (turn.checkpoints.some(({ pinned }) => pinned)) return new vscode.ThemeIcon('pinned', color);
  const icons = { turn: 'sparkle', restore: 'discard', manual: 'bookmark', recovered: 'archive' } as const;
  return new vscode.ThemeIcon(icons[turn.kind], color);
}

function rootItem({ id, root }: RootNode): vscode.TreeItem {
  const item = new vscode.TreeItem(root.name, Expanded);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('root-folder');
  if (root.prefix !== '') item.description = `changes in ${root.folder.name}`;
  item.accessibilityInformation = { label: `Folder ${root.name}` };
  return item;
}

function damagedItem({ id, damaged }: DamagedNode): vscode.TreeItem {
  return damaged.id === 'store'
    ? noteItem(id, 'This store is not read', damaged.reason)
    : noteItem(id, 'Damaged checkpoint', `${damaged.reason} (${damaged.id})`);
}

function noteItem(id: string, label: string, reason: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label, None);
  item.id = id;
  item.description = oneLine(reason);
  item.iconPath = warningIcon;
  item.tooltip = reason;
  item.contextValue = 'note';
  item.accessibilityInformation = { label: `${label}: ${reason}` };
  return item;
}

function moreItem(id: string, run: vscode.Command): vscode.TreeItem {
  const item = new vscode.TreeItem('Load more…', None);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = run;
  item.contextValue = 'more';
  item.accessibilityInformation = { label: 'Load more checkpoints' };
  return item;
}

const words = (...list: readonly (string | false)[]) => list.filter(Boolean).join(' ');
const pinWord = (pinned: boolean) => (pinned ? 'pinned' : 'unpinned');
const command = (id: CommandId, title: string, ...args: unknown[]): vscode.Command => ({
  command: id,
  title,
  arguments: args,
});
