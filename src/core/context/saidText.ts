// What a person said in a message: the programs of agents put more into it, and say it in blocks.
import type { Message } from '../conversation/model';
import { textOf } from './message';

/** Blocks that programs add on their own. */
const added = new Set([
  'attachments',
  'context',
  'editorContext',
  'environment_context',
  'environment_details',
  'environment_info',
  'reminderInstructions',
  'session_context',
  'system-reminder',
  'system_reminder',
  'user_instructions',
  'workspace_info',
]);
/** Blocks around what the person said. */
const around = new Set(['feedback', 'task', 'userRequest', 'user_message', 'user_query']);

/** Of a user's message, without what was put in; empty where nothing else is in it. Of others, the text. */
export function saidText(message: Message): string {
  const text = textOf(message);
  if (message.role !== 'user' || !text.includes('</')) return text;
  const kept: string[] = [];
  const open = /^[ \t]*<([A-Za-z][\w-]*)>/gm;
  const unclosed = new Set<string>();
  let from = 0;
  for (let found = open.exec(text); found !== null; found = open.exec(text)) {
    const tag = found[1]!;
    if ((!added.has(tag) && !around.has(tag)) || unclosed.has(tag)) continue;
    const close = `</${tag}>`;
    const end = text.indexOf(close, open.lastIndex);
    if (end < 0) unclosed.add(tag);
    else if (around.has(tag)) return text.slice(open.lastIndex, end).trim();
    else {
      kept.push(text.slice(from, found.index));
      open.lastIndex = from = end + close.length;
    }
  }
  return from === 0 ? text : [...kept, text.slice(from)].join('').trim();
}
