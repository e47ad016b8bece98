// The parts that agents make messages of: text, thinking, calls, results, pictures; in the words of several vendors.
import type { Attachment, Message, ReasoningBlock, ToolCall } from '../core/conversation/model';
import {
  argumentsOf,
  countOf,
  idOf,
  isRecord,
  jsonOf,
  recordOf,
  recordsOf,
  textOf,
  type JsonRecord,
} from '../core/conversation/transcriptJson';

export interface Blocks {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reasoning: readonly ReasoningBlock[];
  readonly attachments: readonly Attachment[];
  /** Messages of role `tool`. */
  readonly results: readonly Message[];
}

/** Any content: a text, or a list of parts. Unknown parts are counted as attachments of type `other`. */
export function blocksOf(content: unknown): Blocks {
  if (typeof content === 'string') return { text: content, calls: [], reasoning: [], attachments: [], results: [] };
  const texts: string[] = [];
  const calls: ToolCall[] = [];
  const reasoning: ReasoningBlock[] = [];
  const attachments: Attachment[] = [];
  const results: Message[] = [];
  const parts = Array.isArray(content) ? (content as unknown[]) : isRecord(content) ? [content] : [];
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part);
    if (!isRecord(part)) continue;
    const call = callOf(part);
    const result = resultOf(part);
    const text = textOf(part.text);
    if (call !== undefined) calls.push(call);
    else if (result !== undefined) results.push(result);
    else if (isThinking(part)) reasoning.push(reasoningOf(part));
    else if (text !== undefined) texts.push(text);
    else attachments.push(attachmentOf(part));
  }
  return { text: texts.join('\n'), calls, reasoning, attachments, results };
}

function callOf(part: JsonRecord): ToolCall | undefined {
  const google = recordOf(part.functionCall);
  const [id, name, input] =
    part.functionCall !== undefined
      ? [google.id, google.name, google.args]
      : part.type === 'tool_use' || part.type === 'server_tool_use'
        ? [part.id, part.name, part.input]
        : part.type === 'toolCall'
          ? [part.id, part.name, part.arguments]
          : [];
  if (name === undefined && id === undefined) return undefined;
  return { id: idOf(id) ?? '', name: textOf(name) ?? 'unknown', arguments: argumentsOf(input) };
}

function resultOf(part: JsonRecord): Message | undefined {
  if (part.functionResponse !== undefined) {
    const { id, response } = recordOf(part.functionResponse);
    const { output, error } = recordOf(response);
    return toolMessage(id, output ?? error ?? response, error !== undefined);
  }
  if (part.type !== 'tool_result' && part.type !== 'web_search_tool_result') return undefined;
  return toolMessage(part.tool_use_id, part.content, part.is_error === true);
}

/** The message that answers a call; content is a text, parts, or anything else as JSON. */
export function toolMessage(callId: unknown, content: unknown, failed = false): Message {
  const { text, attachments } = blocksOf(content);
  // Lists of objects that are no parts of a message, and objects, are given as JSON.
  const isData = isRecord(content) || (text === '' && recordsIn(content).some(({ type }) => type === undefined));
  return {
    role: 'tool',
    content: isData ? JSON.stringify(jsonOf(content)) : text,
    tool_call_id: idOf(callId) ?? '',
    ...(failed && { is_error: true }),
    ...(attachments.length > 0 && !isData && { attachments }),
  };
}

const recordsIn = (value: unknown) => (Array.isArray(value) ? recordsOf(value) : []);

const isThinking = ({ type, thought }: JsonRecord) =>
  type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning' || thought === true;

function reasoningOf(part: JsonRecord): ReasoningBlock {
  const text = textOf(part.thinking) ?? textOf(part.text) ?? textOf(part.data);
  const signature = textOf(part.signature) ?? textOf(part.thinkingSignature) ?? textOf(part.thoughtSignature);
  return {
    type: textOf(part.type) ?? 'thinking',
    ...(text !== undefined && { text }),
    ...(signature !== undefined && { signature }),
  };
}

function attachmentOf(part: JsonRecord): Attachment {
  const source = recordOf(part.source ?? part.inlineData ?? part.fileData);
  const data = textOf(source.data) ?? textOf(part.data) ?? textOf(part.image_url) ?? textOf(part.content);
  const mediaType = textOf(source.media_type) ?? textOf(source.mimeType) ?? textOf(part.mimeType) ?? textOf(part.mime);
  const isImage = /image/.test(textOf(part.type) ?? '') || mediaType?.startsWith('image/') === true;
  const isFile = part.type === 'file' || part.type === 'document' || mediaType !== undefined;
  return {
    type: isImage ? 'image' : isFile ? 'file' : 'other',
    ...(mediaType !== undefined && { mediaType: mediaType.slice(0, 200) }),
    // Base64 holds three bytes in four characters.
    ...(data !== undefined && { size: part.type === 'file' ? data.length : Math.floor((data.length * 3) / 4) }),
  };
}

/** A message out of blocks; its results are messages of their own. */
export function messageOf(role: 'user' | 'assistant', blocks: Blocks, more: Pick<Message, 'id' | 'ts'> = {}): Message {
  const { text, calls, reasoning, attachments } = blocks;
  return {
    role,
    content: text,
    ...(more.id !== undefined && { id: more.id }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning.length > 0 && { reasoning: { blocks: reasoning } }),
    ...(attachments.length > 0 && { attachments }),
    ...(more.ts !== undefined && { ts: more.ts }),
  };
}

/** True for a message that says nothing. */
export const isEmpty = ({ text, calls, reasoning, attachments }: Blocks) =>
  text === '' && calls.length === 0 && reasoning.length === 0 && attachments.length === 0;

/** Input counts what came from a cache; undefined where the figures are not told. */
export function usageOf(input: readonly unknown[], output: unknown) {
  const read = input.map(countOf).filter((count) => count !== undefined);
  const written = countOf(output);
  if (read.length === 0 && written === undefined) return undefined;
  return { input: read.reduce((a, b) => a + b, 0), output: written ?? 0 };
}
