// A unified patch for showing.
import { formatPatch, structuredPatch } from 'diff';
import { changedMiddle } from './middle';
import { decodeText } from './text';

export interface PatchOptions {
  /** Unchanged lines around each change; default 3. */
  readonly context?: number;
  /** Of what is between the equal lines, both sides together, in characters; above it there is no patch. Default 8 Mi. */
  readonly maxBytes?: number;
}

const timeoutMs = 1000;

/**
 * Undefined where one side is binary, or the change is too large or takes too long to compare. An absent side is
 * undefined and is named `/dev/null`. `path` is relative with `/`.
 */
export function unifiedPatch(
  path: string,
  pre: Uint8Array | undefined,
  post: Uint8Array | undefined,
  { context = 3, maxBytes = 8 * 2 ** 20 }: PatchOptions = {},
): string | undefined {
  const [before, after] = [pre ?? new Uint8Array(), post ?? new Uint8Array()];
  const [old, now] = [decodeText(before), decodeText(after)];
  if (old === undefined || now === undefined) return undefined;
  const middle = changedMiddle(old.text, now.text, context);
  if (middle.before.length + middle.after.length > maxBytes) return undefined;
  const patch = structuredPatch(
    pre === undefined ? '/dev/null' : `a/${path}`,
    post === undefined ? '/dev/null' : `b/${path}`,
    middle.before,
    middle.after,
    undefined,
    undefined,
    { context, timeout: timeoutMs },
  );
  if (patch === undefined) return undefined;
  const { above } = middle;
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + above,
    newStart: hunk.newStart + above,
  }));
  return formatPatch({ ...patch, hunks });
}
