// What a path is now: the state that a plan is made on and that apply compares with.
import { isUtf8 } from 'node:buffer';
import { constants, type BigIntStats } from 'node:fs';
import nodePath from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { openToRead } from '../state/platform';
import type { FileState, RelativePath, State } from '../store/meta';
import { hashOpenFile, readToEnd, sha256Of, withPlainFile } from '../store/plainFile';
import { lastName, namesIn, type Folder, type Folders } from './folder';
import { displayPath, pathKey, pathOfNames, type Name } from './relativePath';
import { refusalOf, twinKey, type PathRules } from './safePath';
import { absent, sameBytes } from './states';

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
  /** An editor that this program does not reach has unsaved text of it. */
  readonly unsavedElsewhere?: true;
  /** The bytes, where they were read and are few. */
  readonly bytes?: Buffer;
  readonly stats?: BigIntStats;
  /** `stats` was old enough when it was read that every later write shows in it. */
  readonly settled?: boolean;
}

/** Unsaved text of open editors as bytes, by relative path. */
export type Unsaved = ReadonlyMap<string, Uint8Array>;

/** Files up to this many bytes are read at once and kept. */
export const small = 4 * 1024 * 1024;

export interface LookOptions {
  readonly rules: PathRules;
  readonly unsaved?: Unsaved | undefined;
  /** The bytes of small files are kept. */
  readonly keep?: boolean;
}

/** What `stat` said of a state when it was read, where every later write shows in that. */
const settledStats = new WeakMap<State, BigIntStats>();

/** Reads the state of a path. Changes nothing; what cannot be read is `unreadable`, never absent. */
export function look(folders: Folders, path: RelativePath, options: LookOptions): Found {
  const { ports } = folders;
  const nothing = { real: pathKey(path), missingParents: 0, state: absent };
  const refusal = refusalOf(path, options.rules);
  if (refusal !== undefined) return { ...nothing, refused: refusal };
  try {
    const end = folders.to(path, options.rules);
    if (end.type === 'missing') return { ...nothing, missingParents: end.missing };
    if (end.type === 'blocked') return { ...nothing, blockedBy: end.by };
    const found = overlay(lookIn(ports, end.folder, lastName(path), options.keep), path, options.unsaved);
    return isReadOnly(ports, end.folder) ? { ...found, folderReadOnly: true } : found;
  } catch (error) {
    if (CheckpointError.is(error, 'refused-path')) return { ...nothing, refused: error.message };
    return { ...nothing, state: unreadable(error) };
  }
}

/** As `look`, for a name in a folder that the walk has reached. */
export function lookIn(ports: Ports, folder: Folder, name: Name, keep = false): Found {
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
    const read = readState(ports, at, keep);
    const settled = read.stats !== undefined && isSettled(read.stats);
    if (settled) settledStats.set(read.state, read.stats!);
    return { ...place, ...read, settled };
  } catch (error) {
    return { ...place, state: unreadable(error) };
  }
}

/**
 * What was found before, where `stat` proves that it still is: the file is not read again, and its bytes are not given.
 * Undefined where it proves nothing.
 */
export function lookIfAsBefore(
  folders: Folders,
  path: RelativePath,
  before: State,
  rules: PathRules,
): Found | undefined {
  const stats = settledStats.get(before);
  if (stats === undefined || refusalOf(path, rules) !== undefined) return undefined;
  // Right before the path is written its folder is verified.
  const end = folders.near(path, rules);
  if (end.type !== 'folder') return undefined;
  const name = lastName(path);
  const now = folders.ports.fs.lstatSync(end.folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (!sameStats(now, stats)) return undefined;
  const real = pathKey(pathOfNames([...end.folder.names, name]));
  return { state: before, real, missingParents: 0, stats, settled: true };
}

/** Whether a file with these bytes is there. For one that was just written: neither it nor its folder is looked at first. */
export function holdsBytes(folders: Folders, path: RelativePath, state: FileState, rules: PathRules): boolean {
  const walk = folders.near(path, rules);
  if (walk.type !== 'folder') return false;
  try {
    const now = readState(folders.ports, walk.folder.at(lastName(path)), false).state;
    return now.type === 'file' && sameBytes(now, state);
  } catch {
    return false;
  }
}

const telling = ['dev', 'ino', 'mode', 'nlink', 'size', 'mtimeNs', 'ctimeNs'] as const;

/** Whether nothing was written in between, given that the times were settled. */
export const sameStats = (a: BigIntStats | undefined, b: BigIntStats): boolean =>
  telling.every((field) => a?.[field] === b[field]);

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

const readOnly = new WeakMap<Folder, boolean>();

function isReadOnly({ fs }: Ports, folder: Folder): boolean {
  const known = readOnly.get(folder);
  if (known !== undefined) return known;
  let found = false;
  try {
    fs.accessSync(folder.at('.'), constants.W_OK | constants.X_OK);
  } catch {
    found = true;
  }
  readOnly.set(folder, found);
  return found;
}

/**
 * Times have a grain: a write within the same grain as the one before leaves no trace in them. By the system's clock,
 * as the file system's times are; whole seconds mean a coarse one.
 */
function isSettled({ ctimeNs }: BigIntStats): boolean {
  return ctimeNs % 1_000_000_000n !== 0n && Date.now() - Number(ctimeNs / 1_000_000n) > 100;
}

function readState(ports: Ports, at: string | Buffer, keep: boolean): Pick<Found, 'state' | 'stats' | 'bytes'> {
  const { fs } = ports;
  const fd = fs.openSync(at, openToRead);
  try {
    // Of the open file, before its bytes: a write during the reading shows as newer times later.
    const stats = fs.fstatSync(fd, { bigint: true });
    if (!stats.isFile()) return { state: { type: 'unreadable', error: 'it is no regular file' } };
    const mode = Number(stats.mode) & 0o7777;
    if (keep && stats.size <= small) {
      const bytes = readToEnd(ports, fd, Number(stats.size));
      return { stats, bytes, state: { type: 'file', sha256: sha256Of(bytes), size: bytes.length, mode, blob: '' } };
    }
    return { stats, state: { type: 'file', ...hashOpenFile(ports, fd, Number(stats.size)), mode, blob: '' } };
  } finally {
    fs.closeSync(fd);
  }
}

function overlay(found: Found, path: RelativePath, unsaved: Unsaved | undefined): Found {
  const text = typeof path === 'string' ? unsaved?.get(path) : undefined;
  if (text === undefined) return found;
  const bytes = Buffer.from(text);
  const mode = found.state.type === 'file' ? found.state.mode : 0o644;
  const sha256 = sha256Of(bytes);
  return { ...found, inEditor: true, bytes, state: { type: 'file', sha256, size: bytes.length, mode, blob: '' } };
}

const unreadable = (error: unknown): State => ({
  type: 'unreadable',
  error: errorCode(error) ?? (error instanceof Error ? error.message.slice(0, 200) : 'unknown'),
});

/** Reads the bytes of what was found, for a merge. @throws CheckpointError `changed-meanwhile` if they are others now */
export function readFound(folders: Folders, path: RelativePath, found: Found, rules: PathRules): Buffer {
  if (found.bytes) return found.bytes;
  const walk = folders.to(path, rules);
  if (walk.type === 'folder' && found.state.type === 'file') {
    const bytes = withPlainFile(folders.ports, walk.folder.at(lastName(path)) as string, (fd, { size }) =>
      readToEnd(folders.ports, fd, size),
    );
    if (sha256Of(bytes) === found.state.sha256) return bytes;
  }
  throw new CheckpointError('changed-meanwhile', `${displayPath(path)} changed while it was read. Try again.`);
}
