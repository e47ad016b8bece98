import { rebuiltMarkdown } from '../core/context/markdown';
import { rebuildChain } from '../core/context/rebuildChain';
import { openChain } from '../core/conversation/chain';
import { findConversations } from '../core/conversation/conversations';
import { parseConversationName, type ConversationName } from '../core/conversation/names';
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { rootStores, type RootStores } from '../core/store/stores';
import { cutText, maxAnswer } from './bounds';
import { defineTool, rootProperty } from './tool';

export const rebuildContext = defineTool({
  name: 'rebuild_context',
  title: 'Rebuild Context',
  description:
    'The context of an earlier conversation with a coding agent in this workspace, rebuilt: one summary (requests, ' +
    'constraints, decisions, files with their lines, commands, open ends), then the newest messages word for word. ' +
    'Reads only. Without arguments it is the newest conversation.',
  readOnly: true,
  input: {
    type: 'object',
    properties: {
      conversation: { type: 'string', maxLength: 128, description: "The conversation's name." },
      at: {
        type: 'string',
        maxLength: 1000,
        description:
          "The id of the conversation's checkpoint up to which to go. Default: where the conversation is now.",
      },
      keepTokens: {
        type: 'integer',
        minimum: 0,
        maximum: 10_000_000,
        description: 'Keep about so many tokens of the newest messages word for word.',
      },
      partial: { type: 'boolean', description: 'What is left, where the conversation is damaged. Default: an error.' },
      root: rootProperty,
    },
    additionalProperties: false,
  },
  run({ ports, root }, { conversation, at, keepTokens, partial }) {
    const stores = rootStores(ports, root);
    const chain = openChain(ports, stores, nameOf(ports, stores, conversation));
    const rebuilt = rebuildChain(ports, stores, chain, { at, keepTokens, partial });
    const { messages: _messages, summary: _summary, ...figures } = rebuilt;
    const text = rebuiltMarkdown(rebuilt, chain.name);
    const cut = text.length > maxAnswer && { cut: 'The end is missing: ask for fewer keepTokens.' };
    return [cutText(text, maxAnswer), JSON.stringify({ conversation: chain.name, ...figures, ...cut })];
  },
});

function nameOf(ports: Ports, stores: RootStores, wanted: string | undefined): ConversationName {
  const found = findConversations(ports, stores).map(({ chain }) => chain.name);
  const name = wanted === undefined ? found[0] : found.find((each) => each === parseConversationName(wanted));
  if (name !== undefined) return name;
  throw new CheckpointError(
    'not-found',
    wanted === undefined
      ? 'There is no conversation with an agent here yet.'
      : `There is no conversation ${wanted} here.`,
  );
}
