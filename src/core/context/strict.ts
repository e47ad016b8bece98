// Messages as large model APIs accept them: what a list may hold in a store is not always what they take.
import type { Json, Message, ReasoningBlock, ToolCall } from '../conversation/model';
import { attachmentCounts, callsOf, jsonText, reasoningOf, textOf } from './message';
import { interrupted, repaired } from './repair';

/** Stands first where a conversation begins with the assistant. */
const opening = '[The conversation begins with the assistant.]';

/**
 * The list in the chain's own form, after the rules that all APIs share: it begins with the user (after system
 * messages), each call has an id of its own and one result right after it, no message is empty, every text is
 * well-formed Unicode. Reasoning stays whole, or is left out.
 */
export function strictMessages(messages: readonly Message[]): Message[] {
  const list: Message[] = [];
  const used = new Set<string>();
  const whole = repaired(messages);
  for (let at = 0; at < whole.length; at++) {
    const message = whole[at]!;
    if (message.role === 'tool') continue;
    const calls = callsOf(message);
    if (calls.length === 0) {
      const spoken = withoutCalls(message);
      if (spoken !== undefined) list.push(spoken);
      continue;
    }
    const answers: Message[] = [];
    for (let next = at + 1; whole[next]?.role === 'tool'; next++) answers.push(whole[next]!);
    list.push(...batch(message, calls, answers, used));
  }
  const first = list.findIndex(({ role }) => role !== 'system');
  if (list[first]?.role === 'assistant') list.splice(first, 0, { role: 'user', content: opening });
  return list;
}

/** Deeper than that nothing is taken along: writing it would fail. */
const maxDepth = 500;

/** Well-formed copies of all strings in a value, names of fields included. */
export function wellFormed<T extends Json | undefined>(value: T, depth = 0): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return '[nested too deeply]' as T;
  if (Array.isArray(value)) return value.map((item: Json) => wellFormed(item, depth + 1)) as unknown as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item as Json, depth + 1)]),
  ) as T;
}

/** What a message without text shows in its place; undefined where it has nothing at all. */
export function attachmentNote(message: Message): string | undefined {
  const { images, others } = attachmentCounts(message);
  const parts = [counted(images, 'image'), counted(others, 'file')].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `[${parts.join(', ')}, not included]`;
}

const counted = (count: number, noun: string) =>
  count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;

function withoutCalls(message: Message): Message | undefined {
  const content = textOf(message).trim() === '' ? attachmentNote(message) : textOf(message).toWellFormed();
  if (content === undefined) return undefined;
  const { tool_calls: _calls, ...rest } = message;
  return clean(rest, content);
}

/** The message with its own fields, made well-formed; signed reasoning is void once a byte of it changes. */
function clean(message: Message, content: string): Message {
  const { reasoning: _reasoning, ...rest } = message;
  const blocks = reasoningOf(message);
  const isWhole = blocks.length > 0 && isWellFormed(blocks);
  return {
    ...(wellFormed(rest as unknown as Json) as unknown as Message),
    content,
    ...(isWhole && { reasoning: { blocks } }),
  };
}

const isWellFormed = (blocks: readonly ReasoningBlock[]): boolean =>
  jsonText(blocks) === jsonText(wellFormed(blocks as unknown as Json));

function batch(
  message: Message,
  calls: readonly ToolCall[],
  answers: readonly Message[],
  used: Set<string>,
): Message[] {
  const waiting = new Map<string, Message[]>();
  for (const answer of answers) {
    const id = answer.tool_call_id ?? '';
    waiting.set(id, [...(waiting.get(id) ?? []), answer]);
  }
  const results: Message[] = [];
  const named = calls.map((call) => {
    const id = ownId(call.id, used);
    const answer = waiting.get(call.id)?.shift() ?? { role: 'tool' as const, content: interrupted, is_error: true };
    results.push({ ...clean(answer, textOf(answer).toWellFormed()), tool_call_id: id });
    return {
      ...(wellFormed(call as unknown as Json) as unknown as ToolCall),
      id,
      name: call.name.toWellFormed() || 'tool',
    };
  });
  return [{ ...clean(message, textOf(message).toWellFormed()), tool_calls: named }, ...results];
}

/** APIs refuse an id twice, and some know no other characters or longer ones. */
function ownId(id: string, used: Set<string>): string {
  const base = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 56) || 'call';
  let own = id.length <= 64 && base === id ? id : base;
  for (let count = 2; used.has(own); count++) own = `${base}_${count}`;
  used.add(own);
  return own;
}
