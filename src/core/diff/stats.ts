// How many lines a change adds and removes.
import { diffLines } from 'diff';
import { changedMiddle } from './middle';
import { decodeText } from './text';

export interface DiffStats {
  /** Lines. */
  readonly added: number;
  /** Lines. */
  readonly removed: number;
  /** One side is no text: the counts are 0. */
  readonly binary: boolean;
}

/** What changed is between equal lines; above this (characters, both sides) or after this long (ms), all of it counts. */
const maxLength = 8 * 2 ** 20;
const timeoutMs = 300;

/** An absent side is an empty buffer. */
export function diffStats(pre: Uint8Array, post: Uint8Array): DiffStats {
  if (Buffer.compare(pre, post) === 0) return { added: 0, removed: 0, binary: false };
  const before = decodeText(pre);
  const after = decodeText(post);
  if (before === undefined || after === undefined) return { added: 0, removed: 0, binary: true };
  const middle = changedMiddle(before.text, after.text);
  const parts =
    middle.before.length + middle.after.length > maxLength
      ? undefined
      : diffLines(middle.before, middle.after, { timeout: timeoutMs });
  if (parts === undefined) return { added: lines(middle.after), removed: lines(middle.before), binary: false };
  return {
    added: parts.reduce((sum, part) => sum + (part.added ? part.count : 0), 0),
    removed: parts.reduce((sum, part) => sum + (part.removed ? part.count : 0), 0),
    binary: false,
  };
}

function lines(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++;
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1;
}
