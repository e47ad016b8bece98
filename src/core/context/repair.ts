// Makes a list that was cut, or that an agent left in the middle of its work, acceptable again.
import type { Message } from '../conversation/model';
import { answeredCall, callsOf } from './message';
import { pairs } from './pairs';

/** What a call is answered with whose result is not there. */
export const interrupted = '[No result: the call was interrupted.]';

/**
 * Each call is answered exactly once, right after the message that makes it: results without a call are dropped, calls
 * without a result get one that says so. All other messages are the given objects.
 * @returns the given list itself where nothing had to be done
 */
export function repaired(messages: readonly Message[]): readonly Message[] {
  const callOf = pairs(messages);
  const results = new Map<number, Message[]>();
  messages.forEach((message, at) => {
    const call = callOf[at]!;
    if (call < 0) return;
    const known = results.get(call);
    if (known === undefined) results.set(call, [message]);
    else known.push(message);
  });
  const list: Message[] = [];
  messages.forEach((message, at) => {
    if (message.role === 'tool') return;
    list.push(message);
    const calls = callsOf(message);
    if (calls.length === 0) return;
    const answers = results.get(at) ?? [];
    list.push(...answers);
    const answered = countBy(answers.map((answer) => answeredCall(answer) ?? ''));
    for (const [id, count] of countBy(calls.map((call) => call.id))) {
      for (let missing = count - (answered.get(id) ?? 0); missing > 0; missing--) list.push(noResult(id));
    }
  });
  const isSame = list.length === messages.length && list.every((message, at) => message === messages[at]);
  return isSame ? messages : list;
}

const noResult = (id: string): Message => ({ role: 'tool', content: interrupted, tool_call_id: id, is_error: true });

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
