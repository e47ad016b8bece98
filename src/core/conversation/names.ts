// Names of conversations: checked before any file call, wherever one comes from.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { StoreLayout } from '../store/layout';

declare const conversationName: unique symbol;
/** The name of a chain's file without `.jsonl`. */
export type ConversationName = string & { readonly [conversationName]: true };

const pattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

export function isConversationName(text: unknown): text is ConversationName {
  return typeof text === 'string' && pattern.test(text);
}

/** @throws CheckpointError `bad-id` */
export function parseConversationName(text: string): ConversationName {
  if (isConversationName(text)) return text;
  throw new CheckpointError(
    'bad-id',
    `${JSON.stringify(text.slice(0, 100))} is not the name of a conversation: letters, digits and . _ - only, at ` +
      'most 128, not beginning with a dot. `conversations` shows the ones that are.',
  );
}

/** The name under which an agent's session is kept; the same for the same session, different for different ones. */
export function sessionConversation(agent: string, session: string): ConversationName {
  const plain = `${agent}-${session}`;
  if (pattern.test(plain)) return plain as ConversationName;
  const hash = createHash('sha256').update(`${agent}\0${session}`).digest('hex').slice(0, 16);
  const cleaned = plain.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 100);
  return `${cleaned}-${hash}` as ConversationName;
}

export const chainFile = ({ conversations }: StoreLayout, name: ConversationName) =>
  path.join(conversations, `${name}.jsonl`);
export const headFile = ({ conversations }: StoreLayout, name: ConversationName) =>
  path.join(conversations, `${name}.head`);
/** While a line is written that the head is to name. */
export const nextFile = ({ conversations }: StoreLayout, name: ConversationName) =>
  path.join(conversations, `${name}.next`);
