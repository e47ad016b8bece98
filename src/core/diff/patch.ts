// A unified patch for showing.
import { formatPatch, structuredPatch } from 'diff';
import { decodeText } from './text';

export interface PatchOptions {
  /** Unchanged lines around each change; default 3. */
  readonly context?: number;
  /** Both sides together; above it there is no patch. Default 8 MiB. */
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
  if (before.length + after.length > maxBytes) return undefined;
  const [old, now] = [decodeText(before), decodeText(after)];
  if (old === undefined || now === undefined) return undefined;
  const patch = structuredPatch(
    pre === undefined ? '/dev/null' : `a/${path}`,
    post === undefined ? '/dev/null' : `b/${path}`,
    old.text,
    now.text,
    undefined,
    undefined,
    { context, timeout: timeoutMs },
  );
  return patch === undefined ? undefined : formatPatch(patch);
}
