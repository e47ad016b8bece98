// Which workspace root a command means where --root does not say it.
import path from 'node:path';
import type { FileSystem, Ports } from '../core/ports';
import { registeredRoots } from '../core/state/roots';
import { rootStores } from '../core/store/stores';
import { homeOf } from './home';
import { UsageError } from './usage';

/** @throws UsageError where DIR is not a folder */
export function rootFromOption(ports: Ports, cwd: string, dir: string): string {
  const real = realFolder(ports.fs, path.resolve(cwd, dir));
  if (real !== undefined) return real;
  throw new UsageError(
    `--root ${JSON.stringify(dir)} is not a folder. Name the workspace folder that holds the store.`,
  );
}

/**
 * The nearest folder from `cwd` upward that has a store (its own or a fallback in user state) or is registered. The
 * search ends with the Git top level or the home folder, and before a folder of another owner: a store that somebody
 * else put further up is not taken. Without one: `cwd`.
 * @throws UsageError where the current folder was removed
 */
export function defaultRoot(ports: Ports, cwd: string, env: NodeJS.ProcessEnv): string {
  if (cwd === '') {
    throw new UsageError('The current folder is gone. Go to another one, or name the workspace folder with --root.');
  }
  const start = ports.fs.realpathSync(cwd);
  const owner = ownerOf(ports.fs, start);
  const home = realHome(ports, env);
  const registered = new Set(registeredRoots(ports));
  for (let dir = start; ; dir = path.dirname(dir)) {
    if (ownerOf(ports.fs, dir) !== owner) return start;
    if (registered.has(dir) || hasStore(ports, dir, owner)) return dir;
    if (dir === home || exists(ports.fs, path.join(dir, '.git')) || dir === path.dirname(dir)) return start;
  }
}

/**
 * The real path of a folder that an agent names: its own root (`own`), a registered one, or one where a store of the same
 * owner stands. Nothing else: an agent must not have history of just any folder made or read.
 * @throws UsageError
 */
export function knownRoot(ports: Ports, own: string, named: string): string {
  const real = realFolder(ports.fs, path.resolve(own, named));
  const known = registeredRoots(ports);
  if (real !== undefined && (real === own || known.includes(real) || hasStore(ports, real, ownerOf(ports.fs, own)))) {
    return real;
  }
  throw new UsageError(`${JSON.stringify(named)} is not a folder with checkpoints. The current one is ${own}.`);
}

function realFolder(fs: FileSystem, dir: string): string | undefined {
  try {
    const real = fs.realpathSync(dir);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function hasStore(ports: Ports, dir: string, owner: number | undefined): boolean {
  const { primary, fallback } = rootStores(ports, dir);
  return isFolder(ports.fs, fallback.checkpoints) || isFolder(ports.fs, primary.checkpoints, owner);
}

/** A link counts too: the store is then refused with its reason, instead of another one being taken. */
function isFolder(fs: FileSystem, dir: string, owner?: number): boolean {
  try {
    const stats = fs.lstatSync(dir);
    return (stats.isDirectory() || stats.isSymbolicLink()) && (owner === undefined || stats.uid === owner);
  } catch {
    return false;
  }
}

function ownerOf(fs: FileSystem, dir: string): number | undefined {
  try {
    return fs.statSync(dir).uid;
  } catch {
    return undefined;
  }
}

const exists = (fs: FileSystem, file: string) => ownerOf(fs, file) !== undefined;

function realHome(ports: Ports, env: NodeJS.ProcessEnv): string | undefined {
  try {
    return ports.fs.realpathSync(homeOf(env));
  } catch {
    return undefined;
  }
}
