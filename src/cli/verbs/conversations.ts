// conversations, conversation, resume: the chains of an agent's conversations.
import { openChain, type Chain } from '../../core/conversation/chain';
import { findConversations, forksOf, refusalOf, summarise } from '../../core/conversation/conversations';
import { parseConversationName } from '../../core/conversation/names';
import type { StoredMessage } from '../../core/conversation/record';
import { rootStores } from '../../core/store/stores';
import { columnsOf, counted, cut, localTime, padEnd, safeLine, safeLines, styleFor } from './screen';
import { flag, textOption, type Verb, type VerbCall } from './verb';

export const chainArgument = '<c> is the name of the chain file without .jsonl.';

export const conversations: Verb = {
  name: 'conversations',
  usage: '',
  summary: 'the conversations with agents, newest first',
  details: ['JSON: {conversations: [{id, agent, session, nodes, forks, leaf, damaged, updatedAt}]}.'],
  options: {},
  run(call) {
    const found = findConversations(call.io.ports, rootStores(call.io.ports, call.root()));
    const list = found.flatMap(({ chain, changedAt }) => {
      const refusal = refusalOf(chain);
      if (refusal !== undefined) call.say(`${chain.name} cannot be read: ${refusal}`);
      return refusal === undefined ? [summarise(chain, changedAt)] : [];
    });
    list.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    const width = Math.max(0, ...list.map(({ id }) => id.length)) + 2;
    return {
      json: { conversations: list },
      human: () =>
        list.length === 0
          ? 'No conversations here yet.'
          : list
              .map(
                ({ id, nodes, forks, damaged, updatedAt }) =>
                  `${localTime(updatedAt)}  ${padEnd(id, width)}${counted(nodes, 'checkpoint')}, ${counted(forks, 'fork')}` +
                  (damaged > 0 ? `, ${counted(damaged, 'damaged line')}` : ''),
              )
              .join('\n'),
    };
  },
};

export const conversation: Verb = {
  name: 'conversation',
  usage: '<c>',
  summary: 'the checkpoints of one conversation',
  details: [
    chainArgument,
    'JSON: {nodes: [{id, parent_id, ts, iteration, files, messages, incomplete?}], leaf, damaged: [{line, reason}]};',
    'messages is how many there are from the root up to the node.',
  ],
  options: {},
  arguments: { min: 1, max: 1 },
  run(call) {
    const chain = opened(call);
    const nodes = chain.nodes.map((node) => ({
      id: node.id,
      parent_id: node.orphan ? null : node.parentId,
      ts: node.ts ?? null,
      iteration: node.iteration ?? null,
      files: node.files,
      messages: node.total,
      ...(node.incomplete && { incomplete: true }),
    }));
    const leaf = chain.leaf ?? null;
    return { json: { nodes, leaf, damaged: chain.index.damaged }, human: () => outline(call, chain) };
  },
};

export const resume: Verb = {
  name: 'resume',
  usage: '<c> [--at id|latest] [--partial]',
  summary: 'the messages to go on from',
  details: [
    chainArgument,
    '--at ID      the checkpoint to go on from; latest (default): where the conversation is now',
    '--partial    what is left, where something on the way is damaged',
    'Nothing is changed. The messages belong behind the leading system message and before the new input.',
    'JSON: {id, messages}; id is the parent_id of what is written next, null where there is nothing yet.',
  ],
  options: { at: { type: 'string' }, partial: { type: 'boolean' } },
  arguments: { min: 1, max: 1 },
  run(call) {
    const resumed = opened(call).resume(textOption(call, 'at') ?? 'latest', { partial: flag(call, 'partial') });
    return {
      json: resumed,
      human: () =>
        resumed.messages.length === 0 ? 'No messages yet.' : resumed.messages.map(messageText).join('\n\n'),
    };
  },
};

/** A missing one is an empty list, and said to be missing. */
export function opened(call: VerbCall): Chain {
  const name = parseConversationName(call.positionals[0]!);
  const chain = openChain(call.io.ports, rootStores(call.io.ports, call.root()), name);
  if (chain.nodes.length === 0 && chain.index.size === 0) call.say(`There is no conversation ${name} here yet.`);
  return chain;
}

function outline(call: VerbCall, chain: Chain): string {
  const style = styleFor(call.io.stdout, call.io.env);
  const leaf = chain.leaf;
  const forks = new Set(forksOf(chain));
  const lines = chain.nodes.map((node) => {
    const parent = node.orphan || node.parentId === null ? 'root' : `after ${node.parentId}`;
    const marks = [
      ...(node.id === leaf ? ['leaf'] : []),
      ...(forks.has(node.id) ? ['fork'] : []),
      ...(node.kind === 'pass' ? [] : [node.kind]),
      ...(node.incomplete ? ['incomplete'] : []),
    ];
    const time = node.ts === undefined ? '' : `${localTime(node.ts)}  `;
    const text = `${time}${node.id}  ${parent}  ${counted(node.total, 'message')}`;
    return `${cut(safeLine(text), columnsOf(call.io.stdout))}${marks.map((mark) => style('yellow', `  [${mark}]`)).join('')}`;
  });
  for (const { line, reason } of chain.index.damaged) lines.push(style('red', `line ${line}: ${safeLine(reason)}`));
  return lines.length === 0 ? 'No checkpoints yet.' : lines.join('\n');
}

function messageText(message: StoredMessage): string {
  const { content, tool_calls: calls } = message;
  const text = typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content);
  const names = Array.isArray(calls)
    ? calls.map((each: unknown) => `-> ${JSON.stringify((each as { name?: unknown } | null)?.name ?? 'a tool')}`)
    : [];
  return [`${message.role}:`, text, ...names]
    .filter((part) => part !== '')
    .map(safeLines)
    .join('\n');
}
