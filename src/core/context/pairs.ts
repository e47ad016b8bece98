// Which tool result answers which call, and where a list may be cut without parting them.
import type { Message } from '../conversation/model';
import { answeredCall, callsOf } from './message';

/**
 * For each message the index of the assistant's message whose call it answers; -1 for what answers none. An id that is
 * used again means the newest call; a result too many answers none.
 */
export function pairs(messages: readonly Message[]): Int32Array {
  const callOf = new Int32Array(messages.length).fill(-1);
  const open = new Map<string, { at: number; left: number }>();
  messages.forEach((message, at) => {
    for (const { id } of callsOf(message)) {
      const same = open.get(id);
      // Twice in one message: each of the two is answered.
      if (same?.at === at) same.left++;
      else open.set(id, { at, left: 1 });
    }
    const id = answeredCall(message);
    const call = id === undefined ? undefined : open.get(id);
    if (call === undefined || call.left === 0) return;
    callOf[at] = call.at;
    call.left--;
  });
  return callOf;
}

/**
 * The nearest place at or before `wanted` (an index; the length is the end) where the list may be cut: never between
 * a call and its results, nor within one answer of a model that was stored in several messages.
 */
export function legalCut(messages: readonly Message[], callOf: Int32Array, wanted: number): number {
  let cut = wanted;
  // Lowered while going back over the messages after the cut, each looked at once.
  let next = messages.length - 1;
  for (;;) {
    const before = cut;
    for (; next >= cut; next--) {
      const call = callOf[next]!;
      if (call >= 0 && call < cut) cut = call;
    }
    while (cut > 0 && cut < messages.length && isOneAnswer(messages[cut - 1]!, messages[cut]!)) cut--;
    if (cut === before) return cut;
  }
}

function isOneAnswer(a: Message, b: Message): boolean {
  return a.role === 'assistant' && b.role === 'assistant' && typeof a.id === 'string' && a.id !== '' && a.id === b.id;
}
