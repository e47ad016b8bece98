// A path on which the same changes stand as at an earlier moment is as it was at that moment. Pure.
//
// Reversing one change at a time cannot know that. A change that was taken back while a later one had already undone it
// by itself leaves no trace in the file; taking back the later one by its pre-image alone would bring the first to life.
import type { Change, History, Standing } from './history';
import { pathKey } from './relativePath';
import { hasGap, type Image } from './reverse';

/**
 * The recorded state of a path that `takes` leads back to; undefined where there is none, or where somebody else may
 * have written since.
 * @param changes all recorded changes of the path, oldest first
 * @param selected those of them that are taken back, oldest first
 * @param after what stands once everything of the restore is taken back
 */
export function earlierState(
  history: History,
  changes: readonly Change[],
  selected: readonly Change[],
  after: Standing,
): Image | undefined {
  const first = selected[0];
  if (first === undefined) return undefined;
  const agents = changes.filter(({ role }) => role === 'agent');
  for (let at = changes.indexOf(first); at >= 0; at--) {
    const since = changes.slice(at);
    if (hasGap(since) || !since.every((change) => isUndone(history, change, after))) return undefined;
    const { id, pre } = changes[at]!;
    const before = history.standingBefore(id);
    const same = agents.every((change) => change.id >= id || before.has(change) === after.has(change));
    if (same) return { state: pre, of: id };
  }
  return undefined;
}

/** Whether nothing of the change is left, given what stands; a restore is what became of the changes it took back. */
function isUndone(history: History, { inferred, role, key, meta, ...ref }: Change, after: Standing): boolean {
  if (inferred) return false;
  if (!after.has(ref)) return true;
  if (role !== 'restore' || (meta.restoresPart ?? []).length > 0) return false;
  return (meta.restores ?? []).some((taken) => {
    const entry = history.entry(taken);
    return entry !== undefined && pathKey(entry.path) === key;
  });
}
