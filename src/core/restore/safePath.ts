// Which relative paths a restore may touch at all. Pure; what is on the disk is checked by the walk in folder.ts.
import { isUtf8 } from 'node:buffer';
import { protectedName } from '../capture/protectedNames';
import type { RelativePath } from '../store/meta';
import { pathBytes, pathNames, type Name } from './relativePath';

export interface PathRules {
  readonly windows: boolean;
  /**
   * The record is not known to be this person's. Then the rules of Windows hold everywhere: `a:b`, `aux.c` and
   * `a\b` are plain names on Linux and macOS, and an agent's own work under such names must come back there; but
   * nobody needs them from a stranger's store, and there they are more likely meant for somebody else's system.
   */
  readonly foreign: boolean;
}

const device = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** What Windows makes of a long name whose plain short names are taken: two letters and a hash of the rest. */
const hashedShortName = /^sy[0-9a-f]{4}~\d$/i;

/** Why a path is refused, in words; undefined where it may be used. */
export function refusalOf(path: RelativePath, rules: PathRules): string | undefined {
  const bytes = pathBytes(path);
  if (bytes.length === 0) return 'the path is empty';
  if (bytes.length > 4096) return 'the path is too long';
  if (bytes.includes(0)) return 'the path contains a NUL';
  if (typeof path === 'string' ? !path.isWellFormed() : isUtf8(bytes)) return 'the path is wrongly encoded';
  if (typeof path !== 'string' && rules.windows) return 'the path is not valid on this system';
  const text = bytes.toString('latin1');
  if (text.startsWith('/')) return 'the path is absolute';
  // `C:\x`, `C:/x`, `\\server\share`, `\\?\x`: no tool of this product records them, on any system.
  if (/^[a-z]:([\\/]|$)/i.test(text) || text.startsWith('\\')) return 'the path is absolute';
  for (const name of pathNames(path)) {
    const reason = refusedName(name, rules);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function refusedName(name: Name, { windows, foreign }: PathRules): string | undefined {
  const text = typeof name === 'string' ? name : name.toString('latin1');
  if (text === '') return 'the path has an empty component';
  if (text === '.' || text === '..') return `the path has a component ${text}`;
  if (Buffer.byteLength(name) > 255) return 'a component of the path is too long';
  const guarded = protectedName(text) ?? (hashedShortName.test(text) ? '.system_generated' : undefined);
  if (guarded !== undefined) return `it is in ${guarded}, which is never touched`;
  return windows || foreign ? refusedOnWindows(text) : undefined;
}

function refusedOnWindows(text: string): string | undefined {
  if (text.includes('\\')) return 'the path contains a backslash';
  if (text.includes(':')) return 'the path names a drive or a stream';
  // Devices keep their meaning with blanks and with anything after a dot.
  if (device.test(text.replace(/[. ]*(\..*)?$/s, '').trimEnd())) return 'the path names a device';
  if (/[. ]$/.test(text)) return 'a component of the path ends with a dot or a blank';

  if (/[\u0001-\u001f"*<>?|]/.test(text)) return 'the path has a character that Windows does not allow';
  return undefined;
}

/** Two paths with the same key are one file on some file system: case and composition do not count. */
export function twinKey(path: RelativePath): string {
  const text = pathBytes(path).toString(typeof path === 'string' ? 'utf8' : 'latin1');
  // Upper case first: `ß` and `ss`, or final and other sigma, fold to the same only this way.
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
