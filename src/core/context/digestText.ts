// Short lines out of long texts, for the digest.

/** One line of at most `length` characters; whole characters only. */
export function shortLine(text: string, length: number): string {
  // A little more than can be shown: white space is taken together first.
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= length && text.length <= length * 4) return line.toWellFormed();
  return `${line
    .slice(0, length - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`;
}

/** The last line that says something. */
export function lastLine(text: string): string {
  const lines = text.slice(-2000).trimEnd().split('\n');
  return lines.at(-1) ?? '';
}

/** How much of a text is looked through for sentences. */
export const readCharacters = 6000;

/** The sentences and list items of a text, without code blocks. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let inCode = false;
  for (const line of text.slice(0, readCharacters).split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    else if (!inCode && line.trim() !== '') {
      const plain = line.replace(/^\s*(?:[-*+>#]+|\d{1,3}[.)])\s+/, '');
      sentences.push(...plain.split(/(?<=[.!?;])\s+/).filter((part) => part.trim().length > 3));
    }
  }
  return sentences;
}

/** Lines of which only the first and the last are shown. */
export interface Excerpt {
  readonly first: readonly string[];
  readonly last: readonly string[];
  /** Something is left out between the two. */
  readonly isCut: boolean;
}

/** The first and the last `most` of many items as lines; the others are not even looked at. */
export function excerpt<T>(items: readonly T[], most: number, line: (item: T) => string): Excerpt {
  if (items.length <= 2 * most) return { first: items.map(line), last: [], isCut: false };
  return { first: items.slice(0, most).map(line), last: items.slice(-most).map(line), isCut: true };
}

/** As {@link excerpt}, of the lines that each item gives: looks from both ends for `most` different ones. */
export function excerptOf<T>(items: readonly T[], most: number, lines: (item: T) => readonly string[]): Excerpt {
  const first = new Set<string>();
  let begin = 0;
  for (; begin < items.length && first.size < most; begin++) for (const line of lines(items[begin]!)) first.add(line);
  const last = new Set<string>();
  let end = items.length;
  for (; end > begin && last.size < most; end--) {
    for (const line of [...lines(items[end - 1]!)].reverse()) if (!first.has(line)) last.add(line);
  }
  return { first: [...first], last: [...last].reverse(), isCut: end > begin };
}
