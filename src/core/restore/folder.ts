// The checked walk: from the root to the folder of a path so that no symlink leads out, also not one that is put
// there in the middle of it.
//
// On Linux each folder is held open and the next one is opened through it without following links, and files are
// reached through the open folder (`/proc/self/fd/<n>/<name>`): a parent that is swapped afterwards changes nothing.
// Elsewhere Node has no such calls. There the real path is checked again right before each write; between that check
// and the write a parent could still be swapped.
import { constants } from 'node:fs';
import path from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { FileSystem, Ports } from '../ports';
import { hasHandles } from '../store/inStore';
import type { RelativePath } from '../store/meta';
import { displayPath, joinName, nameOf, pathKey, pathNames, pathOfNames, type Name } from './relativePath';
import { refusalOf, type PathRules } from './safePath';

/** A folder inside the root that is reached without links. */
export interface Folder {
  /** Real, relative to the root. */
  readonly names: readonly Name[];
  /** The file of that name in this folder, for file calls. */
  at(name: Name): string | Buffer;
  /** @throws CheckpointError `changed-meanwhile` where the folder is no longer where it was found */
  verify(): void;
  flush(): void;
  close(): void;
}

export type Walk =
  | { readonly type: 'folder'; readonly folder: Folder }
  /** A parent is not there: how many of them are missing. */
  | { readonly type: 'missing'; readonly missing: number }
  /** A parent is no folder: which. */
  | { readonly type: 'blocked'; readonly by: RelativePath };

interface OpenFolder extends Folder {
  enter(name: Name): OpenFolder | 'missing' | 'file' | 'link';
}

/**
 * Goes to the folder that holds `target` (relative to the real path `root`).
 * @throws CheckpointError `refused-path` where a link leads out of the root or into a folder that is never touched
 */
export function walkTo(ports: Ports, root: string, target: RelativePath, rules: PathRules): Walk {
  let parents: readonly Name[] = pathNames(target).slice(0, -1);
  // Each link is replaced by its real place and the walk begins anew, as often as the system itself would follow.
  for (let links = 0; links <= 40; links++) {
    const end = walk(ports, root, parents);
    if (end.type !== 'link') return end;
    const real = realParent(ports.fs, root, parents.slice(0, end.at + 1));
    if (real === undefined) return { type: 'blocked', by: pathOfNames(parents.slice(0, end.at + 1)) };
    const rest = parents.slice(end.at + 1);
    parents = [...real, ...rest];
    const refusal = parents.length === 0 ? undefined : refusalOf(pathOfNames(parents), rules);
    if (refusal !== undefined) throw refused(target, `a link among its folders leads to where ${refusal}`);
  }
  throw refused(target, 'its folders are links in a circle');
}

function walk(ports: Ports, root: string, names: readonly Name[]): Walk | { type: 'link'; at: number } {
  let folder = openRoot(ports, root);
  for (const [i, name] of names.entries()) {
    let next: ReturnType<OpenFolder['enter']>;
    try {
      next = folder.enter(name);
    } finally {
      folder.close();
    }
    if (next === 'link') return { type: 'link', at: i };
    if (next === 'missing') return { type: 'missing', missing: names.length - i };
    if (next === 'file') return { type: 'blocked', by: pathOfNames(names.slice(0, i + 1)) };
    folder = next;
  }
  return { type: 'folder', folder };
}

/** Where a link leads to, relative to the root; undefined where it leads to nothing. */
function realParent(fs: FileSystem, root: string, names: readonly Name[]): Name[] | undefined {
  let real: string;
  try {
    real = fs.realpathSync(joined(root, names));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  const relative = path.relative(root, real);
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
    throw refused(pathOfNames(names), 'a link among its folders leads out of the workspace');
  }
  return relative === '' ? [] : relative.split(path.sep);
}

const refused = (target: RelativePath, reason: string) =>
  new CheckpointError('refused-path', `${displayPath(target)} is refused: ${reason}.`);

const moved = () =>
  new CheckpointError('changed-meanwhile', 'A folder was moved or replaced while the restore ran. Try again.');

function openRoot(ports: Ports, root: string): OpenFolder {
  return process.platform === 'linux' && hasHandles(ports.fs)
    ? handleFolder(ports, root, [], root)
    : plainFolder(ports, root, []);
}

function handleFolder({ fs }: Ports, root: string, names: readonly Name[], from: string | Buffer): OpenFolder {
  const fd = fs.openSync(from, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const dir = `/proc/self/fd/${fd}`;
  const expected = Buffer.from(joined(root, names));
  const at = (name: Name) => joinName(dir, name);
  return {
    names,
    at,
    enter(name) {
      try {
        return handleFolder({ fs } as Ports, root, [...names, name], at(name));
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ENOENT') return 'missing';
        if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
        return fs.lstatSync(at(name)).isSymbolicLink() ? 'link' : 'file';
      }
    },
    verify() {
      if (!fs.readlinkSync(dir, { encoding: 'buffer' }).equals(expected)) throw moved();
    },
    flush: () => fs.fsyncSync(fd),
    close: () => fs.closeSync(fd),
  };
}

function plainFolder({ fs }: Ports, root: string, names: readonly Name[]): OpenFolder {
  const dir = joined(root, names);
  const real = fs.realpathSync(dir).toString();
  const at = (name: Name) => joinName(dir.toString(), name);
  return {
    names,
    at,
    enter(name) {
      const found = fs.lstatSync(at(name), { throwIfNoEntry: false });
      if (found === undefined) return 'missing';
      if (found.isSymbolicLink()) return 'link';
      return found.isDirectory() ? plainFolder({ fs } as Ports, root, [...names, name]) : 'file';
    },
    verify() {
      if (fs.realpathSync(dir).toString() !== real) throw moved();
    },
    flush: () => {},
    close: () => {},
  };
}

const joined = (root: string, names: readonly Name[]): string | Buffer =>
  names.length === 0
    ? root
    : names.every((name) => typeof name === 'string')
      ? [root, ...names].join(path.sep)
      : Buffer.concat([Buffer.from(root), ...names.flatMap((name) => [Buffer.from('/'), Buffer.from(name)])]);

/** Folders that are held open while several paths in them are changed. */
export class Folders {
  #last: { key: string; folder: Folder } | undefined;

  constructor(
    readonly ports: Ports,
    readonly root: string,
  ) {}

  to(path: RelativePath, rules: PathRules): Walk {
    const key = keyOf(path, rules);
    if (this.#last?.key === key && isStill(this.#last.folder)) return { type: 'folder', folder: this.#last.folder };
    return this.#walk(path, rules, key);
  }

  /** As `to`, for a caller that verifies the folder itself, or that has just written in it. */
  near(path: RelativePath, rules: PathRules): Walk {
    const key = keyOf(path, rules);
    if (this.#last?.key === key) return { type: 'folder', folder: this.#last.folder };
    return this.#walk(path, rules, key);
  }

  #walk(path: RelativePath, rules: PathRules, key: string): Walk {
    this.close();
    const walk = walkTo(this.ports, this.root, path, rules);
    if (walk.type === 'folder') this.#last = { key, folder: walk.folder };
    return walk;
  }

  close(): void {
    const last = this.#last;
    this.#last = undefined;
    try {
      last?.folder.close();
    } catch {
      // Nothing was written through it.
    }
  }
}

function keyOf(path: RelativePath, { foreign }: PathRules): string {
  if (typeof path === 'string') return `${foreign} ${path.slice(0, Math.max(path.lastIndexOf('/'), 0))}`;
  return `${foreign} ${pathKey(pathOfNames(pathNames(path).slice(0, -1)))}`;
}

function isStill(folder: Folder): boolean {
  try {
    folder.verify();
    return true;
  } catch (error) {
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}

/** The last component of a path. */
export const lastName = (target: RelativePath): Name => pathNames(target).at(-1)!;

/** The names in a folder that is reached by a file call's path. */
export function namesIn({ fs }: Ports, dir: string | Buffer): Name[] {
  return fs.readdirSync(dir, { encoding: 'buffer' }).map(nameOf);
}
