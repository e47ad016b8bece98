// Paths on the command line, against the workspace root.
import path from 'node:path';
import type { FileSystem } from '../core/ports';
import { UsageError } from './usage';

/**
 * `text` as a path relative to the root with `/`; a relative one is meant from `base`. Pure but for the real paths of
 * parent folders, so that a root named through a link is found.
 * @throws UsageError where it leads out of the root, or is the root itself
 */
export function pathInRoot(fs: FileSystem, root: string, base: string, text: string): string {
  if (text.includes('\0')) throw new UsageError(`${JSON.stringify(text)} is not a path.`);
  const absolute = path.resolve(base, text);
  const relative = inside(root, absolute) ?? inside(root, realParents(fs, absolute));
  if (relative === undefined) {
    throw new UsageError(
      `${JSON.stringify(text)} is not inside ${root}. Name a path in that folder, or another --root.`,
    );
  }
  return relative.split(path.sep).join('/');
}

function inside(root: string, absolute: string): string | undefined {
  const relative = path.relative(root, absolute);
  const out = relative === '' || relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return out ? undefined : relative;
}

/** The real path of the deepest parent folder that exists, and the rest as it is; the last name is never followed. */
function realParents(fs: FileSystem, absolute: string): string {
  for (let parent = path.dirname(absolute); ; parent = path.dirname(parent)) {
    try {
      return path.join(fs.realpathSync(parent), path.relative(parent, absolute));
    } catch {
      if (parent === path.dirname(parent)) return absolute;
    }
  }
}
