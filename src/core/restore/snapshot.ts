// What a path is now: the state that a plan is made on and that apply compares with.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import nodePath from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { openToRead } from '../state/platform';
import type { RelativePath, State } from '../store/meta';
import { lastName, namesIn, walkTo, type Folder } from './folder';
import { displayPath, pathKey, pathOfNames, type Name } from './relativePath';
import { refusalOf, twinKey, type PathRules } from './safePath';
import { absent } from './states';

/** What was found at a path. */
export interface Found {
  readonly state: State;
  /** Nothing may be done here, and why. */
  readonly refused?: string;
  /** The key of the real path: two paths with the same one are one file. */
  readonly real: string;
  /** A link or file above it is replaced by the same plan: what is behind it now does not count. */
  readonly underReplaced?: true;
  /** A parent that is no folder, so that the path cannot be there. */
  readonly blockedBy?: RelativePath;
  /** How many of the folders above it are missing. */
  readonly missingParents: number;
  /** Nothing can be made, replaced or removed in its folder. */
  readonly folderReadOnly?: true;
  /** The keys of what is in a folder. */
  readonly children?: readonly string[];
  /** The text is unsaved in an editor; `state` is that text. */
  readonly inEditor?: true;
  /** The bytes, where they were read and are few. */
  readonly bytes?: Buffer;
  readonly stats?: BigIntStats;
}

/** Unsaved text of open editors as bytes, by relative path. */
export type Unsaved = ReadonlyMap<string, Uint8Array>;

/** Files up to this many bytes are read at once and kept. */
export const small = 4 * 1024 * 1024;

export interface LookOptions {
  readonly rules: PathRules;
  readonly unsaved?: Unsaved | undefined;
}

/** Reads the state of a path. Changes nothing; what cannot be read is `unreadable`, never absent. */
export function look(ports: Ports, root: string, path: RelativePath, options: LookOptions): Found {
  const nothing = { real: pathKey(path), missingParents: 0, state: absent };
  const refusal = refusalOf(path, options.rules);
  if (refusal !== undefined) return { ...nothing, refused: refusal };
  try {
    const end = walkTo(ports, root, path, options.rules);
    if (end.type === 'missing') return { ...nothing, missingParents: end.missing };
    if (end.type === 'blocked') return { ...nothing, blockedBy: end.by };
    try {
      const found = overlay(lookIn(ports, end.folder, lastName(path)), path, options.unsaved);
      return isReadOnly(ports, end.folder) ? { ...found, folderReadOnly: true } : found;
    } finally {
      end.folder.close();
    }
  } catch (error) {
    if (CheckpointError.is(error, 'refused-path')) return { ...nothing, refused: error.message };
    return { ...nothing, state: unreadable(error) };
  }
}

/** As `look`, for a name in a folder that the walk has reached. */
export function lookIn(ports: Ports, folder: Folder, name: Name): Found {
  const place = { real: pathKey(pathOfNames([...folder.names, name])), missingParents: 0 };
  const at = folder.at(name);
  try {
    const stats = ports.fs.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { ...place, state: absent };
    if (process.platform !== 'linux' && isOtherCase(ports, at, name)) return { ...place, state: absent };
    if (stats.isSymbolicLink()) return { ...place, stats, state: linkState(ports, at) };
    if (stats.isDirectory()) {
      const children = namesIn(ports, at).map((child) => pathKey(pathOfNames([...folder.names, name, child])));
      return { ...place, stats, children, state: { type: 'directory' } };
    }
    if (!stats.isFile()) return { ...place, stats, state: { type: 'unreadable', error: 'it is no regular file' } };
    return { ...place, ...readState(ports, at) };
  } catch (error) {
    return { ...place, state: unreadable(error) };
  }
}

function linkState({ fs }: Ports, at: string | Buffer): State {
  const target = fs.readlinkSync(at, { encoding: 'buffer' });
  // A record holds targets as text only.
  if (!isUtf8(target)) return { type: 'unreadable', error: 'the target of the link is not UTF-8' };
  return { type: 'symlink', target: target.toString('utf8') };
}

/** Where a file system folds case, `Foo` finds `foo`; to a plan they are two paths, and only one is there. */
function isOtherCase({ fs }: Ports, at: string | Buffer, name: Name): boolean {
  if (typeof name !== 'string' || fs.lstatSync(at).isSymbolicLink()) return false;
  const stored = nodePath.basename(fs.realpathSync.native(at));
  return stored.normalize() !== name.normalize() && twinKey(stored) === twinKey(name);
}

function isReadOnly({ fs }: Ports, folder: Folder): boolean {
  try {
    fs.accessSync(folder.at('.'), constants.W_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}

function readState({ fs }: Ports, at: string | Buffer): Pick<Found, 'state' | 'stats' | 'bytes'> {
  const fd = fs.openSync(at, openToRead);
  try {
    // Of the open file, before its bytes: a write during the reading shows as newer times later.
    const stats = fs.fstatSync(fd, { bigint: true });
    if (!stats.isFile()) return { state: { type: 'unreadable', error: 'it is no regular file' } };
    const hash = createHash('sha256');
    const mode = Number(stats.mode) & 0o7777;
    if (stats.size <= small) {
      const bytes = fs.readFileSync(fd);
      const sha256 = hash.update(bytes).digest('hex');
      return { stats, bytes, state: { type: 'file', sha256, size: bytes.length, mode, blob: '' } };
    }
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    let size = 0;
    for (let read; (read = fs.readSync(fd, chunk, 0, chunk.length, null)) > 0; size += read) {
      hash.update(chunk.subarray(0, read));
    }
    return { stats, state: { type: 'file', sha256: hash.digest('hex'), size, mode, blob: '' } };
  } finally {
    fs.closeSync(fd);
  }
}

function overlay(found: Found, path: RelativePath, unsaved: Unsaved | undefined): Found {
  const text = typeof path === 'string' ? unsaved?.get(path) : undefined;
  if (text === undefined) return found;
  const bytes = Buffer.from(text);
  const mode = found.state.type === 'file' ? found.state.mode : 0o644;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...found, inEditor: true, bytes, state: { type: 'file', sha256, size: bytes.length, mode, blob: '' } };
}

const unreadable = (error: unknown): State => ({
  type: 'unreadable',
  error: errorCode(error) ?? (error instanceof Error ? error.message.slice(0, 200) : 'unknown'),
});

/** Reads the current bytes of a file for a merge. @throws CheckpointError `changed-meanwhile` if it is another file */
export function readCurrent(ports: Ports, root: string, path: RelativePath, found: Found, rules: PathRules): Buffer {
  if (found.bytes) return found.bytes;
  const again = walkTo(ports, root, path, rules);
  if (again.type === 'folder') {
    try {
      const bytes = ports.fs.readFileSync(again.folder.at(lastName(path)), { flag: openToRead as never });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (found.state.type === 'file' && sha256 === found.state.sha256) return bytes;
    } finally {
      again.folder.close();
    }
  }
  throw new CheckpointError('changed-meanwhile', `${displayPath(path)} changed while it was read. Try again.`);
}
