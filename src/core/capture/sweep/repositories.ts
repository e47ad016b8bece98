// Where repositories are: the one that holds the root, those below it, linked work trees and submodules. No Git is run.
import path from 'node:path';
import type { Ports } from '../../ports';
import { readToEnd, withPlainFile } from '../../store/plainFile';
import { holds } from '../roots';

export interface GitFolders {
  /** Absolute real path of the work tree. */
  readonly top: string;
  readonly gitDir: string;
  /** That of the main work tree, where the objects are. */
  readonly commonDir: string;
}

/** The repository whose work tree is this folder; undefined where it is none. `top`: absolute real path. */
export function repositoryAt(ports: Ports, top: string): GitFolders | undefined {
  const dotGit = path.join(top, '.git');
  const gitDir = folderNamed(ports, dotGit, /^gitdir: (.*)/) ?? dotGit;
  if (!isFolder(ports, gitDir)) return undefined;
  const commonDir = folderNamed(ports, path.join(gitDir, 'commondir'), /^(.*)/) ?? gitDir;
  return { top, gitDir, commonDir };
}

/** The nearest one that holds the root. */
export function repositoryOf(ports: Ports, root: string): GitFolders | undefined {
  for (let dir = root; ; dir = path.dirname(dir)) {
    const found = repositoryAt(ports, dir);
    if (found !== undefined || dir === path.dirname(dir)) return found;
  }
}

/** Linked work trees of a repository that are inside the root. */
export function linkedWorktrees(ports: Ports, root: string, { commonDir }: GitFolders): string[] {
  const folder = path.join(commonDir, 'worktrees');
  let names: string[];
  try {
    names = ports.fs.readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const dotGit = folderNamed(ports, path.join(folder, name, 'gitdir'), /^(.*)/);
    const top = dotGit === undefined ? undefined : realFolder(ports, path.dirname(dotGit));
    return top !== undefined && holds(root, top) ? [top] : [];
  });
}

export const hasDotGit = ({ fs }: Ports, folder: string): boolean => {
  try {
    return fs.lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

/** A path that a small file of Git names, absolute. */
function folderNamed(ports: Ports, file: string, pattern: RegExp): string | undefined {
  try {
    const text = withPlainFile(ports, file, (fd, { size }) =>
      size > 10_000 ? '' : readToEnd(ports, fd, size).toString('utf8'),
    );
    const named = pattern.exec(text.split('\n')[0]!.replace(/\r$/, ''))?.[1];
    return named ? path.resolve(path.dirname(file), named) : undefined;
  } catch {
    return undefined;
  }
}

function isFolder({ fs }: Ports, dir: string): boolean {
  try {
    return fs.statSync(dir).isDirectory();
  } catch {
    return false;
  }
}

function realFolder({ fs }: Ports, dir: string): string | undefined {
  try {
    return fs.realpathSync.native(dir);
  } catch {
    return undefined;
  }
}
