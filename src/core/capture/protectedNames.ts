// Names that are never captured and never restored, in any spelling that some file system takes for them. Pure.
import { storeFolder } from '../store/layout';

// Invisible characters that a file system of macOS ignores in names.
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Which protected folder the name of one path component stands for, if any. */
export function protectedName(component: string): '.git' | typeof storeFolder | undefined {
  const plain = component
    .normalize('NFKC')
    .replace(ignorable, '')
    .toLowerCase()
    // Windows drops trailing dots and blanks, and `name:stream` names the same file.
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
  // The short names that Windows makes.
  if (plain === '.git' || plain === 'git~1') return '.git';
  if (plain === storeFolder || /^system~\d$/.test(plain)) return storeFolder;
  return undefined;
}

/** The first protected folder that a relative path with `/` leads into or names. */
export function protectedIn(relativePath: string): string | undefined {
  for (const component of relativePath.split('/')) {
    const name = protectedName(component);
    if (name !== undefined) return name;
  }
  return undefined;
}
