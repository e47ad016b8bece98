// Which workspace root a path belongs to, by real paths.
import path from 'node:path';
import { errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import { registeredRoots } from '../state/roots';

/** Where the agent is; absolute paths. */
export interface AgentFolders {
  readonly cwd: string;
  readonly projectDir?: string | undefined;
}

export interface PlacedPath {
  /** Real absolute path of the root. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly relative: string;
  /** Absolute; the parents are real, the last component is as named (it may be a symlink). */
  readonly absolute: string;
}

// The native call gives a name's stored spelling, which matters where the file system folds case.
const realPath = (fs: FileSystem, file: string): string => fs.realpathSync.native(file);

/**
 * The path with its parents resolved as far as they exist; a last component that is a symlink is not followed.
 * @throws a system error where a parent cannot be resolved (no access, a loop, a link to nothing)
 */
export function realPlace(fs: FileSystem, file: string): string {
  const missing = [path.basename(file)];
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    try {
      return path.join(realPath(fs, dir), ...missing);
    } catch (error) {
      const code = errorCode(error);
      // ENOTDIR: below a file. Only what is there can be resolved.
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dir === path.dirname(dir) || isLink(fs, dir)) throw error;
      missing.unshift(path.basename(dir));
    }
  }
}

function isLink(fs: FileSystem, file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

export const holds = (dir: string, file: string): boolean =>
  file.startsWith(dir.endsWith(path.sep) ? dir : dir + path.sep) && file.length > dir.length;

/**
 * The root that holds a path: the deepest workspace folder that the extension registered, else the agent's project
 * folder, else the Git top level, else the agent's current folder. Undefined where none of them holds it.
 * @throws as `realPlace`
 */
export function rootOfPath(ports: Ports, absolutePath: string, agent: AgentFolders): PlacedPath | undefined {
  const absolute = realPlace(ports.fs, path.resolve(absolutePath));
  const root = chooseRoot(ports, absolute, agent);
  return root === undefined ? undefined : { root, absolute, relative: relativeTo(root, absolute) };
}

export const relativeTo = (root: string, absolute: string): string =>
  path.relative(root, absolute).split(path.sep).join('/');

function chooseRoot({ fs, ...ports }: Ports, file: string, { cwd, projectDir }: AgentFolders): string | undefined {
  const registered = registeredRoots({ fs, ...ports })
    .filter((root) => holds(root, file))
    .sort((a, b) => b.length - a.length)[0];
  if (registered !== undefined) return registered;
  // The whole disk or a whole home is no workspace: an agent that was started there, or dotfiles kept in Git, must
  // not book every project of the person under one root. Only where nothing better holds the path is it taken.
  const home = tryRealPath(fs, process.env['HOME'] ?? process.env['USERPROFILE']);
  const absurd = (dir: string) => dir === path.parse(dir).root || dir === home;
  let last: string | undefined;
  for (const candidate of [
    () => tryRealPath(fs, projectDir),
    () => gitTopLevel(fs, path.dirname(file)),
    () => tryRealPath(fs, cwd),
  ]) {
    const dir = candidate();
    if (dir === undefined || !holds(dir, file)) continue;
    if (!absurd(dir)) return dir;
    last ??= dir;
  }
  return last;
}

function tryRealPath(fs: FileSystem, dir: string | undefined): string | undefined {
  try {
    return dir ? realPath(fs, dir) : undefined;
  } catch {
    return undefined;
  }
}

/** The nearest folder upward with a `.git` (a folder, or a file in linked worktrees and submodules). No Git is run. */
function gitTopLevel(fs: FileSystem, from: string): string | undefined {
  for (let dir = from; ; dir = path.dirname(dir)) {
    try {
      if (fs.lstatSync(path.join(dir, '.git'), { throwIfNoEntry: false })) return dir;
    } catch {
      // No access here says nothing about the folders above.
    }
    if (dir === path.dirname(dir)) return undefined;
  }
}
