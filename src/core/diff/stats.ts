// How many lines a change adds and removes.
import { diffLines } from 'diff';
import { decodeText } from './text';

export interface DiffStats {
  /** Lines. */
  readonly added: number;
  /** Lines. */
  readonly removed: number;
  /** One side is no text: the counts are 0. */
  readonly binary: boolean;
}

/** Above this (bytes, both sides) or after this long (ms), the lines of both sides count as replaced. */
const maxBytes = 8 * 2 ** 20;
const timeoutMs = 300;

/** An absent side is an empty buffer. */
export function diffStats(pre: Uint8Array, post: Uint8Array): DiffStats {
  if (Buffer.compare(pre, post) === 0) return { added: 0, removed: 0, binary: false };
  const before = decodeText(pre);
  const after = decodeText(post);
  if (before === undefined || after === undefined) return { added: 0, removed: 0, binary: true };
  const parts =
    pre.length + post.length > maxBytes ? undefined : diffLines(before.text, after.text, { timeout: timeoutMs });
  if (parts === undefined) return { added: lines(after.text), removed: lines(before.text), binary: false };
  return {
    added: parts.reduce((sum, part) => sum + (part.added ? part.count : 0), 0),
    removed: parts.reduce((sum, part) => sum + (part.removed ? part.count : 0), 0),
    binary: false,
  };
}

function lines(text: string): number {
  const breaks = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1;
}
