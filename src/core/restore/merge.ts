// Three-way merge of files by lines, on bytes: no decoding, so that every encoding comes back as it was.
import { diffIndices } from 'node-diff3';

export type MergeResult =
  { readonly type: 'clean'; readonly bytes: Buffer } | { readonly type: 'conflict'; readonly reason: string };

/** Lines times lines that a diff may look at: about a second. Above it, a person decides. */
const maxWork = 400_000_000;

/**
 * `base` with the changes that `ours` and `theirs` each made to it. Changes that overlap or touch are a conflict,
 * except where both are the same.
 */
export function mergeBytes(base: Buffer, ours: Buffer, theirs: Buffer): MergeResult {
  for (const side of [base, ours, theirs]) {
    const reason = notLines(side);
    if (reason !== undefined) return { type: 'conflict', reason };
  }
  const baseLines = linesOf(base);
  const [a, b] = [linesOf(ours), linesOf(theirs)];
  const aHunks = hunks(baseLines, a);
  const bHunks = hunks(baseLines, b);
  if (!aHunks || !bHunks) return { type: 'conflict', reason: 'the file is too large to merge' };
  const merged = mergeHunks(baseLines, aHunks, bHunks);
  if (!merged) return { type: 'conflict', reason: 'later changes touch the same lines' };
  return { type: 'clean', bytes: Buffer.from(merged.join(''), 'latin1') };
}

/** Why bytes cannot be merged by lines, if so. */
export function notLines(bytes: Buffer): string | undefined {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe || mark === 0xfeff) return 'the file is UTF-16, which is not merged by lines';
  return bytes.includes(0) ? 'the file is binary' : undefined;
}

/** Each with its LF; the last may have none. Latin-1 keeps every byte as one character. */
export function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines `[start, end)` of the base become `lines`. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** What changed from one to the other, in order; undefined where it would take too long to find out. */
export function hunks(from: readonly string[], to: readonly string[]): Hunk[] | undefined {
  // Most edits are small: only the part between the first and the last difference is compared.
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  const most = Math.min(from.length, to.length) - head;
  while (tail < most && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  const [left, right] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
  if (left.length === 0 && right.length === 0) return [];
  if (left.length === 0 || right.length === 0) return [{ start: head, end: head + left.length, lines: right }];
  if (left.length * right.length > maxWork) return undefined;
  return diffIndices(left, right).map(({ buffer1: [offset, length], buffer2Content }) => ({
    start: head + offset,
    end: head + offset + length,
    lines: buffer2Content,
  }));
}

function mergeHunks(base: readonly string[], a: readonly Hunk[], b: readonly Hunk[]): string[] | undefined {
  const merged: string[] = [];
  let [at, i, j] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i], b[j]];
    let next: Hunk;
    if (x && y && x.start <= y.end && y.start <= x.end) {
      if (x.start !== y.start || x.end !== y.end || x.lines.join('') !== y.lines.join('')) return undefined;
      next = x;
      i++;
      j++;
    } else if (x && (!y || x.start < y.start)) {
      next = x;
      i++;
    } else {
      next = y!;
      j++;
    }
    for (; at < next.start; at++) merged.push(base[at]!);
    for (const line of next.lines) merged.push(line);
    at = next.end;
  }
  for (; at < base.length; at++) merged.push(base[at]!);
  return merged;
}
