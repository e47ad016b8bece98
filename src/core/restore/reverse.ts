// Taking back changes of one path: what the path becomes, or why a person has to decide. Pure but for reading blobs.
import { sha256Of } from '../store/plainFile';
import type { CheckpointId } from '../store/ids';
import type { FileState, State } from '../store/meta';
import type { Change } from './history';
import { mergeBytes } from './merge';
import { sameBytes, sameState, stateName } from './states';

/** A state and where its bytes are. */
export interface Image {
  readonly state: State;
  /** The checkpoint that holds the blob; none: it is what the path is now, or `bytes`. */
  readonly of?: CheckpointId;
  readonly bytes?: Buffer;
}

/** Reading bytes; both throw CheckpointErrors. */
export interface Readers {
  readBlob(id: CheckpointId, state: FileState): Buffer;
  /** The bytes that the path has now. */
  readCurrent(): Buffer;
}

export type Reversal =
  | { readonly type: 'done'; readonly image: Image; readonly merged: boolean }
  | { readonly type: 'conflict'; readonly reason: string };

/**
 * The path without the `selected` changes (oldest first): each unbroken run of them is reversed, the newest first, and
 * what others wrote since stays where it does not overlap.
 * @param from where to begin; default what the path is now
 */
export function reverse(
  current: State,
  selected: readonly Change[],
  readers: Readers,
  from: Image = { state: current },
): Reversal {
  let image = from;
  let merged = false;
  for (const run of runsOf(selected).reverse()) {
    const last = run.at(-1)!;
    const base: Image = { state: last.post ?? current, of: last.postOf };
    const before: Image = { state: run[0]!.pre, of: run[0]!.id };
    const result = mergeImages(base, image, before, readers);
    if (typeof result === 'string') return { type: 'conflict', reason: result };
    merged ||= result !== before;
    image = result;
  }
  return { type: 'done', image, merged };
}

/** A run is unbroken where each change begins with what the one before it left. */
export function runsOf(selected: readonly Change[]): Change[][] {
  const runs: Change[][] = [];
  for (const change of selected) {
    const last = runs.at(-1)?.at(-1);
    if (last?.post && sameState(last.post, change.pre)) runs.at(-1)!.push(change);
    else runs.push([change]);
  }
  return runs;
}

/** `base` with the changes to `ours` and to `theirs`; a text says why not. */
function mergeImages(base: Image, ours: Image, theirs: Image, readers: Readers): Image | string {
  if (sameState(ours.state, base.state)) return theirs;
  if (sameState(ours.state, theirs.state) || sameState(base.state, theirs.state)) return ours;
  const [b, o, t] = [base.state, ours.state, theirs.state];
  if (b.type !== 'file' || o.type !== 'file' || t.type !== 'file') {
    return o.type === 'absent' ? 'it was deleted or moved later' : `later it became ${stateName(o)} of another kind`;
  }
  const mode = mergeModes(b.mode, o.mode, t.mode);
  if (mode === undefined) return 'its mode was changed later';
  if (sameBytes(o, b)) return withMode(theirs, t, mode);
  if (sameBytes(o, t) || sameBytes(b, t)) return withMode(ours, o, mode);
  const read = (image: Image, state: FileState) =>
    image.bytes ?? (image.of === undefined ? readers.readCurrent() : readers.readBlob(image.of, state));
  const result = mergeBytes(read(base, b), read(ours, o), read(theirs, t));
  if (result.type === 'conflict') return result.reason;
  const { bytes } = result;
  const sha256 = sha256Of(bytes);
  return { bytes, state: { type: 'file', sha256, size: bytes.length, mode, blob: '' } };
}

const withMode = (image: Image, state: FileState, mode: number): Image => ({ ...image, state: { ...state, mode } });

function mergeModes(base: number, ours: number, theirs: number): number | undefined {
  if (ours === base) return theirs;
  return ours === theirs || base === theirs ? ours : undefined;
}

/**
 * Whether somebody else wrote between two of these changes. Coming back to a state that was recorded here before is
 * none: those bytes are no person's, and calls that ran at the same time look like that.
 */
export function hasGap(range: readonly Change[]): boolean {
  return range.some((change, i) => {
    if (i === 0) return false;
    const before = range.slice(0, i);
    return !before.some(({ pre, post }) => [pre, post].some((state) => state && sameState(state, change.pre)));
  });
}
