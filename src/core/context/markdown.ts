// A rebuilt context as one document: for reading, for a prompt, for the next start of an agent.
import type { Message, ToolCall } from '../conversation/model';
import { callsOf, jsonText, textOf } from './message';
import type { RebuildResult } from './rebuild';
import { attachmentNote, strictMessages } from './strict';
import { isSummaryMessage } from './summaryMessage';

/** @param title what the conversation is called, as a person reads it; one line */
export function rebuiltMarkdown(result: RebuildResult, title: string): string {
  const kept = strictMessages(result.messages).filter((message) => !isSummaryMessage(message));
  const parts = [`# ${title.toWellFormed().replace(/\s+/g, ' ').trim()}`, figuresLine(result)];
  if (result.summary !== undefined)
    parts.push('# Summary of what was before', result.summary.text.toWellFormed().trim());
  parts.push(result.summary === undefined ? '# Conversation' : '# From here on, word for word');
  if (kept.length === 0) parts.push('No message was kept.');
  return `${[...parts, ...kept.map(messageText)].join('\n\n')}\n`;
}

/** `≈ 1,234` */
export const approximate = (tokens: number): string => `≈ ${Math.round(tokens).toLocaleString('en-US')}`;

/** The figures in one sentence. */
export function figuresLine(result: Omit<RebuildResult, 'messages'>): string {
  const { summarizedCount, keptCount, tokensBefore, tokensAfter, noOp } = result;
  if (noOp) return `Nothing had to be summarised: ${keptCount} messages, ${approximate(tokensBefore)} tokens.`;
  return `${summarizedCount} messages summarised, ${keptCount} kept; ${approximate(tokensBefore)} tokens before, ${approximate(tokensAfter)} after.`;
}

const names = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool result' } as const;

/** One message as a person reads it. */
export function messageText(message: Message): string {
  const text = textOf(message);
  if (message.role === 'tool') {
    const failed = message.is_error === true ? ', failed' : '';
    return `### ${names.tool} (${inline(message.tool_call_id ?? '')}${failed})\n\n${fenced(text, '')}`;
  }
  const note = attachmentNote(message);
  const parts = [text, ...(note !== undefined && note !== text ? [note] : []), ...callsOf(message).map(callText)];
  return [`### ${names[message.role]}`, ...parts.filter((part) => part.trim() !== '')].join('\n\n');
}

function callText({ id, name, arguments: input }: ToolCall): string {
  const text = typeof input === 'string' ? input : jsonText(input, 2);
  return `Tool call ${inline(name)} (${inline(id)})\n\n${fenced(text, typeof input === 'string' ? '' : 'json')}`;
}

const inline = (text: string) => `\`${text.replace(/[`\s]+/g, ' ').trim()}\``;

/** Nothing inside can end the fence. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
