// The plan for one path: what a person may have written is looked for before anything is taken back.
import { CheckpointError } from '../errors';
import type { CheckpointId } from '../store/ids';
import { checkpointTime } from '../store/ids';
import type { State } from '../store/meta';
import type { Change } from './history';
import { hasGap, reverse, type Image, type Readers } from './reverse';
import type { Goal } from './select';
import { sha256Of } from '../store/plainFile';
import { sameState } from './states';
import type { Decision, StepAction } from './types';

export interface PathInput {
  readonly current: State;
  /** All recorded changes of the path, oldest first. */
  readonly changes: readonly Change[];
  /** Those to take back, oldest first. */
  readonly selected: readonly Change[];
  /** All changes from here on are to be taken back, restores included. */
  readonly since?: CheckpointId | undefined;
  readonly goal?: Goal | undefined;
  /** See `earlierState`. */
  readonly earlier?: Image | undefined;
  /** What becomes of what a person may have written. */
  readonly decision: Exclude<Decision, 'leave'>;
  readonly readers: Readers;
}

export interface PathOutcome {
  readonly action: StepAction;
  readonly reason: string;
  readonly image: Image;
}

export function planPath(input: PathInput): PathOutcome {
  try {
    return decide(input);
  } catch (error) {
    if (!CheckpointError.is(error)) throw error;
    return { action: 'refused', reason: error.message, image: { state: input.current } };
  }
}

function decide(input: PathInput): PathOutcome {
  const { current, changes, selected, decision: onConflict } = input;
  const stay = (action: StepAction, reason: string): PathOutcome => ({ action, reason, image: { state: current } });
  const goal = goalOf(input);
  if (goal === undefined) return stay('keep', 'nothing was changed here');
  if (current.type === 'unreadable') return stay('refused', `it cannot be read now (${current.error})`);
  if (goal.state.type === 'unreadable') return stay('refused', lostReason(goal.state.error));
  if (!isPossible(goal.state)) return stay('refused', 'its earlier state is a link to what is no path');
  if (sameState(current, goal.state)) return stay('keep', 'it already is as it was before');

  if (typeof onConflict === 'object') return personsMerge(current, onConflict);
  const doubt = personIn(input, goal);
  if (doubt !== undefined && onConflict === 'refuse') return stay('conflict', doubt.reason);
  if (doubt !== undefined && onConflict === 'overwrite') return write(goal, 'the earlier state replaces what is there');
  if (doubt?.separable === false) return stay('conflict', doubt.reason);

  const known = isClosed(changes, input.since) || (input.goal === undefined && input.earlier !== undefined);
  if (doubt === undefined && known) return write(goal, 'the state before');
  const reversal = reverse(current, selected, input.readers);
  if (reversal.type === 'conflict') {
    if (onConflict === 'overwrite') return write(goal, 'the earlier state replaces later changes');
    return stay('conflict', reversal.reason);
  }
  if (sameState(reversal.image.state, current)) return stay('keep', 'nothing of it is left to take back');
  return write(reversal.image, reversal.merged ? 'taken back; later changes to it stay' : 'the state before');
}

function personsMerge(current: State, { merged, over }: Exclude<Decision, string>): PathOutcome {
  const stay = (action: StepAction, reason: string): PathOutcome => ({ action, reason, image: { state: current } });
  if (current.type !== 'file' || current.sha256 !== over) return stay('conflict', 'it was changed since you merged it');
  const bytes = Buffer.from(merged);
  const state: State = { type: 'file', sha256: sha256Of(bytes), size: bytes.length, mode: current.mode, blob: '' };
  if (sameState(state, current)) return stay('keep', 'your merge leaves it as it is');
  return write({ state, bytes }, 'as you merged it');
}

function write(image: Image, reason: string): PathOutcome {
  const actions = { file: 'write', absent: 'delete', symlink: 'relink', directory: 'mkdir', unreadable: 'refused' };
  return { action: actions[image.state.type] as StepAction, reason, image };
}

/** What no record of this product has: then nothing else is to fail because of it. */
function isPossible(state: State): boolean {
  if (state.type !== 'symlink') return true;
  const { target } = state;
  return target !== '' && !target.includes('\0') && target.isWellFormed() && Buffer.byteLength(target) < 4096;
}

const lostReason = (error: string) =>
  error === 'purged' ? 'its earlier state was purged' : `its earlier state could not be read at the time (${error})`;

/** What a person who wants the earlier state in any case gets. */
function goalOf({ goal, changes, selected, since, earlier }: PathInput): Image | undefined {
  if (goal) return goal;
  const closed = isClosed(changes, since);
  if (!closed && earlier) return earlier;
  const first = closed ? changes.find(({ id }) => id >= since!) : selected[0];
  return first && { state: first.pre, of: first.id };
}

/** Whether everything since is recorded without a gap, so that its beginning is the state to go back to. */
function isClosed(changes: readonly Change[], since: CheckpointId | undefined): boolean {
  return since !== undefined && !hasGap(changes.filter(({ id }) => id >= since));
}

/** Why bytes of a person may be at stake; `separable` where a merge can tell them from the agent's. */
function personIn(
  { current, changes, selected, goal }: PathInput,
  { state }: Image,
): { reason: string; separable: boolean } | undefined {
  const [first, last] = [selected[0], selected.at(-1)];
  if (!first || !last) return { reason: 'it was changed outside of what is recorded', separable: false };
  const newest = changes.at(-1)!;
  if (selected.some(({ inferred }) => inferred)) {
    const reason = 'what the agent left was not seen in time, so a person may have written to it as well';
    return { reason, separable: false };
  }
  if (newest.post && !sameState(newest.post, current)) {
    const since = new Date(checkpointTime(newest.id)).toISOString();
    return { reason: `it was changed after the last recorded write (of ${since})`, separable: true };
  }
  const range = changes.slice(changes.indexOf(first), changes.indexOf(last) + 1);
  if (hasGap(range) || (goal && !sameState(state, first.pre))) {
    return { reason: 'somebody else changed it between the changes to take back', separable: true };
  }
  return undefined;
}
