// Commands on rows of the view.
import * as vscode from 'vscode';
import { setPinned } from '../../core/store/pin';
import type { Handlers } from '../contributions';
import type { Services } from '../services';
import { entryOf, newestOf, type TurnFile } from '../timeline/turns';
import { turnTitle } from '../timeline/words';
import { isNode, type EditNode, type FileNode, type Node, type TurnNode } from '../tree/nodes';
import { editTarget, fileTarget, rewindTarget, turnTarget } from './target';

type ItemCommands = Pick<
  Handlers,
  | 'agentCheckpoints.loadMore'
  | 'agentCheckpoints.previewTurn'
  | 'agentCheckpoints.previewFile'
  | 'agentCheckpoints.compareWithCurrent'
  | 'agentCheckpoints.restoreTurn'
  | 'agentCheckpoints.restoreMark'
  | 'agentCheckpoints.undoRestore'
  | 'agentCheckpoints.restoreFile'
  | 'agentCheckpoints.restoreEdit'
  | 'agentCheckpoints.rewindTurn'
  | 'agentCheckpoints.rewindSession'
  | 'agentCheckpoints.pin'
  | 'agentCheckpoints.unpin'
  | 'agentCheckpoints.copyId'
  | 'agentCheckpoints.openFile'
>;

export function itemCommands(services: Services): ItemCommands {
  const { ports, restore, previews, roots, timeline, view } = services;

  /** The row a command was called on; called by a key it is the selected one. */
  const on =
    <T extends Node['type']>(types: readonly T[], run: (node: Extract<Node, { type: T }>) => unknown) =>
    (arg?: unknown) => {
      const node = isNode(arg, ...types) ? arg : view.selection.find((selected) => isNode(selected, ...types));
      return node && run(node as Extract<Node, { type: T }>);
    };

  const restoreTurn = on(['turn'], ({ root, turn }) =>
    restore.run(root, turnTarget(root, turn), `“${turnTitle(turn)}”`),
  );
  const pin = (pinned: boolean) =>
    on(['turn', 'edit'], (node) => {
      const checkpoints = node.type === 'turn' ? node.turn.checkpoints : [node.edit.checkpoint];
      const { root } = turnNodeOf(node);
      for (const { id } of checkpoints) setPinned(ports, root.stores, id, pinned);
      timeline.refresh(root);
    });

  return {
    'agentCheckpoints.loadMore': on(['more'], ({ root }) => timeline.loadMore(root)),
    'agentCheckpoints.previewTurn': on(['turn'], ({ root, turn }) => previews.openTurn(root, turn)),
    'agentCheckpoints.previewFile': on(['file', 'edit'], (node) =>
      previews.openFile(turnNodeOf(node).root, changeOf(node), node.type === 'edit' ? 'edit' : 'turn'),
    ),
    'agentCheckpoints.compareWithCurrent': on(['file', 'edit'], (node) =>
      previews.compareWithCurrent(turnNodeOf(node).root, changeOf(node), node.type === 'edit' ? 'edit' : 'turn'),
    ),
    'agentCheckpoints.restoreTurn': restoreTurn,
    'agentCheckpoints.restoreMark': restoreTurn,
    'agentCheckpoints.undoRestore': restoreTurn,
    'agentCheckpoints.restoreFile': on(['file'], ({ parent, file }) =>
      restore.run(parent.root, fileTarget(parent.turn, file.edits), file.path),
    ),
    'agentCheckpoints.restoreEdit': on(['edit'], ({ parent, edit }) =>
      restore.run(parent.parent.root, editTarget(edit), `one edit of ${parent.file.path}`),
    ),
    'agentCheckpoints.rewindTurn': on(['turn'], ({ root, turn }) =>
      restore.run(root, rewindTarget(turn, false), `everything since “${turnTitle(turn)}”`),
    ),
    'agentCheckpoints.rewindSession': on(['turn'], ({ root, turn }) =>
      restore.run(root, rewindTarget(turn, true), `this session since “${turnTitle(turn)}”`),
    ),
    'agentCheckpoints.pin': pin(true),
    'agentCheckpoints.unpin': pin(false),
    'agentCheckpoints.copyId': on(['turn', 'edit'], (node) =>
      vscode.env.clipboard.writeText(node.type === 'turn' ? newestOf(node.turn).id : node.edit.checkpoint.id),
    ),
    'agentCheckpoints.openFile': on(['file', 'edit'], async (node) => {
      const { root } = turnNodeOf(node);
      const uri = roots.fileUri(root, entryOf(changeOf(node).edits[0]!).path);
      const isFile = uri && ports.fs.statSync(uri.fsPath, { throwIfNoEntry: false })?.isFile();
      if (isFile) await vscode.commands.executeCommand('vscode.open', uri);
      else
        await services.dialogs.tell(
          'info',
          `${changeOf(node).path} is not there any more. Preview Changes shows it as it was.`,
        );
    }),
  };
}

function turnNodeOf(node: TurnNode | FileNode | EditNode): TurnNode {
  return node.type === 'turn' ? node : node.type === 'file' ? node.parent : node.parent.parent;
}

/** A row below a turn as one change of one file. */
const changeOf = (node: FileNode | EditNode): TurnFile =>
  node.type === 'file' ? node.file : { path: node.parent.file.path, edits: [node.edit] };
