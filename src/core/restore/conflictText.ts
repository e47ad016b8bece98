// A merge with what overlaps left open: a text with conflict markers, for a person to finish. On bytes, by lines.
import { hunks, linesOf, type Hunk } from './merge';

export interface ConflictLabels {
  readonly ours: string;
  readonly theirs: string;
}

/**
 * `base` with what `ours` and `theirs` each changed; where both changed the same lines, both are there between markers.
 * @returns undefined where finding out takes too long
 */
export function conflictText(base: Buffer, ours: Buffer, theirs: Buffer, labels: ConflictLabels): Buffer | undefined {
  const [lines, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const [aHunks, bHunks] = [hunks(lines, a), hunks(lines, b)];
  if (!aHunks || !bHunks) return undefined;
  const end = a.some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
  const whole = (side: readonly string[]) => side.map((line) => (line.endsWith('\n') ? line : line + end));
  const label = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  const out: string[] = [];
  let at = 0;
  for (const { start, end: stop, mine, his } of clusters(aHunks, bHunks)) {
    out.push(...lines.slice(at, start));
    const left = sideOf(lines, start, stop, mine);
    const right = sideOf(lines, start, stop, his);
    if (his.length === 0 || left.join('') === right.join('')) out.push(...left);
    else if (mine.length === 0) out.push(...right);
    else {
      const open = `<<<<<<< ${label(labels.ours)}${end}`;
      const close = `>>>>>>> ${label(labels.theirs)}${end}`;
      out.push(open, ...whole(left), `=======${end}`, ...whole(right), close);
    }
    at = stop;
  }
  out.push(...lines.slice(at));
  return Buffer.from(out.join(''), 'latin1');
}

/** What two texts share, line by line: a base where none is known, so that everything else is open. */
export function commonLines(ours: Buffer, theirs: Buffer): Buffer | undefined {
  const lines = linesOf(ours);
  const changes = hunks(lines, linesOf(theirs));
  if (!changes) return undefined;
  const kept = changes.map(({ start, end }): Hunk => ({ start, end, lines: [] }));
  return Buffer.from(sideOf(lines, 0, lines.length, kept).join(''), 'latin1');
}

interface Cluster {
  readonly start: number;
  readonly end: number;
  readonly mine: readonly Hunk[];
  readonly his: readonly Hunk[];
}

/** Changes of both sides that overlap or touch belong together. */
function clusters(a: readonly Hunk[], b: readonly Hunk[]): Cluster[] {
  const all = [...a.map((hunk) => ({ hunk, isMine: true })), ...b.map((hunk) => ({ hunk, isMine: false }))];
  all.sort((x, y) => x.hunk.start - y.hunk.start || x.hunk.end - y.hunk.end);
  const found: { start: number; end: number; mine: Hunk[]; his: Hunk[] }[] = [];
  for (const { hunk, isMine } of all) {
    let last = found.at(-1);
    if (!last || hunk.start > last.end) {
      last = { start: hunk.start, end: hunk.end, mine: [], his: [] };
      found.push(last);
    }
    last.end = Math.max(last.end, hunk.end);
    (isMine ? last.mine : last.his).push(hunk);
  }
  return found;
}

/** Lines `[start, end)` of the base with some changes made. */
function sideOf(base: readonly string[], start: number, end: number, changes: readonly Hunk[]): string[] {
  const out: string[] = [];
  let at = start;
  for (const hunk of changes) {
    out.push(...base.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  out.push(...base.slice(at, end));
  return out;
}
