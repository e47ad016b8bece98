// The message that stands for everything before the watermark, and how it is known again later.
import type { Message } from '../conversation/model';
import { textOf } from './message';

/** First line of each summary that we write: by it, a later rebuild replaces the summary and does not nest it. */
export const summaryMarker = '[context summary: agent-checkpoints]';
/** What other programs begin their summaries with. */
const foreignMarkers = ['[compacted:'];

const introduction = 'This stands for the earlier part of the conversation, which is not repeated here.';

export function summaryMessage(text: string): Message {
  return { role: 'user', content: `${summaryMarker}\n${introduction}\n\n${text.trim()}` };
}

/** Whether this message says of itself that it is a summary. */
export function isSummaryMessage(message: Message): boolean {
  if (message.role !== 'user') return false;
  const content = textOf(message);
  return [summaryMarker, ...foreignMarkers].some((marker) => content.startsWith(marker));
}

/**
 * The message that brings a summary of this text into an agent's context: the text itself, or the text with a few
 * words around it. Never one that only quotes it.
 * @returns its index, or -1
 */
export function carrierOf(messages: readonly Message[], text: string): number {
  if (text === '') return -1;
  const isWhole = messages.findIndex((message) => isSpoken(message) && textOf(message).trim() === text);
  if (isWhole >= 0) return isWhole;
  return messages.findIndex((message) => {
    const content = textOf(message);
    return isSpoken(message) && content.length <= 2 * text.length + 400 && content.includes(text) && text.length > 80;
  });
}

const isSpoken = ({ role }: Message) => role === 'user' || role === 'assistant';

/** The text of a summary without what {@link summaryMessage} puts around it. */
export function bareSummary(text: string): string {
  let rest = text.trim();
  if (rest.startsWith(summaryMarker)) rest = rest.slice(summaryMarker.length).trimStart();
  if (rest.startsWith(introduction)) rest = rest.slice(introduction.length).trimStart();
  return rest;
}
