// What an open checkpoint remembers of a tool's input, to know its own write again later.
import { addsFinalNewline, canonical, outcomes, type Derived } from './expected';
import { isEdited } from './notebook';
import type { Expected } from './request';
import { sha256Of } from '../store/plainFile';

/** A derived state by its hash, so that a large content is not kept twice. */
export type Print =
  | 'absent'
  | 'directory'
  /** Of the canonical bytes; `newline` where they end in one. */
  | { readonly sha256: string; readonly size: number; readonly newline: boolean };

/** How the agent's own state is known again. */
export type Fingerprint = Print | { readonly fits: (found: Buffer) => boolean };

/** `prints`: one of these. `input`: derivable from the bytes before. Absent: nothing is known. */
export type Recorded =
  | { readonly type: 'prints'; readonly prints: readonly Print[] }
  | { readonly type: 'input'; readonly input: Extract<Expected, { type: 'edits' | 'patch' | 'notebook' }> };

/** Characters of input that are kept as they are; beyond, the outcome is worked out before the write. */
const maxInput = 256 * 1024;

/** @param readPre the bytes before; called only where they are needed at once */
export function record(expected: Expected, readPre: () => Buffer | undefined): Recorded | undefined {
  if (expected.type === 'notebook') return { type: 'input', input: expected };
  if (expected.type !== 'edits' && expected.type !== 'patch') {
    return { type: 'prints', prints: outcomes(undefined, expected).map(fingerprint) };
  }
  if (JSON.stringify(expected).length <= maxInput) return { type: 'input', input: expected };
  const prints = outcomes(readPre(), expected).map(fingerprint);
  return prints.length > 0 ? { type: 'prints', prints } : undefined;
}

/** The states that count as the agent's own; empty where none is known. */
export function fingerprints(
  recorded: Recorded | undefined,
  readPre: () => Buffer | undefined,
): readonly Fingerprint[] {
  if (recorded === undefined) return [];
  if (recorded.type === 'prints') return recorded.prints;
  const { input } = recorded;
  if (input.type !== 'notebook') return outcomes(readPre(), input).map(fingerprint);
  const pre = readPre();
  return [{ fits: (found) => isEdited(pre, found, input) }];
}

function fingerprint(derived: Derived): Print {
  if (typeof derived === 'string') return derived;
  return { sha256: sha256Of(derived), size: derived.length, newline: derived.at(-1) === 0x0a };
}

/** True where what was found is one of the states. */
export function isOneOf(found: Buffer | 'absent' | 'directory', prints: readonly Fingerprint[]): boolean {
  if (typeof found === 'string') return prints.includes(found);
  const bytes = canonical(found);
  return prints.some((print) => {
    if (typeof print === 'string') return false;
    if ('fits' in print) return print.fits(found);
    if (bytes.length === print.size) return sha256Of(bytes) === print.sha256;
    // The same rule as `matches`: a final newline may have been added, never taken away.
    const before = { length: print.size, at: () => (print.newline ? 0x0a : 0) };
    return addsFinalNewline(bytes, before) && sha256Of(bytes.subarray(0, -1)) === print.sha256;
  });
}
