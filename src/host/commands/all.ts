import type { Handlers } from '../contributions';
import { conversationCommands } from '../conversations/commands';
import { peekCommands } from '../peek/commands';
import { rebuildCommands } from '../rebuild/command';
import type { RebuildPanel } from '../rebuild/panel';
import { recoverCommands } from '../recover/command';
import { previewCommands } from '../restorePreview/commands';
import type { Services } from '../services';
import type { ChangePreview } from '../setUp/changePreview';
import { setUpCommands } from '../setUp/command';
import { createCommands } from './create';
import { itemCommands } from './items';
import { restoreCommands } from './restore';
import { storeCommands } from './store';
import { viewCommands } from './view';

/** Every command of the product: one that has no handler does not compile. */
export const allCommands = (services: Services, preview: ChangePreview, rebuilt: RebuildPanel): Handlers => ({
  ...restoreCommands(services),
  ...createCommands(services),
  ...viewCommands(services),
  ...itemCommands(services),
  ...storeCommands(services),
  ...peekCommands(services),
  ...rebuildCommands(services, rebuilt),
  ...recoverCommands(services),
  ...previewCommands(services),
  ...setUpCommands(services, preview),
  ...conversationCommands(services, services.conversations, services.panels),
});
