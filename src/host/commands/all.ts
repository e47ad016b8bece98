import type { Disposable } from 'vscode';
import type { Handlers } from '../contributions';
import { conversationCommands } from '../conversations/commands';
import { targetOf, type ConversationTarget } from '../conversations/target';
import { peekCommands } from '../peek/commands';
import { onDemand } from '../onDemand';
import type { RebuildPanel } from '../rebuild/panel';
import { previewCommands } from '../restorePreview/commands';
import type { Services } from '../services';
import type { ChangePreview } from '../setUp/changePreview';
import { setUpCommands } from '../setUp/command';
import { createCommands } from './create';
import { itemCommands } from './items';
import { restoreCommands } from './restore';
import { storeCommands } from './store';
import { viewCommands } from './view';

/** Has something disposed of with the extension. */
type Own = <T extends Disposable>(part: T) => T;

/** Every command of the product: one that has no handler does not compile. */
export const allCommands = (services: Services, preview: ChangePreview, own: Own): Handlers => ({
  ...restoreCommands(services),
  ...createCommands(services),
  ...viewCommands(services),
  ...itemCommands(services),
  ...storeCommands(services),
  ...peekCommands(services),
  ...commandsOnDemand(services, own),
  ...previewCommands(services),
  ...setUpCommands(services, preview),
  ...conversationCommands(services, services.conversations, services.panels),
});

/** From the palette the panel only says which conversation it is: the point is asked for. */
function pointOffered(arg: unknown, { panels }: Services): ConversationTarget | undefined {
  const target = targetOf(arg, panels);
  return arg === undefined && target !== undefined ? { ...target, at: undefined } : target;
}

type OnDemand =
  'agentCheckpoints.forkConversation' | 'agentCheckpoints.rebuildContext' | 'agentCheckpoints.recoverPastSessions';

function commandsOnDemand(services: Services, own: Own): Pick<Handlers, OnDemand> {
  let rebuilt: RebuildPanel | undefined;
  return {
    'agentCheckpoints.forkConversation': (arg) => onDemand().forkConversation(services, targetOf(arg, services.panels)),
    'agentCheckpoints.rebuildContext': (arg) => {
      const { RebuildPanel, rebuildCommands } = onDemand();
      rebuilt ??= own(new RebuildPanel(services));
      return rebuildCommands(services, rebuilt)['agentCheckpoints.rebuildContext'](pointOffered(arg, services));
    },
    'agentCheckpoints.recoverPastSessions': () =>
      onDemand().recoverCommands(services)['agentCheckpoints.recoverPastSessions'](),
  };
}
