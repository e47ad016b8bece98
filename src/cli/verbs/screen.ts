// Text for a terminal. Names, prompts and file contents come from untrusted places: nothing of them may act on the
// terminal that shows them.

/** A stream that text goes to; `process.stdout` and `process.stderr` are such. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

// Control characters (C0, DEL, C1), line and paragraph separators, and the characters that turn the order of a line
// around or are not seen at all.
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (char: string) => names[char] ?? `\\u{${char.codePointAt(0)!.toString(16)}}`;

/** The text as one line in which nothing acts on a terminal; what would is written out (`\u{1b}`). */
export const safeLine = (text: string): string => text.toWellFormed().replace(unsafe, escaped);

/** As `safeLine`, with line ends and tabs kept: for texts of several lines. */
export const safeLines = (text: string): string =>
  text.toWellFormed().replace(unsafe, (char) => (char === '\n' || char === '\t' ? char : escaped(char)));

/** JSON in which no character acts on a terminal either; it parses to the very same value. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(unsafe, (char) =>
    char === '\n' ? char : char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const zero = /\p{Mn}|\p{Me}/u;

const charWidth = (char: string) => (zero.test(char) ? 0 : wide.test(char) ? 2 : 1);

/** Columns that a safe line takes on a terminal (nearly: terminals differ). */
export const textWidth = (line: string): number => [...line].reduce((sum, char) => sum + charWidth(char), 0);

/** The line in at most `width` columns, `…` where something was cut. */
export function cut(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  let taken = 0;
  let text = '';
  for (const char of line) {
    taken += charWidth(char);
    if (taken > width - 1) break;
    text += char;
  }
  return `${text.trimEnd()}…`;
}

export const padEnd = (line: string, width: number): string => line + ' '.repeat(Math.max(0, width - textWidth(line)));

const codes = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
export type Style = (name: keyof typeof codes, text: string) => string;

/** Colours on a terminal that shows them, unless NO_COLOR is set. */
export function styleFor(sink: Sink, env: NodeJS.ProcessEnv): Style {
  const on = sink.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return (name, text) => (on ? `\u001b[${codes[name]}m${text}\u001b[0m` : text);
}

/** Columns to fill; a wide line where the output is no terminal. */
export const columnsOf = (sink: Sink): number => (sink.isTTY === true ? Math.max(40, sink.columns ?? 80) : 120);

const two = (value: number) => String(value).padStart(2, '0');

/** Local time as `2026-11-30 11:05:01`. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** `12 B`, `3.4 MiB`. */
export function byteText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

/** `1 file`, `3 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
