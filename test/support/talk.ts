// Conversations for tests, written in few words.
import type { ConversationNode, Json, Message, Summary, ToolCall } from '../../src/core/conversation/model';

export const user = (content: string, more: Partial<Message> = {}): Message => ({ role: 'user', content, ...more });
export const assistant = (content: string, more: Partial<Message> = {}): Message => ({
  role: 'assistant',
  content,
  ...more,
});
export const call = (id: string, name: string, input: Json = {}): ToolCall => ({ id, name, arguments: input });
export const calls = (content: string, ...tool_calls: ToolCall[]): Message => assistant(content, { tool_calls });
export const result = (tool_call_id: string, content: string, more: Partial<Message> = {}): Message => ({
  role: 'tool',
  content,
  tool_call_id,
  ...more,
});

export const node = (
  id: string,
  messages: readonly Message[],
  more: Partial<ConversationNode> = {},
): ConversationNode => ({
  id,
  parentId: null,
  messages,
  kind: 'pass',
  files: [],
  ...more,
});

/** Nodes one after the other: each one's parent is the one before. */
export const chain = (...nodes: readonly ConversationNode[]): ConversationNode[] =>
  nodes.map((one, at) => ({ ...one, parentId: nodes[at - 1]?.id ?? null }));

export const summary = (text: string, watermark?: Summary['watermark'], by: Summary['by'] = 'agent'): Summary => ({
  text,
  by,
  ...(watermark && { watermark }),
});

/** A message of about so many tokens. */
export const long = (tokens: number, letter = 'x'): string =>
  `${letter.repeat(39)} `.repeat(Math.ceil((tokens * 4) / 40));

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
