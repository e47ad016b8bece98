// Checkpoint ids: name order is time order, so listing and pruning parse no metadata.
import { customAlphabet } from 'nanoid/non-secure';
import { CheckpointError } from '../errors';

declare const checkpointId: unique symbol;
/** `20261130T110501028Z-` and 10 characters of `0-9a-z`; checked before any file call. */
export type CheckpointId = string & { readonly [checkpointId]: true };

const pattern = /^\d{8}T\d{9}Z-[0-9a-z]{10}$/;

// The suffix only tells apart ids of one millisecond, and a taken name is noticed when the folder appears:
// no secrecy is needed, and the secure generator would load web crypto into every hook process.
const suffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 10);

export function isCheckpointId(text: unknown): text is CheckpointId {
  return typeof text === 'string' && pattern.test(text);
}

/** @throws CheckpointError `bad-id` */
export function parseCheckpointId(text: string): CheckpointId {
  if (isCheckpointId(text)) return text;
  throw new CheckpointError(
    'bad-id',
    `${JSON.stringify(text.slice(0, 100))} is not a checkpoint id. Ids look like 20261130T110501028Z-k3v9x2m4qa; \`list\` shows them.`,
  );
}

const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 998);

/**
 * A new id for the time `now` (ms since the epoch), later than `newest`, also when the clock went back.
 */
export function newCheckpointId(now: number, newest?: CheckpointId): CheckpointId {
  const previous = newest === undefined ? undefined : checkpointTime(newest);
  const time = previous !== undefined && previous < latest ? Math.max(now, previous + 1) : now;
  const stamp = new Date(time).toISOString().replace(/[-:.]/g, '');
  return `${stamp}-${suffix()}` as CheckpointId;
}

/** The time in an id, ms since the epoch; NaN where the digits are no date. */
export function checkpointTime(id: CheckpointId): number {
  const [, y, mo, d, h, mi, s, ms] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id)!;
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
}
