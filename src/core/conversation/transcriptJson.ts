// Records out of lines that may be anything: JSON with noise around it, several in one line, torn, or none at all.
import type { Json } from './model';

/** An object of a transcript; every field is optional and of any type. */
export type JsonRecord = { readonly [key: string]: unknown };

export interface ParsedLine {
  readonly records: readonly JsonRecord[];
  /** Why not all of the line could be used. */
  readonly damage?: string;
}

const nothing: ParsedLine = { records: [] };
/** Places at which a damaged line is tried again. */
const maxTries = 200;

/** Never throws. Runs of NUL (left by a crash), a byte order mark and a carriage return are no damage around a record. */
export function parseLine(bytes: Buffer): ParsedLine {
  if (bytes.length === 0) return nothing;
  const text = trimmed(bytes.toString('utf8'));
  if (text === '') return bytes.includes(0) ? { records: [], damage: 'only NUL bytes' } : nothing;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { records: [value] } : { records: [], damage: 'not an object' };
  } catch {
    return salvage(text);
  }
}

const isNoise = (code: number) => code <= 0x20 || code === 0xfeff;

/** By hand: a pattern would try each run of blanks in a long line anew. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isNoise(text.charCodeAt(start))) start++;
  while (end > start && isNoise(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The whole objects in a text that is no JSON. */
function salvage(text: string): ParsedLine {
  const records: JsonRecord[] = [];
  let damage: string | undefined;
  let work = text.length * 8 + 10_000;
  let tries = 0;
  let at = text.indexOf('{');
  if (at !== 0) damage = 'not JSON';
  while (at >= 0 && work > 0 && tries < maxTries) {
    const end = endOfObject(text, at);
    work -= (end ?? text.length) - at;
    const found = end === undefined ? undefined : objectIn(text.slice(at, end));
    if (found !== undefined) {
      records.push(found);
      const rest = /[^\0\s,]/g;
      rest.lastIndex = end!;
      const next = rest.exec(text)?.index ?? -1;
      if (next < 0) return done();
      if (text[next] !== '{') damage = 'not JSON';
      at = text.indexOf('{', next);
      continue;
    }
    // A record that was torn, with another one behind it: the rest of the line may be whole.
    damage = 'a broken record';
    let next = text.indexOf('{"', at + 1);
    for (; next >= 0 && work > 0 && tries < maxTries; next = text.indexOf('{"', next + 1)) {
      tries++;
      const until = endOfObject(text, next);
      work -= (until ?? text.length) - next;
      const between = text[next - 1];
      const whole = until !== undefined && (until === text.length || between === '}' || between === '\0');
      if (whole && objectIn(text.slice(next, until)) !== undefined) break;
    }
    at = next;
  }
  if (at >= 0) damage ??= 'not JSON';
  return done();

  function done(): ParsedLine {
    return damage === undefined ? { records } : { records, damage };
  }
}

/** Behind the brace that closes the one at `start`, by a scan that knows strings. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 0x5c) i++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b) depth++;
    else if (code === 0x7d && --depth === 0) return i + 1;
  }
  return undefined;
}

function objectIn(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as an object; an empty one for anything else. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const recordsOf = (value: unknown): JsonRecord[] => listOf(value).filter(isRecord);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** An id, or a name: not empty, and of a length that a person could have meant. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined;

/** UTC, ISO 8601, from a text or from ms since the epoch. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  if (typeof value === 'string' && value.length > 64) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 1970
    ? undefined
    : date.toISOString();
}

const maxDepth = 100;

/** What is nested beyond reason is replaced: nothing that works through the value later can run out of stack. */
export function jsonOf(value: unknown): Json {
  if (value === undefined) return null;
  return isDeeper(value, maxDepth) ? '[nested too deep to show]' : (value as Json);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Arguments that came as JSON in a text; the text itself where it is none. */
export function argumentsOf(value: unknown): Json {
  if (typeof value !== 'string') return jsonOf(value);
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' ? jsonOf(parsed) : value;
  } catch {
    return value;
  }
}
