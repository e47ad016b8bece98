import type { Message } from '../conversation/model';
import { sameMessage } from './message';

/**
 * How many messages at the end of `before` are those that `after` begins with; the most there can be. Linear: the
 * table of Knuth, Morris and Pratt over `after`.
 */
export function overlap(before: readonly Message[], after: readonly Message[]): number {
  if (after.length === 0) return 0;
  const table = new Int32Array(after.length);
  for (let at = 1, length = 0; at < after.length; at++) {
    while (length > 0 && !sameMessage(after[at]!, after[length]!)) length = table[length - 1]!;
    if (sameMessage(after[at]!, after[length]!)) length++;
    table[at] = length;
  }
  let length = 0;
  for (let at = Math.max(0, before.length - after.length); at < before.length; at++) {
    const message = before[at]!;
    if (length === after.length) length = table[length - 1]!;
    while (length > 0 && !sameMessage(message, after[length]!)) length = table[length - 1]!;
    if (sameMessage(message, after[length]!)) length++;
  }
  return length;
}
