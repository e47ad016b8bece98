// The changes of an agent in an editor's text: which of them still stand there, and where. Pure.
import { placesIn } from '../../core/restore/hunkPlaces';
import type { Hunk } from '../../core/restore/hunks';

/** A changed region as text, without line breaks. */
export interface TextHunk extends Pick<Hunk, 'index' | 'hash'> {
  /** Lines of the text after the change. */
  readonly start: number;
  readonly end: number;
  /** Where the old lines begin in the text before the change. */
  readonly oldStart: number;
  readonly oldLines: readonly string[];
  /** Number of the part that it belongs to. */
  readonly part: number;
}

/** One unbroken run of changes as text. */
export interface TextPart {
  readonly post: readonly string[];
  readonly hunks: readonly TextHunk[];
}

/** A change that the text still has. */
export interface StandingHunk extends TextHunk {
  /** The line of the editor where it begins, from 0; of removed lines, the line before which they were. */
  readonly line: number;
  /** How many lines of the editor are its own. */
  readonly count: number;
}

/** As an editor counts lines: a lone CR ends one too. */
export const linesOfText = (text: string): string[] => text.split(/\r\n|\r|\n/);

/**
 * @param hunks of the bytes, one run
 * @param post the lines of its bytes
 * @param decoded the text of `post` and of the old lines of each hunk
 * @returns undefined where the encoding does not keep lines apart as bytes do
 */
export function textPart(
  part: number,
  { post, hunks }: { readonly post: readonly string[]; readonly hunks: readonly Hunk[] },
  decoded: { readonly post: string; readonly old: readonly string[] },
): TextPart | undefined {
  const lines = linesOfText(decoded.post);
  const starts = [0];
  for (const line of post) starts.push(starts.at(-1)! + linesOfText(line.replace(/\r?\n$/, '')).length);
  const endsOpen = post.length === 0 || !post.at(-1)!.endsWith('\n');
  const expected = starts.at(-1)! + (endsOpen && post.length > 0 ? 0 : 1);
  if (lines.length !== expected) return undefined;
  return {
    post: lines,
    hunks: hunks.map(({ index, hash, start, end, oldStart, oldLines }, i) => {
      const old = linesOfText(decoded.old[i]!);
      if (oldLines.length === 0 || oldLines.at(-1)!.endsWith('\n')) old.pop();
      return { index, hash, start: starts[start]!, end: starts[end]!, oldStart, oldLines: old, part };
    }),
  };
}

/** In the order of the text; undefined where comparing takes too long. */
export function standingIn(parts: readonly TextPart[], text: string): readonly StandingHunk[] | undefined {
  const current = linesOfText(text);
  const standing: StandingHunk[] = [];
  for (const part of parts) {
    const places = placesIn(part, current);
    if (places === undefined) return undefined;
    places.forEach((place, i) => {
      const hunk = part.hunks[i]!;
      if (place.type === 'stands') standing.push({ ...hunk, line: place.at, count: hunk.end - hunk.start });
    });
  }
  return standing.sort((a, b) => a.line - b.line || a.index - b.index);
}

/** The hunk at a line, else the nearest one. */
export function hunkAt(hunks: readonly StandingHunk[], line: number): StandingHunk | undefined {
  const distance = ({ line: first, count }: StandingHunk) =>
    line < first ? first - line : Math.max(0, line - (first + Math.max(count, 1) - 1));
  return [...hunks].sort((a, b) => distance(a) - distance(b))[0];
}
