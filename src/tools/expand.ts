// From paths on the command line to the files they stand for.
import path from 'node:path';
import type { FileSystem } from '../core/ports';
import { UsageError } from './usage';

/** One checkpoint by hand takes at most so many files: more is a folder that was named by mistake. */
const maxFiles = 10_000;

const left = new Set(['.git', '.system_generated']);

/**
 * The absolute paths of the files under the given ones (absolute). A folder stands for all files in it; links are
 * taken as links, not followed. `.git` and `.system_generated` are passed over, in any spelling.
 * @throws UsageError where a path does not exist, or the files are too many
 */
export function expandPaths(fs: FileSystem, paths: readonly string[]): string[] {
  const files = new Set<string>();
  const open = [...paths].reverse();
  const named = new Set(paths);
  while (open.length > 0) {
    const file = open.pop()!;
    const stats = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      if (named.has(file)) throw new UsageError(`${JSON.stringify(file)} does not exist.`);
    } else if (stats.isDirectory()) {
      const names = fs.readdirSync(file).filter((name) => !left.has(name.toLowerCase()));
      open.push(...names.reverse().map((name) => path.join(file, name)));
    } else {
      files.add(file);
    }
    if (files.size > maxFiles) {
      throw new UsageError(`These folders hold more than ${maxFiles} files. Name the ones that matter.`);
    }
  }
  return [...files];
}
