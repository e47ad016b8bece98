// opencode's messages and their parts as passes.
import type { ConversationTree, Message } from '../../core/conversation/model';
import { idOf, jsonOf, recordOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { blocksOf, messageOf, toolMessage, usageOf } from '../messageBlocks';

export interface StoredMessage {
  readonly info: JsonRecord;
  readonly parts: readonly JsonRecord[];
}

/** @param session the session's own record, where it is known */
export function opencodeTree(
  source: Source,
  messages: readonly StoredMessage[],
  session: JsonRecord = {},
): ConversationTree {
  const passes = new Passes(source);
  passes.cwd = textOf(session.directory);
  passes.title = titleOf(textOf(session.title));
  for (const { message, id } of inOrder(messages)) addMessage(passes, message, id);
  return passes.tree();
}

/** By time; each with the id that it has in the tree. */
export function inOrder(
  messages: readonly StoredMessage[],
): { readonly message: StoredMessage; readonly id: string }[] {
  const timed = messages.map((message, i) => ({ message, i, at: timeOf(recordOf(message.info.time).created) ?? '' }));
  // Files come by name, rows as they are; ids grow with time, but are not said to.
  timed.sort((a, b) => (a.at === b.at ? a.i - b.i : a.at < b.at ? -1 : 1));
  return timed.map(({ message, i }) => ({ message, id: idOf(message.info.id) ?? `message-${i}` }));
}

function addMessage(passes: Passes, { info, parts }: StoredMessage, id: string): void {
  const ts = timeOf(recordOf(info.time).created);
  passes.cwd ??= textOf(recordOf(info.path).cwd);
  const texts = parts.filter(({ type, ignored }) => type === 'text' && ignored !== true);
  const text = texts.map((part) => textOf(part.text) ?? '').join('\n');
  const files = parts.filter(({ type }) => type === 'file');
  const { attachments } = blocksOf(files.map(({ mime, url }) => ({ type: 'file', mime, data: url })));
  if (info.role === 'user') {
    passes.add([messageOf('user', { ...blocksOf(text), attachments }, { id, ts })], { id, ts });
    return;
  }
  if (info.role !== 'assistant') return;
  const tools = parts.filter(({ type }) => type === 'tool');
  const calls = tools.map(({ callID, id: part, tool, state }) => ({
    id: idOf(callID) ?? idOf(part) ?? '',
    name: textOf(tool) ?? 'unknown',
    arguments: jsonOf(recordOf(state).input),
  }));
  const reasoning = parts
    .filter(({ type }) => type === 'reasoning')
    .map((part) => ({ type: 'reasoning', text: textOf(part.text) ?? '' }));
  const said = messageOf('assistant', { ...blocksOf(text), calls, reasoning, attachments }, { id, ts });
  const answers = tools.flatMap(({ state }, i): Message[] => {
    const { status, output, error } = recordOf(state);
    if (output === undefined && error === undefined) return [];
    return [toolMessage(calls[i]!.id, output ?? error, status === 'error')];
  });
  const tokens = recordOf(info.tokens);
  const cache = recordOf(tokens.cache);
  const details = {
    id,
    ts,
    model: textOf(info.modelID),
    usage: usageOf([tokens.input, cache.read, cache.write], tokens.output),
  };
  // The answer to a request for a summary: what follows builds on it alone.
  if (info.summary === true)
    passes.compaction([said, ...answers], { text, by: 'agent', watermark: { index: passes.pathLength() } }, details);
  else passes.add([said, ...answers], details);
}
