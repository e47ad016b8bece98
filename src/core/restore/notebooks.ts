// Editors save a notebook once more after an agent's edit (cell ids, layout). That is nobody's change to keep.
import { isNotebook, sameNotebook } from '../capture/notebook';
import { CheckpointError } from '../errors';
import type { CheckpointId } from '../store/ids';
import type { FileState, RelativePath, State } from '../store/meta';
import type { Change } from './history';
import type { Readers } from './reverse';
import { sameState } from './states';

/** The changes of a notebook, where what a save alone did to it counts as part of the change before it. */
export function withSavesAbsorbed(
  path: RelativePath,
  changes: readonly Change[],
  current: State,
  readers: Readers,
): readonly Change[] {
  if (typeof path !== 'string' || !isNotebook(path)) return changes;
  return changes.map((change, i) => {
    const next = changes[i + 1];
    const later = next ? next.pre : current;
    const { post, postOf } = change;
    if (post?.type !== 'file' || later.type !== 'file' || sameState(post, later) || post.mode !== later.mode)
      return change;
    const same = isSameNotebook(
      () => readers.readBlob(postOf, post),
      () => readLater(readers, next?.id, later),
    );
    return same ? { ...change, post: later, postOf: next?.id ?? postOf } : change;
  });
}

const readLater = (readers: Readers, of: CheckpointId | undefined, state: FileState) =>
  of === undefined ? readers.readCurrent() : readers.readBlob(of, state);

function isSameNotebook(before: () => Buffer, after: () => Buffer): boolean {
  try {
    return sameNotebook(before(), after());
  } catch (error) {
    // Bytes that cannot be read are compared by hash alone.
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}
