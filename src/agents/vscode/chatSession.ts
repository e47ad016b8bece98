// The chat that VS Code keeps for its view: one document, or a log of the changes that lead to it.
import type { ConversationTree, Message, ToolCall } from '../../core/conversation/model';
import type { TreeBuilder } from '../../core/conversation/transcriptFollow';
import {
  argumentsOf,
  idOf,
  isRecord,
  listOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { blocksOf, messageOf, toolMessage } from '../messageBlocks';
import { ObjectLog } from './objectLog';

/** Follows a log of changes. */
export function chatBuilder(source: Source): TreeBuilder {
  const log = new ObjectLog();
  return {
    add: (record) => log.apply(record),
    tree: () => chatTree(source, recordOf(log.value)),
  };
}

/** @param chat a chat of version 3, as far as it is one */
export function chatTree(source: Source, chat: JsonRecord): ConversationTree {
  const passes = new Passes(source);
  passes.title = titleOf(textOf(chat.customTitle));
  recordsOf(chat.requests).forEach((request, i) => addRequest(passes, request, i));
  return passes.tree();
}

function addRequest(passes: Passes, request: JsonRecord, index: number): void {
  const id = idOf(request.requestId) ?? `request-${index}`;
  const ts = timeOf(request.timestamp);
  const { message } = request;
  const prompt = textOf(message) ?? textOf(recordOf(message).text) ?? '';
  passes.add([messageOf('user', blocksOf(prompt), { id, ts })], { id, ts });
  const model = textOf(request.modelId);
  const metadata = recordOf(recordOf(request.result).metadata);
  const rounds = recordsOf(metadata.toolCallRounds);
  const results = recordOf(metadata.toolCallResults);
  rounds.forEach((round, n) =>
    addRound(passes, round, results, { id: idOf(round.id) ?? `${id}-${n}`, ts: timeOf(round.timestamp) ?? ts, model }),
  );
  if (rounds.length === 0)
    addResponse(passes, request, { id: idOf(request.responseId) ?? `${id}-response`, ts, model });
}

interface Details {
  readonly id: string;
  readonly ts: string | undefined;
  readonly model: string | undefined;
}

function addRound(passes: Passes, round: JsonRecord, results: JsonRecord, details: Details): void {
  const calls = recordsOf(round.toolCalls).map(({ id, name, arguments: input }) => ({
    id: idOf(id) ?? '',
    name: textOf(name) ?? 'unknown',
    arguments: argumentsOf(input),
  }));
  const thinking = recordOf(round.thinking);
  const thought =
    textOf(thinking.text) ??
    listOf(thinking.text)
      .filter((text) => typeof text === 'string')
      .join('\n');
  const reasoning = thought === '' ? [] : [{ type: 'thinking', text: thought }];
  const said = messageOf('assistant', { ...blocksOf(textOf(round.response) ?? ''), calls, reasoning }, details);
  const answers = calls.flatMap(({ id }): Message[] => {
    const result = Object.hasOwn(results, id) ? results[id] : undefined;
    return result === undefined ? [] : [toolMessage(id, resultText(result))];
  });
  passes.add([said, ...answers], details);
}

/** What the view shows, where the rounds of the model are not kept. */
function addResponse(passes: Passes, request: JsonRecord, details: Details): void {
  const parts = listOf(request.response);
  const texts: string[] = [];
  const calls: ToolCall[] = [];
  const answers: Message[] = [];
  for (const part of parts) {
    if (!isRecord(part)) continue;
    const text =
      part.kind === undefined || part.kind === 'markdownContent'
        ? markdownOf(part.value ?? part.content ?? part)
        : undefined;
    if (text !== undefined) texts.push(text);
    if (part.kind !== 'toolInvocationSerialized' && part.kind !== 'toolInvocation') continue;
    const id = idOf(part.toolCallId) ?? `${details.id}-${calls.length}`;
    calls.push({ id, name: textOf(part.toolId) ?? 'unknown', arguments: {} });
    const past = markdownOf(part.pastTenseMessage);
    if (past !== undefined) answers.push(toolMessage(id, past));
  }
  if (texts.length === 0 && calls.length === 0) return;
  passes.add([messageOf('assistant', { ...blocksOf(texts.join('')), calls }, details), ...answers], details);
}

const markdownOf = (value: unknown) => textOf(value) ?? textOf(recordOf(value).value);

/** Bytes of text that one result may give; the pieces stand in a tree. */
const maxPieces = 100_000;

/** A result is text, or a tree of the pieces that a prompt is made of. */
function resultText(result: unknown): string {
  const texts: string[] = [];
  const open: unknown[] = [recordOf(result).content ?? result];
  for (let n = 0; n < maxPieces && open.length > 0; n++) {
    const piece = open.pop();
    if (typeof piece === 'string') texts.push(piece);
    else if (Array.isArray(piece)) for (let i = piece.length - 1; i >= 0; i--) open.push(piece[i]);
    else if (isRecord(piece)) {
      if (typeof piece.text === 'string') texts.push(piece.lineBreakBefore === true ? `\n${piece.text}` : piece.text);
      open.push(
        piece.children,
        piece.node,
        typeof piece.value === 'object' || piece.text === undefined ? piece.value : undefined,
      );
    }
  }
  return texts.join('');
}
