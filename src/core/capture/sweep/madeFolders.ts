// Folders that Git ignores and that commands made: what is in them is known path by path, as long as nobody else puts
// something there.
import path from 'node:path';
import type { Ports } from '../../ports';
import { look } from '../diskState';
import { hasDotGit } from './repositories';

/**
 * Whether all that is in a folder is looked at one by one already. Costs no more looks than there are such paths.
 *
 * @param relative of the folder, to the root; it may end in `/`
 * @param made paths relative to the root that commands made
 */
export function isWhollyMade(ports: Ports, root: string, relative: string, made: ReadonlySet<string>): boolean {
  const pending = [relative.replace(/\/$/, '')];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (!made.has(next)) return false;
    const at = path.join(root, next);
    if (look(ports.fs, at).type !== 'directory') continue;
    if (hasDotGit(ports, at)) return false;
    try {
      pending.push(...ports.fs.readdirSync(at).map((name) => `${next}/${name}`));
    } catch {
      return false;
    }
  }
  return true;
}
