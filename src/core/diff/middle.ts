// The part of two texts that is worth comparing: most changes of a large file are small.

export interface Middle {
  readonly before: string;
  readonly after: string;
  /** Lines above it, the same in both. */
  readonly above: number;
}

/** What is between the equal lines at the beginning and those at the end, with up to `context` of them on each side. */
export function changedMiddle(before: string, after: string, context = 0): Middle {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  let start = lineStart(before, same);
  for (let i = 0; i < context && start > 0; i++) start = lineStart(before, start - 1);

  let tail = 0;
  const left = most - same;
  while (tail < left && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail))
    tail++;
  // Only whole lines of the common end are left away: it begins in the middle of one.
  let keep = 0;
  for (let i = 0; i <= context && keep < tail; i++)
    keep = lineEnd(before, before.length - tail + keep) - (before.length - tail);
  const end = Math.max(tail - keep, 0);
  return {
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
    above: countLines(before, start),
  };
}

/** Where the line begins that `at` is in. */
const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** Behind the line break that follows. */
function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found + 1;
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
