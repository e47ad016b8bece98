// A record's messages as a person sees them: bounded, and whatever types they have.
import type { ChainNode } from './chainNode';
import type { ChainRecord, StoredMessage } from './record';

export interface ShownMessage {
  readonly role: string;
  readonly text: string;
  /** Characters that were left out at its end. */
  readonly cut: number;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly isError: boolean;
}

const maxText = 100_000;
const maxArguments = 20_000;
const maxCalls = 200;
const maxLine = 300;

/** What the record added to its parent's list. */
export function addedMessages(
  record: ChainRecord,
  node: ChainNode,
  parent: ChainNode | undefined,
): readonly StoredMessage[] {
  const isWhole = !node.delta && !node.replaces && parent !== undefined && parent.total <= record.messages.length;
  return isWhole ? record.messages.slice(parent.total) : record.messages;
}

export function contentText({ content }: StoredMessage): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part: unknown) => {
      const { text } = (part ?? {}) as { text?: unknown };
      return typeof text === 'string' ? text : JSON.stringify(part);
    })
    .join('\n');
}

export function shownMessage(message: StoredMessage): ShownMessage {
  const text = contentText(message);
  return {
    role: message.role.slice(0, 100),
    text: text.slice(0, maxText).toWellFormed(),
    cut: Math.max(0, text.length - maxText),
    calls: callsOf(message).map(({ name, value }) => ({ name, arguments: argumentText(value) })),
    isError: message['is_error'] === true,
  };
}

function callsOf({ tool_calls: calls }: StoredMessage): { name: string; value: unknown }[] {
  if (!Array.isArray(calls)) return [];
  return calls.slice(0, maxCalls).map((call: unknown) => {
    const { name, arguments: value } = (call ?? {}) as { name?: unknown; arguments?: unknown };
    return { name: typeof name === 'string' ? name.slice(0, 200).toWellFormed() : 'a tool', value };
  });
}

function argumentText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const cut = text.length > maxArguments ? `${text.slice(0, maxArguments)}…` : text;
  return cut.toWellFormed();
}

export interface RecordLabel {
  readonly text: string;
  readonly who: 'user' | 'assistant' | 'other';
  readonly tools: readonly string[];
}

/** One line for a list. */
export function labelOf(
  messages: readonly StoredMessage[],
  kind: ChainNode['kind'],
  summary: string | undefined,
): RecordLabel {
  const speaker =
    messages.find((each) => each.role === 'user' && contentText(each).trim() !== '') ??
    messages.find((each) => each.role === 'assistant' && contentText(each).trim() !== '') ??
    messages.find((each) => contentText(each).trim() !== '');
  const role = messages.find((each) => each.role === 'user')?.role ?? messages[0]?.role;
  const tools = messages.flatMap((each) => callsOf(each).map(({ name }) => name));
  const text =
    kind === 'compaction' && summary !== undefined ? summary : speaker === undefined ? '' : contentText(speaker);
  return {
    text:
      oneLine(withoutMarkup(text)) ||
      (tools.length > 0 ? 'Calls tools' : messages.length > 0 ? '(no text)' : '(no messages)'),
    who: role === 'user' ? 'user' : role === 'assistant' ? 'assistant' : 'other',
    tools: [...new Set(tools)].slice(0, 8),
  };
}

/** Marks of Markdown say nothing in one line. */
const withoutMarkup = (text: string) =>
  text
    .slice(0, 4 * maxLine)
    .replace(/^\s*(#{1,6}|>|```[\w-]*)\s*/gm, ' ')
    .replace(/\*\*([^*\n]+)\*\*|`([^`\n]+)`/g, '$1$2');

export const oneLine = (text: string): string =>
  text
    .slice(0, 4 * maxLine)
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, maxLine)
    .toWellFormed();
