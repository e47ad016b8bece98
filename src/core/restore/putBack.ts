// Undoing an unfinished restore, in the process that failed or at the next start: each path goes back to what the
// guard holds, unless somebody else has written to it since.
import nodePath from 'node:path';
import { CheckpointError } from '../errors';
import type { StoreLayout } from '../store/layout';
import type { Entry, FileState, Meta, State } from '../store/meta';
import { readBlob } from '../store/storedBlob';
import { flushFile } from './flushWritten';
import type { Folders } from './folder';
import { lastName } from './folder';
import { isBetween } from './inPlace';
import { temporaryName } from './journalFile';
import { displayPath, parentKeys, pathKey, pathOfKey } from './relativePath';
import type { PathRules } from './safePath';
import { setPath } from './setPath';
import { look, readFound, type Found } from './snapshot';
import { sameBytes, sameState } from './states';

/** A restore as the journal tells of it. */
export interface Unfinished {
  readonly guard: Pick<Meta, 'id' | 'entries'>;
  readonly store: StoreLayout;
  /** Indexes of the entries that are written, in that order. */
  readonly order: readonly number[];
  readonly rules: (entry: number) => PathRules;
}

/** Before its change, after it, in the middle of it, or changed by somebody else. */
export type Side = 'old' | 'new' | 'between' | 'other';

export interface Left {
  readonly path: string;
  readonly reason: string;
}

/** Where each written path is, in the order of writing. */
export function sidesOf(folders: Folders, unfinished: Unfinished): { entry: number; side: Side; found: Found }[] {
  const { guard, order, rules } = unfinished;
  const old = new Set<string>();
  return order.map((entry) => {
    const { path, pre } = guard.entries[entry]!;
    // Behind a link that has not been replaced yet there is nothing of ours.
    const behind = parentKeys(path).some((key) => old.has(key));
    const found = look(folders, path, { rules: rules(entry) });
    const side = behind ? 'old' : sideOf(folders, unfinished, entry, found);
    if (side === 'old' && (pre.type === 'symlink' || pre.type === 'file')) old.add(pathKey(path));
    return { entry, side, found };
  });
}

function sideOf(folders: Folders, unfinished: Unfinished, index: number, found: Found): Side {
  const { path, pre, post } = unfinished.guard.entries[index]!;
  const { state } = found;
  if (found.refused !== undefined || post === undefined) return 'other';
  // The mode follows the bytes, so any of the two modes can stand with any of the two contents.
  const like = (other: State) =>
    sameState(state, other) || (state.type === 'file' && other.type === 'file' && sameBytes(state, other));
  if (sameState(state, post)) return 'new';
  if (sameState(state, pre)) return 'old';
  if (like(post) || like(pre)) return 'between';
  if (state.type === 'absent' && (pre.type === 'directory' || post.type === 'directory')) return 'between';
  if (state.type !== 'file' || pre.type !== 'file' || post.type !== 'file') return 'other';
  const [now, before, after] = [
    readFound(folders, path, found, unfinished.rules(index)),
    bytesOf(folders, unfinished, pre),
    bytesOf(folders, unfinished, post),
  ];
  return isBetween(now, before, after) ? 'between' : 'other';
}

const bytesOf = ({ ports }: Folders, { guard, store }: Unfinished, state: FileState) =>
  readBlob(ports, store, guard.id, state);

/**
 * Puts every path back, the last written first. What cannot be put back is returned, and is untouched; its bytes are
 * in the guard.
 */
export function putBack(folders: Folders, unfinished: Unfinished): Left[] {
  const left: Left[] = [];
  for (const { entry: index, side, found } of sidesOf(folders, unfinished).reverse()) {
    const entry = unfinished.guard.entries[index]!;
    const leave = (reason: string) => left.push({ path: displayPath(entry.path), reason });
    try {
      removeTemporary(folders, unfinished, index, entry);
      if (side === 'other') leave(found.refused ?? 'it was changed by somebody else since');
      else if (side !== 'old') restoreEntry(folders, unfinished, index, entry, found);
    } catch (error) {
      leave(error instanceof Error ? error.message : String(error));
    }
  }
  return left;
}

function restoreEntry(folders: Folders, unfinished: Unfinished, index: number, entry: Entry, found: Found): void {
  const rules = unfinished.rules(index);
  const { path, pre } = entry;
  const done = setPath(folders, {
    path,
    from: found.state,
    to: pre,
    rules,
    seen: found,
    temporary: temporaryName(unfinished.guard.id, index),
    inPlace: hasAttributes(folders, found),
    bytes: () => bytesOf(folders, unfinished, pre as FileState),
  });
  if (!done) throw new CheckpointError('changed-meanwhile', 'the folder is not empty any more');
  if (pre.type === 'file') flushFile(folders, path, rules);
}

/** It was written in place then, and is once more. */
function hasAttributes({ ports, root }: Folders, { state, real }: Found): boolean {
  const file = pathOfKey(real);
  if (state.type !== 'file' || typeof file !== 'string') return false;
  return ports.hasAttributes?.([nodePath.join(root, file)])[0] ?? false;
}

/** What a killed process was about to put in place. */
export function removeTemporary(folders: Folders, { guard, rules }: Unfinished, index: number, { path }: Entry): void {
  const walk = folders.to(path, rules(index));
  if (walk.type !== 'folder') return;
  const name = temporaryName(guard.id, index);
  if (name === lastName(path)) return;
  const at = walk.folder.at(name);
  const found = folders.ports.fs.lstatSync(at, { throwIfNoEntry: false });
  if (found?.isFile() || found?.isSymbolicLink()) folders.ports.fs.unlinkSync(at);
}
