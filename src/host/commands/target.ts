// From a row to what is taken back.
import type { RestoreTarget } from '../../core/restore/types';
import { newestOf, oldestOf, type Edit, type Turn } from '../timeline/turns';
import { entryOf } from '../timeline/turns';
import type { HostRoot } from '../workspaceRoots';

/** A path as a restore names it. */
const fileOf = (edit: Edit): string | undefined => {
  const { path } = entryOf(edit);
  return typeof path === 'string' ? path : undefined;
};

/** The whole turn; in a folder around the workspace folder only what is shown of it. */
export function turnTarget(root: HostRoot, turn: Turn): RestoreTarget {
  const { id } = newestOf(turn);
  const mode = turn.kind === 'turn' || turn.kind === 'recovered' ? 'turn' : 'checkpoint';
  const shown = turn.files.map(({ edits }) => fileOf(edits[0]!)).filter((file) => file !== undefined);
  return root.prefix === '' ? { mode, id } : { mode, id, files: shown };
}

export function fileTarget(turn: Turn, edits: readonly Edit[]): RestoreTarget {
  const file = fileOf(edits[0]!);
  const mode = turn.checkpoints.length > 1 ? 'turn' : 'file';
  return { mode, id: edits.at(-1)!.checkpoint.id, ...(file !== undefined && { files: [file] }) };
}

export function editTarget(edit: Edit): RestoreTarget {
  const file = fileOf(edit);
  return { mode: 'file', id: edit.checkpoint.id, ...(file !== undefined && { files: [file] }) };
}

/** Everything since before the turn began; with `onlySession`, of its own session. */
export function rewindTarget(turn: Turn, onlySession: boolean): RestoreTarget {
  const oldest = oldestOf(turn);
  const session = onlySession ? oldest.agent?.session : undefined;
  return { mode: 'rewind', id: oldest.id, ...(session !== undefined && { session }) };
}
