// Looking into messages that anybody may have written: a field of the wrong form reads as absent.
import type { Message, ReasoningBlock, ToolCall } from '../conversation/model';

/** The text of a message; of one that others stored in blocks, the text of these. */
export function textOf(message: Message): string {
  const content: unknown = message.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block: unknown) => {
    if (typeof block === 'string') return block;
    const text = (block as { text?: unknown } | null)?.text;
    return typeof text === 'string' ? text : '';
  });
  return texts.filter((text) => text !== '').join('\n');
}

/** JSON of what was read from outside: it may be nested more deeply than can be written. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? '';
  } catch {
    return '"[nested too deeply to be shown]"';
  }
}

export function callsOf(message: Message): readonly ToolCall[] {
  const calls: unknown = message.tool_calls;
  if (message.role !== 'assistant' || !Array.isArray(calls)) return none;
  return calls.every(isCall) ? calls : calls.filter(isCall);
}

/** The call that a tool message answers. */
export function answeredCall(message: Message): string | undefined {
  const id: unknown = message.tool_call_id;
  return message.role === 'tool' && typeof id === 'string' ? id : undefined;
}

export function reasoningOf(message: Message): readonly ReasoningBlock[] {
  const blocks: unknown = message.reasoning?.blocks;
  return Array.isArray(blocks) ? blocks.filter((block) => typeof block === 'object' && block !== null) : [];
}

export function attachmentCounts(message: Message): { images: number; others: number } {
  const attachments: unknown = message.attachments;
  if (!Array.isArray(attachments)) return { images: 0, others: 0 };
  const images = attachments.filter((one: unknown) => (one as { type?: unknown } | null)?.type === 'image').length;
  return { images, others: attachments.length - images };
}

/** Whether two messages say the same. */
export function sameMessage(a: Message, b: Message): boolean {
  if (a === b) return true;
  if (a.role !== b.role || textOf(a) !== textOf(b) || answeredCall(a) !== answeredCall(b)) return false;
  return jsonText(callsOf(a)) === jsonText(callsOf(b));
}

const none: readonly ToolCall[] = [];

function isCall(value: unknown): value is ToolCall {
  const call = value as Partial<ToolCall> | null;
  return typeof call === 'object' && call !== null && typeof call.id === 'string' && typeof call.name === 'string';
}
