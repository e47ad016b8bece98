// The changed regions between two states of a file, by lines, on bytes. Pure.
import { createHash } from 'node:crypto';
import { diffArrays } from 'diff';
import { linesOf, notLines } from './merge';

/** Lines `[oldStart, oldEnd)` of one side are lines `[start, end)` of the other. */
export interface Region {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly start: number;
  readonly end: number;
}

/** One changed region of a file. Lines are latin-1 with their line break, so every byte is one character. */
export interface Hunk extends Region {
  /** From 1, in the order of the file. */
  readonly index: number;
  /** Tells whether it still is the region that somebody saw: 16 hex digits. */
  readonly hash: string;
  readonly oldLines: readonly string[];
  readonly lines: readonly string[];
}

/** What a change did to a file. */
export interface FileHunks {
  /** The lines after the change. */
  readonly post: readonly string[];
  readonly hunks: readonly Hunk[];
}

/** A comparison that takes longer (ms) is given up. */
const timeoutMs = 2000;
/** Bytes of both sides together. */
const maxBytes = 32 * 2 ** 20;

/** Undefined where comparing takes too long. */
export function regionsBetween(before: readonly string[], after: readonly string[]): Region[] | undefined {
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const [left, right] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (left.length === 0 && right.length === 0) return [];
  const changes = diffArrays(left, right, { timeout: timeoutMs });
  if (changes === undefined) return undefined;
  const regions: Region[] = [];
  let [from, to] = [head, head];
  for (const { added, removed, count } of changes) {
    const [oldEnd, end] = [added ? from : from + count, removed ? to : to + count];
    if (added || removed) join(regions, { oldStart: from, oldEnd, start: to, end });
    [from, to] = [oldEnd, end];
  }
  return settled(regions, before, after);
}

/** Adds a region; to the last one where nothing is between them. */
function join(regions: Region[], next: Region): void {
  const last = regions.at(-1);
  if (last && last.oldEnd === next.oldStart && last.end === next.start) {
    regions[regions.length - 1] = { ...last, oldEnd: next.oldEnd, end: next.end };
  } else regions.push(next);
}

/**
 * Among equal lines it is a matter of taste which ones came or went. Always the last ones, so that two comparisons
 * that see the same change give the same region.
 */
function settled(regions: readonly Region[], before: readonly string[], after: readonly string[]): Region[] {
  const done: Region[] = [];
  for (const region of [...regions].reverse()) {
    let { oldStart, oldEnd, start, end } = region;
    const next = done.at(-1) ?? { oldStart: before.length, start: after.length };
    const [side, first, last] =
      start === end ? [before, () => oldStart, () => oldEnd] : [after, () => start, () => end];
    if (start === end || oldStart === oldEnd) {
      while (oldEnd < next.oldStart && end < next.start && side[first()] === side[last()]) {
        oldStart++;
        oldEnd++;
        start++;
        end++;
      }
    }
    const following = done.at(-1);
    if (following && following.oldStart === oldEnd && following.start === end) {
      done[done.length - 1] = { ...following, oldStart, start };
    } else done.push({ oldStart, oldEnd, start, end });
  }
  return done.reverse();
}

/** A text says why there are no hunks. */
export function hunksBetween(pre: Buffer, post: Buffer): FileHunks | string {
  for (const side of [pre, post]) {
    const reason = notLines(side);
    if (reason !== undefined) return reason.replace('merged by lines', 'taken apart by lines');
  }
  if (pre.length + post.length > maxBytes) return 'the file is too large to be taken apart';
  const [before, after] = [linesOf(pre), linesOf(post)];
  const regions = regionsBetween(before, after);
  if (regions === undefined) return 'the file is too large to be taken apart';
  const hunks = regions.map((region, i): Hunk => {
    const oldLines = before.slice(region.oldStart, region.oldEnd);
    const lines = after.slice(region.start, region.end);
    const what = JSON.stringify([region.oldStart, region.start, oldLines, lines]);
    const hash = createHash('sha256').update(what, 'latin1').digest('hex').slice(0, 16);
    return { ...region, index: i + 1, hash, oldLines, lines };
  });
  return { post: after, hunks };
}
