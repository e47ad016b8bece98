// The list in the forms of two families of APIs. Both begin with the rules that they share.
import type { Json, Message, ReasoningBlock, ToolCall } from '../conversation/model';
import { callsOf, reasoningOf, textOf } from './message';
import { strictMessages } from './strict';

export type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Json }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error?: true };

export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: AnthropicBlock[];
}

/** Roles alternate; results stand first in the user's message; system messages are apart. */
export function anthropicMessages(messages: readonly Message[]): { system?: string; messages: AnthropicMessage[] } {
  const strict = strictMessages(messages);
  const begin = strict.findIndex(({ role }) => role !== 'system');
  const system = strict.slice(0, begin < 0 ? strict.length : begin).map(textOf);
  const list: AnthropicMessage[] = [];
  for (const message of strict.slice(system.length)) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = list.at(-1);
    const isNew = last?.role !== role;
    const blocks = blocksOf(message, isNew);
    if (isNew) list.push({ role, content: blocks });
    else last.content.push(...blocks);
  }
  return { ...(system.length > 0 && { system: system.join('\n\n') }), messages: list };
}

function blocksOf(message: Message, isFirst: boolean): AnthropicBlock[] {
  const text = textOf(message);
  if (message.role === 'tool') {
    const content = text.trim() === '' ? '[no output]' : text;
    const failed = message.is_error === true ? { is_error: true as const } : {};
    return [{ type: 'tool_result', tool_use_id: message.tool_call_id!, content, ...failed }];
  }
  const said: AnthropicBlock[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  const calls = callsOf(message).map((call): AnthropicBlock => {
    return { type: 'tool_use', id: call.id, name: toolName(call), input: inputObject(call.arguments) };
  });
  // Thinking may only begin an answer.
  return [...(isFirst ? thinkingOf(message) : []), ...said, ...calls];
}

function thinkingOf(message: Message): AnthropicBlock[] {
  const blocks = reasoningOf(message).map(thinkingBlock);
  return blocks.every((block) => block !== undefined) ? blocks : [];
}

function thinkingBlock({ type, text, signature, ...rest }: ReasoningBlock): AnthropicBlock | undefined {
  const data = rest['data'];
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data };
  const isSigned = type === 'thinking' && typeof text === 'string' && typeof signature === 'string' && signature !== '';
  return isSigned ? { type: 'thinking', thinking: text, signature } : undefined;
}

export interface OpenAiMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export function openAiMessages(messages: readonly Message[]): OpenAiMessage[] {
  return strictMessages(messages).map((message): OpenAiMessage => {
    const content = textOf(message);
    if (message.role === 'tool')
      return { role: 'tool', tool_call_id: message.tool_call_id!, content: content || '[no output]' };
    const calls = callsOf(message);
    if (calls.length === 0) return { role: message.role, content };
    const tool_calls = calls.map((call) => ({
      id: call.id,
      type: 'function' as const,
      function: { name: toolName(call), arguments: JSON.stringify(inputObject(call.arguments)) },
    }));
    return { role: 'assistant', content: content.trim() === '' ? null : content, tool_calls };
  });
}

const toolName = ({ name }: ToolCall): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'tool';

/** Both take an object only. */
function inputObject(given: Json): Json {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  if (typeof given === 'string') {
    try {
      const parsed: unknown = JSON.parse(given);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Json;
    } catch {
      // Then it is a text, such as a patch.
    }
  }
  return given === null || given === undefined || given === '' ? {} : { input: given };
}
