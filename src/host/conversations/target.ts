// Which conversation, and which point of it, a command is about: of the row or the button it was called on, else of the
// panel that is open.
import type { ConversationPanels } from '../panel/panels';
import { isConversationRow } from './tree';

/** Also what a script may pass along. */
export interface ConversationTarget {
  readonly conversation: string;
  /** The root's hash; needed where roots have conversations of one name. */
  readonly root?: string | undefined;
  /** A checkpoint of the conversation. */
  readonly at?: string | undefined;
}

export function targetOf(value: unknown, panels: Pick<ConversationPanels, 'active'>): ConversationTarget | undefined {
  if (isConversationRow(value)) return { conversation: value.name, root: value.root.hash };
  const { conversation, root, at } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (typeof conversation !== 'string') return panels.active;
  return {
    conversation,
    ...(typeof root === 'string' && { root }),
    ...(typeof at === 'string' && { at }),
  };
}
