// How many tokens a message takes: an estimate, always to be shown as one.
import type { Message, Usage } from '../conversation/model';
import { attachmentCounts, callsOf, jsonText, reasoningOf, textOf } from './message';

const charactersPerToken = 4;
/** What an image, or another attachment whose text is not known, takes. */
const attachmentTokens = 1200;

/** Tokens of a text. */
export const textTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);

/** Tokens of a message, with its calls, reasoning and attachments. */
export function messageTokens(message: Message): number {
  let characters = textOf(message).length;
  for (const { name, arguments: input } of callsOf(message)) {
    characters += name.length + (typeof input === 'string' ? input : jsonText(input)).length;
  }
  for (const { text } of reasoningOf(message)) characters += typeof text === 'string' ? text.length : 0;
  const { images, others } = attachmentCounts(message);
  return Math.ceil(characters / charactersPerToken) + (images + others) * attachmentTokens;
}

export const sumTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** What a model said, or undefined where that is no number of tokens. */
export function usageTokens(usage: Usage | undefined): number | undefined {
  const total = usage === undefined ? Number.NaN : usage.input + usage.output;
  return Number.isFinite(total) && total > 0 ? Math.round(total) : undefined;
}
