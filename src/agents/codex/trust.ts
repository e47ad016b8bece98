// How Codex names a hook that a person has approved: a hash of what the hook is. Only read, to say what is still to be
// approved; approving is the person's.
import { createHash } from 'node:crypto';

/** @returns `sha256:` and hex digits */
export function trustHash(
  event: string,
  matcher: string | undefined,
  entry: { readonly command?: unknown; readonly timeout?: unknown },
): string {
  const hook = { async: false, command: entry.command, timeout: entry.timeout, type: 'command' };
  const name = event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  // Keys in order, no blanks.
  const text = JSON.stringify({ event_name: name, hooks: [hook], ...(matcher === undefined ? {} : { matcher }) });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
