// What a person needs to merge one path by hand: both sides, and what they have in common.
import { CheckpointError } from '../errors';
import type { FileState, State } from '../store/meta';
import type { Change } from './history';
import { mergeLabels } from './conflictMarkers';
import { commonLines, conflictText } from './conflictText';
import { notLines } from './merge';
import { reverse, runsOf, type Image, type Readers } from './reverse';

export interface MergeSides {
  /** What the agent left; what both sides share where that is not known. */
  readonly base: Buffer;
  /** What the path has now. */
  readonly ours: Buffer;
  /** What it was before the changes that are to be taken back. */
  readonly theirs: Buffer;
  /** All of it in one text, with markers around what overlaps. */
  readonly text: Buffer;
  /** The hash of `ours`; names what a decision is over. */
  readonly over: string;
}

/**
 * @param selected the changes to take back, oldest first
 * @returns a text that says why there is nothing to merge
 */
export function mergeSidesOf(current: State, selected: readonly Change[], readers: Readers): MergeSides | string {
  if (current.type !== 'file') return 'there is no file to merge with';
  const before = beforeOf(current, selected, readers);
  if (typeof before === 'string') return before;
  if (before.image.state.type !== 'file') return 'there was no file before';
  const read = (image: Image, state: FileState) =>
    image.bytes ?? (image.of === undefined ? readers.readCurrent() : readers.readBlob(image.of, state));
  try {
    const ours = Buffer.from(readers.readCurrent());
    const theirs = Buffer.from(read(before.image, before.image.state));
    const known = before.base?.state.type === 'file' ? Buffer.from(read(before.base, before.base.state)) : undefined;
    for (const side of [ours, theirs, ...(known ? [known] : [])]) {
      const reason = notLines(side);
      if (reason !== undefined) return reason;
    }
    const base = known ?? commonLines(ours, theirs);
    const text = base && conflictText(base, ours, theirs, mergeLabels);
    return base && text ? { base, ours, theirs, text, over: current.sha256 } : 'the file is too large to merge';
  } catch (error) {
    if (CheckpointError.is(error)) return error.message;
    throw error;
  }
}

/**
 * Of several runs of changes the newest is merged by hand; the older ones, which others wrote after, are taken out of its
 * beginning first.
 */
function beforeOf(
  current: State,
  selected: readonly Change[],
  readers: Readers,
): { image: Image; base?: Image } | string {
  const runs = runsOf(selected);
  const newest = runs.at(-1);
  if (!newest) return 'it was changed outside of what is recorded';
  const first = newest[0]!;
  const last = newest.at(-1)!;
  let image: Image = { state: first.pre, of: first.id };
  if (runs.length > 1) {
    const older = reverse(current, runs.slice(0, -1).flat(), readers, image);
    if (older.type === 'conflict') return older.reason;
    image = older.image;
  }
  // What was not seen in time may be a person's too: then nothing says whose a difference is.
  const isKnown = last.post !== undefined && !selected.some(({ inferred }) => inferred);
  return { image, ...(isKnown && { base: { state: last.post!, of: last.postOf } }) };
}
