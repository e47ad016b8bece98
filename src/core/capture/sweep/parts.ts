// What others did to a path while a command ran: other calls, by their records, and the person in an editor.
import path from 'node:path';
import type { DraftState } from '../../store/draft';
import { checkpointDir } from '../../store/layout';
import type { State } from '../../store/meta';
import type { PersonSave, SavedSide } from '../personSaves';
import type { Recorded } from './booking';

/** As much of a state as is compared. */
export type Known =
  | { readonly type: 'file'; readonly mode: number; readonly sha256: string }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'absent' | 'directory' | 'unreadable' };

export interface Part {
  /** ms since the epoch. */
  readonly at: number;
  /** It began after the command did. */
  readonly isLater: boolean;
  readonly pre: Known;
  /** Undefined while it is not over. */
  readonly post: Known | undefined;
  readonly draftOf: (side: 'pre' | 'post') => DraftState;
}

/** Oldest first. @param began the id of the command's sweep */
export function partsOf(recorded: readonly Recorded[], saves: readonly PersonSave[], began: string): Part[] {
  return [...recorded.map((each) => ofRecord(each, began)), ...saves.map(ofSave)].sort((a, b) => a.at - b.at);
}

function ofRecord(recorded: Recorded, began: string): Part {
  const { meta, entry } = recorded;
  return {
    at: Date.parse(meta.createdAt),
    isLater: meta.id > began,
    pre: entry.pre,
    post: entry.post,
    draftOf: (side) => stored(recorded, entry[side]!),
  };
}

function stored({ meta, store }: Recorded, state: State): DraftState {
  if (state.type !== 'file') return state;
  const file = path.join(checkpointDir(store, meta.id), ...state.blob.split('/'));
  const { mode, sha256, size } = state;
  return { type: 'file', mode, source: { type: 'link', path: file, sha256, size } };
}

function ofSave(save: PersonSave): Part {
  const known = (side: SavedSide): Known => (side.type === 'unknown' ? { type: 'unreadable' } : side);
  return {
    at: save.at,
    isLater: true,
    pre: known(save.before),
    post: known(save.after),
    draftOf: (side) => {
      const name = side === 'pre' ? 'before' : 'after';
      const seen = save[name];
      if (seen.type !== 'file') return { type: 'absent' };
      return { type: 'file', mode: seen.mode, source: { type: 'file', path: save.bytesOf(name) } };
    },
  };
}

/** Why the command's part of the path cannot be told from the person's; undefined where it can. */
export function unclear(saves: readonly PersonSave[]): string | undefined {
  const isUnclear = saves.some(({ before, after }) => before.type === 'unknown' || after.type === 'unknown');
  return isUnclear ? 'it was saved in the editor while the command ran, and is too large to tell apart' : undefined;
}
