// Commands of the view as a whole.
import * as vscode from 'vscode';
import { listPage } from '../../core/store/reader';
import { checkpointsView, type Handlers } from '../contributions';
import { withoutIcons, type Pick as PickItem } from '../dialogs';
import type { Services } from '../services';
import { groupTurns } from '../timeline/turns';
import { agentName, relativeTime, turnTime, turnTitle } from '../timeline/words';
import type { SessionChoice } from '../tree/viewFilter';

/** Checkpoints whose sessions can be chosen. */
const readAtMost = 500;

type ViewCommands = Pick<
  Handlers,
  | 'agentCheckpoints.showCheckpoints'
  | 'agentCheckpoints.showLog'
  | 'agentCheckpoints.refresh'
  | 'agentCheckpoints.filterActiveFile'
  | 'agentCheckpoints.showAllFiles'
  | 'agentCheckpoints.filterSession'
  | 'agentCheckpoints.clearFilter'
>;

export function viewCommands({ filter, log, timeline, roots, dialogs, ports }: Services): ViewCommands {
  return {
    'agentCheckpoints.showCheckpoints': () => vscode.commands.executeCommand(`${checkpointsView}.focus`),
    'agentCheckpoints.showLog': () => log.show(),
    'agentCheckpoints.refresh': () => {
      roots.reload();
      timeline.refreshAll();
    },
    'agentCheckpoints.filterActiveFile': () => (filter.activeFileOnly = true),
    'agentCheckpoints.showAllFiles': () => (filter.activeFileOnly = false),
    'agentCheckpoints.clearFilter': () => filter.clear(),
    'agentCheckpoints.filterSession': async () => {
      const choice = await dialogs.pick<SessionChoice>(choices(), {
        title: 'Filter by Agent or Session',
        placeHolder: 'Whose turns to show',
        matchOnDescription: true,
      });
      if (choice) filter.session = choice;
    },
  };

  function choices(): (PickItem<SessionChoice> | vscode.QuickPickItem)[] {
    const turns = roots.all
      .flatMap((root) => groupTurns(listPage(ports, root.stores, { limit: readAtMost }).checkpoints, root.prefix))
      .filter(({ kind }) => kind === 'turn');
    const agents = new Map<string, PickItem<SessionChoice>>();
    const sessions = new Map<string, PickItem<SessionChoice>>();
    for (const turn of turns) {
      const { agent } = turn.checkpoints[0]!;
      if (!agent) continue;
      const { name, session } = agent;
      if (!agents.has(name)) agents.set(name, { label: agentName(name), value: { agent: name } });
      const key = JSON.stringify([name, session]);
      if (sessions.has(key)) continue;
      const title = turnTitle(turn);
      sessions.set(key, {
        label: withoutIcons(title),
        description: `${agentName(name)} · ${relativeTime(turnTime(turn), ports.now())}`,
        value: { agent: name, session, title },
      });
    }
    const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
    return [
      separator('Agents'),
      ...agents.values(),
      separator('Sessions, by their last request'),
      ...sessions.values(),
    ];
  }
}
