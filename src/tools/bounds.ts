// Answers for models are bounded: what is left out is said, with how to get at it.

/** Characters of one answer. */
export const maxAnswer = 120_000;
/** Rows of any list within an answer. */
export const maxRows = 200;

/** The text, or its beginning with a note of how much is missing. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\ud800-\udbff]/.test(text[max - 1]!) ? max - 1 : max;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

export interface Rows<T> {
  readonly rows: readonly T[];
  /** How many were left out. */
  readonly more: number;
}

export const cutRows = <T>(rows: readonly T[], max = maxRows): Rows<T> => ({
  rows: rows.slice(0, max),
  more: Math.max(0, rows.length - max),
});

/** As many from the start as fit in `max` characters of JSON; at least one. */
export function fitting<T>(rows: readonly T[], max = maxAnswer): Rows<T> {
  let size = 0;
  let count = 0;
  for (const row of rows) {
    size += JSON.stringify(row).length;
    if (count > 0 && size > max) break;
    count++;
  }
  return cutRows(rows, count);
}
