// A path as a tool's input names it: absolute, relative, with `~`, or as a URI.
import path from 'node:path';

// VS Code writes its own schemes with one slash; of others that would be a folder with a colon in its name.
const uri = /^(?:([a-z][a-z0-9+.-]+):\/\/([^/]*)|(file|vscode-[a-z-]+):)(\/[^?#]*)/i;

/**
 * Returns the absolute path, not yet resolved; undefined for what is no path of this machine (an unsaved document, a
 * virtual file system, an empty name).
 *
 * @param cwd absolute; what relative paths start from
 * @param home absolute; what `~` stands for
 */
export function toAbsolute(value: unknown, cwd: string, home: string): string | undefined {
  if (typeof value !== 'string' || value === '' || value.includes('\0') || value.length > 32_768) return undefined;
  if (value.startsWith('untitled:')) return undefined;
  const match = uri.exec(value);
  if (match) return fromUri((match[1] ?? match[3])!.toLowerCase(), match[2] ?? '', match[4]!);
  if (value === '~' || value.startsWith('~/')) return path.join(home, value.slice(1));
  return path.resolve(cwd, value);
}

/** `vscode-remote` and notebook URIs name a file where the agent runs, and so does the hook. */
function fromUri(scheme: string, host: string, encoded: string): string | undefined {
  if (!['file', 'vscode-remote', 'vscode-notebook-cell'].includes(scheme)) return undefined;
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  if (decoded.includes('\0')) return undefined;
  if (process.platform !== 'win32') return path.resolve(decoded);
  const share = scheme === 'file' && host !== '' && host !== 'localhost' ? `//${host}` : '';
  return path.resolve(share + decoded.replace(/^\/([a-z]:)/i, '$1'));
}
