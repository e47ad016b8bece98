// rebuild: a new context from a conversation: one summary, then its newest messages word for word.
import { anthropicMessages, openAiMessages } from '../../core/context/dialects';
import { figuresLine, rebuiltMarkdown } from '../../core/context/markdown';
import { keepDistilled, rebuildChain, type ChainRebuild } from '../../core/context/rebuildChain';
import { strictMessages } from '../../core/context/strict';
import { openChain } from '../../core/conversation/chain';
import { parseConversationName } from '../../core/conversation/names';
import { rootStores } from '../../core/store/stores';
import { safeJson, safeLine, safeLines } from './screen';
import { UsageError } from '../../tools/usage';
import { choiceOption, flag, textOption, type Verb, type VerbCall } from './verb';

const formats = ['markdown', 'messages', 'anthropic', 'openai'] as const;
type Format = (typeof formats)[number];

export const rebuild: Verb = {
  name: 'rebuild',
  usage: '<c> [--at id] [--keep-tokens N] [--format F] [--distill] [--partial]',
  summary: 'a new context: a summary, then the newest messages',
  details: [
    '<c> is the name of the chain file without .jsonl.',
    '--at ID           up to this checkpoint of the conversation; latest (default): where it is now',
    '--keep-tokens N   keep about N tokens of the newest messages; default: from the watermark of the newest',
    '                  summary in the conversation on, and where there is none what the setting says (20,000)',
    `--format F        ${formats.join(', ')}; markdown is the default. The last two are what those APIs take`,
    '--distill         also keep the summary in the conversation: the next rebuild begins with it',
    '--partial         what is left, where something on the way is damaged',
    'Without --distill nothing is changed. Numbers of tokens are estimates.',
    'JSON: {at, messages, fromCheckpoint, watermark: {id, index}, summarizedCount, keptCount, tokensBefore,',
    'tokensAfter, noOp, summary?: {text, by}, checkpoint?, distilled?}; with --format also what it gives, by its name.',
  ],
  options: {
    at: { type: 'string' },
    'keep-tokens': { type: 'string' },
    format: { type: 'string' },
    distill: { type: 'boolean' },
    partial: { type: 'boolean' },
  },
  arguments: { min: 1, max: 1 },
  run(call) {
    const { ports } = call.io;
    const name = parseConversationName(call.positionals[0]!);
    const format = choiceOption(call, 'format', formats);
    const keepTokens = tokensOption(call);
    const stores = rootStores(ports, call.root());
    const chain = openChain(ports, stores, name);
    if (chain.nodes.length === 0 && chain.index.size === 0) call.say(`There is no conversation ${name} here yet.`);
    const rebuilt = rebuildChain(ports, stores, chain, {
      at: textOption(call, 'at'),
      keepTokens,
      partial: flag(call, 'partial'),
    });
    const distilled = flag(call, 'distill') ? keepDistilled(ports, stores, chain, rebuilt) : undefined;
    if (!call.json) call.say(figuresLine(rebuilt));
    if (distilled !== undefined) call.say(`The summary is kept in the conversation, as ${safeLine(distilled)}.`);
    return {
      json: {
        ...rebuilt,
        ...(distilled !== undefined && { distilled }),
        ...(format !== undefined && format !== 'messages' && { [format]: written(rebuilt, format, name) }),
        ...(format === 'messages' && { messages: strictMessages(rebuilt.messages) }),
      },
      human: () => {
        const text = written(rebuilt, format ?? 'markdown', name);
        return typeof text === 'string' ? safeLines(text).trimEnd() : safeJson(text);
      },
    };
  },
};

function written(rebuilt: ChainRebuild, format: Format, title: string): unknown {
  switch (format) {
    case 'markdown':
      return rebuiltMarkdown(rebuilt, title);
    case 'messages':
      return strictMessages(rebuilt.messages);
    case 'anthropic':
      return anthropicMessages(rebuilt.messages);
    case 'openai':
      return { messages: openAiMessages(rebuilt.messages) };
  }
}

export function tokensOption(call: VerbCall): number | undefined {
  const text = textOption(call, 'keep-tokens');
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text))
    throw new UsageError(`--keep-tokens takes a number of tokens, not ${JSON.stringify(text)}.`);
  return Number(text);
}
