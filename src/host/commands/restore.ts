// The commands of the palette that take something back.
import * as vscode from 'vscode';
import { listPage } from '../../core/store/reader';
import type { Handlers } from '../contributions';
import { withoutIcons, type Pick as PickItem } from '../dialogs';
import type { Services } from '../services';
import { newestOf, type Turn, groupTurns } from '../timeline/turns';
import { counted, oneLine, relativeTime, turnOrigin, turnTime, turnTitle } from '../timeline/words';
import type { HostRoot } from '../workspaceRoots';
import { rewindTarget, turnTarget } from './target';

type RestoreCommands = Pick<
  Handlers,
  'agentCheckpoints.restoreCheckpoint' | 'agentCheckpoints.undoLastTurn' | 'agentCheckpoints.redo'
>;

/** Checkpoints that the quick pick offers. */
const readAtMost = 500;

interface Choice {
  readonly root: HostRoot;
  readonly turn: Turn;
}

export function restoreCommands(services: Services): RestoreCommands {
  const { ports, dialogs, roots, restore, previews, timeline } = services;

  return {
    'agentCheckpoints.restoreCheckpoint': async () => {
      if (!(await hasFolder())) return;
      const items = choices();
      if (items.length === 0) return void (await dialogs.tell('info', 'There are no checkpoints in this folder yet.'));
      const choice = await dialogs.pick<Choice>(items, {
        title: 'Restore Checkpoint',
        placeHolder: 'Which turn or checkpoint',
        matchOnDescription: true,
        matchOnDetail: true,
      });
      if (!choice) return;
      const { root, turn } = choice;
      const action = await dialogs.pick<'undo' | 'rewind' | 'session' | 'preview'>(actionsFor(turn), {
        title: turnTitle(turn),
        placeHolder: 'What to do. You see what will happen before anything is written.',
      });
      if (action === 'undo') await restore.run(root, turnTarget(root, turn), `“${turnTitle(turn)}”`);
      if (action === 'rewind')
        await restore.run(root, rewindTarget(turn, false), `everything since “${turnTitle(turn)}”`);
      if (action === 'session')
        await restore.run(root, rewindTarget(turn, true), `this session since “${turnTitle(turn)}”`);
      if (action === 'preview') await previews.openTurn(root, turn);
    },
    'agentCheckpoints.undoLastTurn': async () => {
      const root = await chooseRoot();
      if (root) await restore.undo(root);
    },
    'agentCheckpoints.redo': async () => {
      const root = await chooseRoot();
      if (root) await restore.redo(root);
    },
  };

  function choices(): (PickItem<Choice> | vscode.QuickPickItem)[] {
    const all = roots.all.flatMap((root) =>
      groupTurns(listPage(ports, root.stores, { limit: readAtMost }).checkpoints, root.prefix)
        .filter(({ files }) => files.length > 0)
        .map((turn) => ({ root, turn })),
    );
    all.sort((a, b) => turnTime(b.turn) - turnTime(a.turn));
    const several = new Set(all.map(({ root }) => root)).size > 1;
    let day = '';
    return all.flatMap(({ root, turn }) => {
      const heading = dayOf(turnTime(turn), ports.now());
      const separator = heading === day ? [] : [{ label: heading, kind: vscode.QuickPickItemKind.Separator }];
      day = heading;
      const facts = [
        turnOrigin(turn),
        relativeTime(turnTime(turn), ports.now()),
        several && root.name,
        turn.takenBack && turn.kind !== 'manual' && 'taken back',
      ];
      const names = turn.files.map(({ path }) => path);
      const item: PickItem<Choice> = {
        label: `$(${turn.kind === 'restore' ? 'discard' : turn.kind === 'manual' ? 'bookmark' : 'sparkle'}) ${withoutIcons(turnTitle(turn))}`,
        description: withoutIcons(facts.filter(Boolean).join(' · ')),
        detail: withoutIcons(
          `${counted(names.length, 'file')}: ${oneLine(names.slice(0, 6).join(', '), 120)}${names.length > 6 ? ', …' : ''}`,
        ),
        value: { root, turn },
      };
      return [...separator, item];
    });
  }

  /** The folder of the active file, else the only one with checkpoints, else the person chooses. */
  async function chooseRoot(): Promise<HostRoot | undefined> {
    if (!(await hasFolder())) return undefined;
    const filled = roots.all.filter((root) => timeline.hasAny(root));
    if (filled.length === 0) {
      await dialogs.tell('info', 'There are no checkpoints in this folder yet.');
      return undefined;
    }
    if (filled.length === 1) return filled[0];
    const active = vscode.window.activeTextEditor?.document.uri;
    const located = active && roots.locate(active)?.root;
    if (located && filled.includes(located)) return located;
    return await dialogs.pick(
      filled.map((root) => ({ label: root.name, description: root.path, value: root })),
      { placeHolder: 'In which folder' },
    );
  }

  async function hasFolder(): Promise<boolean> {
    if (roots.all.length > 0) return true;
    await dialogs.tell('info', 'Checkpoints belong to a folder. Open one first.');
    return false;
  }
}

function actionsFor(turn: Turn): PickItem<'undo' | 'rewind' | 'session' | 'preview'>[] {
  const undoLabel = {
    turn: 'Undo this turn',
    recovered: 'Undo this turn',
    restore: 'Undo this restore',
    manual: 'Put these files back',
  }[turn.kind];
  const rewind = [
    {
      label: '$(history) Rewind to before this',
      description: 'also takes back everything that agents did since',
      value: 'rewind' as const,
    },
    ...(newestOf(turn).agent
      ? [
          {
            label: '$(history) Rewind this session to before this',
            description: 'leaves other sessions alone',
            value: 'session' as const,
          },
        ]
      : []),
  ];
  return [
    ...(turn.takenBack && turn.kind !== 'manual'
      ? []
      : [{ label: `$(discard) ${undoLabel}`, description: 'keeps what came later', value: 'undo' as const }]),
    ...(turn.kind === 'turn' ? rewind : []),
    { label: '$(diff-multiple) Preview changes', value: 'preview' },
  ];
}

function dayOf(time: number, now: number): string {
  const start = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  const days = Math.round((start(now) - start(time)) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return new Date(time).toLocaleDateString(vscode.env.language, { dateStyle: 'medium' });
}
