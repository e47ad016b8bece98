// Agent: Open Conversation, and the filter of the view.
import { sessionConversation } from '../../core/conversation/names';
import type { Handlers } from '../contributions';
import { withoutIcons } from '../dialogs';
import type { ConversationPanels } from '../panel/panels';
import type { Services } from '../services';
import { agentName, relativeTime } from '../timeline/words';
import { isNode } from '../tree/nodes';
import { isConversationRow, type ConversationRow, type ConversationTree } from './tree';

type ConversationCommands = Pick<
  Handlers,
  | 'agentCheckpoints.openConversation'
  | 'agentCheckpoints.openTurnConversation'
  | 'agentCheckpoints.filterConversations'
  | 'agentCheckpoints.clearConversationFilter'
>;

export function conversationCommands(
  { dialogs, ports }: Services,
  tree: ConversationTree,
  panels: ConversationPanels,
): ConversationCommands {
  return {
    'agentCheckpoints.openConversation': async (arg?: unknown) => {
      const row = isConversationRow(arg) ? arg : await choose();
      if (row) panels.open(row.root, row.name);
    },
    'agentCheckpoints.openTurnConversation': async (arg?: unknown) => {
      if (!isNode(arg, 'turn')) return;
      const { root, turn } = arg;
      const agent = turn.checkpoints.find((each) => each.agent !== undefined)?.agent;
      const row =
        agent &&
        tree.all().find((each) => each.root === root && each.name === sessionConversation(agent.name, agent.session));
      if (row === undefined) await dialogs.tell('info', 'The conversation of this turn is not kept here.');
      else
        panels.open(
          root,
          row.name,
          turn.checkpoints.map(({ id }) => id),
        );
    },
    'agentCheckpoints.filterConversations': async () => {
      const text = await dialogs.ask({
        title: 'Filter Conversations',
        prompt: 'Part of a first message, a name or an agent',
        value: tree.filter,
      });
      if (text !== undefined) tree.filter = text.trim();
    },
    'agentCheckpoints.clearConversationFilter': () => (tree.filter = ''),
  };

  async function choose(): Promise<ConversationRow | undefined> {
    const rows = tree.all();
    if (rows.length === 0) {
      await dialogs.tell(
        'info',
        'No conversations in this folder yet. They are kept as soon as an agent that is set up works in it.',
      );
      return undefined;
    }
    const items = rows.map((row) => ({
      label: withoutIcons(row.title),
      description: [row.agent === '' ? '' : agentName(row.agent), relativeTime(row.changedAt, ports.now())]
        .filter(Boolean)
        .join(' · '),
      detail: row.name,
      value: row,
    }));
    return dialogs.pick(items, { title: 'Open Conversation', matchOnDescription: true, matchOnDetail: true });
  }
}
