// The commands of the peek.
import * as vscode from 'vscode';
import { listPage } from '../../core/store/reader';
import type { Handlers } from '../contributions';
import type { Pick as PickItem } from '../dialogs';
import type { Services } from '../services';
import { groupTurns } from '../timeline/turns';
import { baseName } from '../timeline/pathParts';
import { relativeTime, turnOrigin, turnTime, turnTitle } from '../timeline/words';
import { isNode } from '../tree/nodes';
import type { PeekTarget } from './subject';

type PeekCommands = Pick<
  Handlers,
  | 'agentCheckpoints.peekChanges'
  | 'agentCheckpoints.peekNext'
  | 'agentCheckpoints.peekPrevious'
  | 'agentCheckpoints.peekUndoHunk'
  | 'agentCheckpoints.peekShowBefore'
  | 'agentCheckpoints.closePeek'
>;

/** Checkpoints that are looked through for those of a file. */
const readAtMost = 500;
/** Turns that are looked at for one of which something still stands. */
const triedAtMost = 30;

export function peekCommands({ peek, ports, roots, timeline, dialogs, view }: Services): PeekCommands {
  const indexOf = (arg: unknown) => (typeof arg === 'number' && Number.isSafeInteger(arg) ? arg : undefined);

  return {
    'agentCheckpoints.peekChanges': async (arg) => {
      const node = isNode(arg, 'file', 'edit')
        ? arg
        : view.visible && !vscode.window.activeTextEditor
          ? view.selection.find((selected) => isNode(selected, 'file', 'edit'))
          : undefined;
      if (node?.type === 'file') {
        return peek.open({ root: node.parent.root, turn: node.parent.turn, file: node.file, of: 'turn' });
      }
      if (node?.type === 'edit') {
        const { file, parent } = node.parent;
        const { root, turn } = parent;
        return peek.open({ root, turn, file: { path: file.path, edits: [node.edit] }, of: 'checkpoint' });
      }
      return peekActiveFile();
    },
    'agentCheckpoints.peekNext': (arg) => peek.next(1, indexOf(arg)),
    'agentCheckpoints.peekPrevious': (arg) => peek.next(-1, indexOf(arg)),
    'agentCheckpoints.peekUndoHunk': (arg) => peek.undoHunk(indexOf(arg)),
    'agentCheckpoints.peekShowBefore': (arg) => peek.showBefore(indexOf(arg)),
    'agentCheckpoints.closePeek': () => peek.close(),
  };

  /** The newest turn of which something is left in the file; where it is shown already, the person chooses another. */
  async function peekActiveFile(): Promise<unknown> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const located = uri && roots.locate(uri);
    if (!located) return dialogs.tell('info', 'Open a file of the folder first: its changes are shown in its editor.');
    const { root, path } = located;
    timeline.refresh(root);
    const targets = groupTurns(listPage(ports, root.stores, { limit: readAtMost }).checkpoints, root.prefix).flatMap(
      (turn): PeekTarget[] => {
        const file = turn.files.find((each) => each.path === path);
        const isAgents = turn.kind === 'turn' || turn.kind === 'recovered';
        return file && isAgents && !turn.takenBack ? [{ root, turn, file, of: 'turn' }] : [];
      },
    );
    const standing: PeekTarget[] = [];
    const shown = peek.current?.target;
    const isShown = shown?.root === root && shown.file.path === path;
    for (const target of targets.slice(0, triedAtMost)) {
      if (!(await peek.stands(target))) continue;
      if (!isShown) return peek.open(target);
      standing.push(target);
    }
    if (standing.length === 0) {
      return dialogs.tell('info', `Nothing that an agent changed is left in ${baseName(path)}.`);
    }
    if (standing.length === 1) return peek.open(standing[0]!);
    const items = standing.map((value): PickItem<PeekTarget> => ({
      label: `$(sparkle) ${turnTitle(value.turn)}`,
      description: [turnOrigin(value.turn), relativeTime(turnTime(value.turn), ports.now())].join(' · '),
      value,
    }));
    const chosen = await dialogs.pick<PeekTarget>(items, {
      title: `Peek Changes to ${baseName(path)}`,
      placeHolder: 'Whose changes to show',
    });
    return chosen && peek.open(chosen);
  }
}
