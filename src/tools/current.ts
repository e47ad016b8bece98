// What is at a path now, for comparing.
import type { Ports } from '../core/ports';
import { Folders } from '../core/restore/folder';
import { look } from '../core/restore/snapshot';
import { isWindows } from '../core/state/platform';
import type { RelativePath } from '../core/store/meta';

/**
 * The bytes at a path of a store. undefined: no file, too large to compare, or a path that is refused, since what a
 * store names may lead out of the root.
 */
export function currentBytes(
  ports: Ports,
  root: string,
  path: RelativePath,
  foreign: boolean,
): Buffer | 'absent' | undefined {
  const folders = new Folders(ports, root);
  try {
    const found = look(folders, path, { rules: { windows: isWindows, foreign }, keep: true });
    if (found.refused !== undefined) return undefined;
    return found.state.type === 'absent' ? 'absent' : found.bytes;
  } finally {
    folders.close();
  }
}
