// What a file should hold after a tool call, derived from the tool's input. Pure. It tells the agent's write from a
// person's, so when the input leaves any doubt the answer is "not derivable", never a guess.
import { applyPatchLines } from './patchLines';
import type { Expected, TextEdit } from './request';

/** A state that follows from the input; bytes are in canonical form (see `canonical`). */
export type Derived = Buffer | 'absent' | 'directory';

/** Bytes, and places in a text; what an input multiplies beyond them could end the process, and is not worked out. */
const maxLength = 64 * 2 ** 20;
const maxReplaced = 1_000_000;

const LF = 0x0a;
const CR = 0x0d;
const hasPrefix = (bytes: Buffer, ...prefix: number[]) => prefix.every((byte, i) => bytes[i] === byte);

/**
 * The bytes without what editing tools change on their own: UTF-16 (with its mark) becomes UTF-8, the mark goes, CRLF
 * becomes LF. Two files that differ in nothing else are equal in this form.
 */
export function canonical(bytes: Buffer): Buffer {
  let text = bytes;
  if (hasPrefix(bytes, 0xff, 0xfe) && bytes.length % 2 === 0) {
    text = Buffer.from(bytes.subarray(2).toString('utf16le'));
  } else if (hasPrefix(bytes, 0xfe, 0xff) && bytes.length % 2 === 0) {
    text = Buffer.from(Buffer.from(bytes.subarray(2)).swap16().toString('utf16le'));
  } else if (hasPrefix(bytes, 0xef, 0xbb, 0xbf)) {
    text = bytes.subarray(3);
  }
  return text.includes(CR) ? dropCarriageReturns(text) : text;
}

function dropCarriageReturns(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === CR && bytes[i + 1] === LF) continue;
    out[length++] = bytes[i]!;
  }
  return out.subarray(0, length);
}

/**
 * What the tool leaves behind, given the bytes before (undefined: there was no file). Undefined where the input does
 * not say for certain, as when a text to replace is not found.
 */
export const derive = (pre: Buffer | undefined, expected: Expected): Derived | undefined => outcomes(pre, expected)[0];

/** Every state that a known tool leaves behind for this input, the plain one first; empty where none is derivable. */
export function outcomes(pre: Buffer | undefined, expected: Expected): readonly Derived[] {
  switch (expected.type) {
    case 'absent':
    case 'directory':
      return [expected.type];
    case 'content':
      return [canonical(Buffer.from(expected.text))];
    case 'edits': {
      const before = pre === undefined ? Buffer.alloc(0) : canonical(pre);
      const plain = applyEdits(before, expected.edits, false) ?? [];
      // Some tools take the line break along when a text is removed.
      const removes = expected.edits.some(({ newText }) => newText === '');
      const whole = removes ? (applyEdits(before, expected.edits, true) ?? []) : [];
      return [plain, whole].flat().filter(isNew);
    }
    case 'notebook':
      // Its bytes are up to the editor; see notebook.ts.
      return [];
    case 'patch':
      return [applyPatchLines(pre === undefined ? undefined : canonical(pre), expected.lines) ?? []].flat();
  }
}

const isNew = (bytes: Buffer, i: number, all: readonly Buffer[]) => !all.slice(0, i).some((one) => one.equals(bytes));

/** True where the bytes found (or the kind of what was found) are what was derived, tolerant of what tools do on their own. */
export function matches(found: Buffer | 'absent' | 'directory', derived: Derived): boolean {
  if (typeof found === 'string' || typeof derived === 'string') return found === derived;
  const bytes = canonical(found);
  return bytes.equals(derived) || (addsFinalNewline(bytes, derived) && bytes.subarray(0, -1).equals(derived));
}

/** True where `bytes` can only be `derived` and a final newline that the tool added. */
export const addsFinalNewline = (bytes: Buffer, derived: Pick<Buffer, 'length' | 'at'>): boolean =>
  bytes.length === derived.length + 1 && bytes.at(-1) === LF && derived.at(-1) !== LF;

function applyEdits(pre: Buffer, edits: readonly TextEdit[], wholeLines: boolean): Buffer | undefined {
  // One byte a character, so that a file in any encoding that keeps ASCII can be edited without decoding it.
  const asText = (text: string) => canonical(Buffer.from(text)).toString('latin1');
  let text = pre.toString('latin1');
  for (const edit of edits) {
    const newText = asText(edit.newText);
    let oldText = asText(edit.oldText);
    if (wholeLines && newText === '' && !oldText.endsWith('\n') && text.includes(`${oldText}\n`)) oldText += '\n';
    const next = applyEdit(text, oldText, newText, edit.all ?? false);
    if (next === undefined) return undefined;
    text = next;
  }
  return Buffer.from(text, 'latin1');
}

function applyEdit(text: string, oldText: string, newText: string, all: boolean): string | undefined {
  // An empty search text creates: it says nothing about a file that has content.
  if (oldText === '') return text === '' ? newText : undefined;
  const at = text.indexOf(oldText);
  if (at < 0) return undefined;
  if (all) {
    const count = countOf(text, oldText);
    if (count > maxReplaced || text.length + count * (newText.length - oldText.length) > maxLength) return undefined;
    return text.split(oldText).join(newText);
  }
  return text.slice(0, at) + newText + text.slice(at + oldText.length);
}

/** Counts no further than it matters. */
function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= maxReplaced; at = text.indexOf(part, at + part.length)) count++;
  return count;
}
