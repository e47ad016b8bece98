// The changes of a file for people, one after the other, with the numbers that `restore --mode hunk` takes.
import type { FileHunks } from '../../core/restore/hunks';

/** Lines that are shown of what is around a change. */
const context = 3;

/** As in a patch, but no two changes under one heading. */
export function numberedHunks({ post, hunks }: FileHunks): string[] {
  return hunks.flatMap(({ index, oldStart, oldEnd, start, end, oldLines, lines }, i) => {
    const [last, next] = [hunks[i - 1], hunks[i + 1]];
    // Lines between two changes that are near belong to the first of them.
    const shown = last === undefined ? 0 : Math.min(last.end + context, start);
    const before = post.slice(Math.max(shown, start - context), start);
    const after = post.slice(end, Math.min(end + context, next?.start ?? post.length));
    const range = (at: number, count: number, around: number) =>
      `${count + around === 0 ? at : at + 1},${count + around}`;
    const around = before.length + after.length;
    const old = range(oldStart - before.length, oldEnd - oldStart, around);
    const now = range(start - before.length, end - start, around);
    return [
      `@@ -${old} +${now} @@ change ${index}`,
      ...before.map((line) => ` ${shownLine(line)}`),
      ...oldLines.flatMap((line) => marked('-', line)),
      ...lines.flatMap((line) => marked('+', line)),
      ...after.map((line) => ` ${shownLine(line)}`),
    ];
  });
}

const marked = (sign: '-' | '+', line: string): string[] =>
  line.endsWith('\n') ? [sign + shownLine(line)] : [sign + shownLine(line), '\\ No newline at end of file'];

/** From latin-1, which stands for bytes; without the line break, of which a CR shows where lines differ by it alone. */
const shownLine = (line: string): string => Buffer.from(line.replace(/\n$/, ''), 'latin1').toString('utf8');
