// A unified diff against bytes, either way: every line that it names must be there, at its very place. Pure.

interface Hunk {
  /** Index of the first line, before and after. */
  readonly oldStart: number;
  readonly newStart: number;
  /** With their first character, `-`, `+` or a space. */
  readonly lines: readonly string[];
}

/**
 * The bytes after the diff, or before it with `reverse`.
 * @returns undefined where the diff does not fit line for line, or is none
 */
export function applyDiff(bytes: Buffer, diff: string, reverse: boolean): Buffer | undefined {
  const hunks = parse(diff);
  if (hunks === undefined) return undefined;
  // One character a byte: whatever the bytes are, they come back as they were.
  const lines = bytes.toString('latin1').split('\n');
  const out: string[] = [];
  let at = 0;
  for (const { oldStart, newStart, lines: marked } of hunks) {
    const [gone, come] = reverse ? ['+', '-'] : ['-', '+'];
    const start = reverse ? newStart : oldStart;
    if (start < at || start > lines.length) return undefined;
    out.push(...lines.slice(at, start));
    at = start;
    for (const line of marked) {
      const text = Buffer.from(line.slice(1)).toString('latin1');
      if (line[0] !== come) {
        if (lines[at] !== text) return undefined;
        at++;
      }
      if (line[0] !== gone) out.push(text);
    }
  }
  out.push(...lines.slice(at));
  return Buffer.from(out.join('\n'), 'latin1');
}

function parse(diff: string): Hunk[] | undefined {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = [];
  const lines = diff.split('\n');
  // What stands behind the last line feed is no line of the diff.
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [, oldStart, oldCount, newStart, newCount] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (oldStart !== undefined) {
      // A side without lines names the line before.
      const index = (start: string, count: string | undefined) => Number(start) - (count === '0' ? 0 : 1);
      hunks.push({ oldStart: index(oldStart, oldCount), newStart: index(newStart!, newCount), lines: [] });
    } else if (hunks.length === 0) {
      if (!/^(---|\+\+\+|diff |index )/.test(line)) return undefined;
    } else if (/^[-+ ]/.test(line)) hunks.at(-1)!.lines.push(line);
    else if (line === '') hunks.at(-1)!.lines.push(' ');
    // `\ No newline at end of file`: which side it belongs to decides about a byte.
    else return undefined;
  }
  return hunks.length === 0 ? undefined : hunks;
}
