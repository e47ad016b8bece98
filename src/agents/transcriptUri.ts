// Paths out of URIs that a transcript names.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** An absolute path from a `file:` URI, or a path that is one already; undefined for everything else. */
export function pathOfUri(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 8192) return undefined;
  if (path.isAbsolute(value)) return value;
  if (!value.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(value);
  } catch {
    return undefined;
  }
}
