// From what is to be taken back to what was done.
import type { Ports } from '../core/ports';
import { recoverJournal } from '../core/restore/journal';
import { planAndRun } from '../core/restore/restore';
import type { RestoreOutcome, RestorePlan, RestoreTarget } from '../core/restore/types';
import type { CheckpointId } from '../core/store/ids';
import { pathInRoot } from './paths';

export const modes = ['checkpoint', 'file', 'turn', 'rewind', 'hunk'] as const;
export const conflictChoices = ['refuse', 'merge', 'overwrite'] as const;

export interface RestoreWish {
  readonly id: CheckpointId;
  readonly mode: (typeof modes)[number];
  /** Relative to the root, or absolute. */
  readonly file?: string | undefined;
  /** With mode `rewind`. */
  readonly session?: string | undefined;
  /** With mode `hunk`: from 1. */
  readonly hunk?: number | undefined;
}

/** @throws UsageError for a file outside the root */
export function restoreTarget(ports: Ports, root: string, wish: RestoreWish): RestoreTarget {
  const { id, mode, file, session, hunk } = wish;
  return {
    mode,
    id,
    ...(hunk === undefined ? {} : { hunk: { of: 'checkpoint', index: hunk } }),
    ...(file === undefined ? {} : { files: [pathInRoot(ports.fs, root, root, file)] }),
    ...(session === undefined ? {} : { session }),
  };
}

export interface CarriedOut {
  readonly plan: RestorePlan;
  readonly outcome: RestoreOutcome;
  /** In words: restores that had been interrupted, and were completed or put back first. */
  readonly recovered: readonly string[];
}

/** With `dryRun` nothing is written. Errors as those of `makePlan` and `applyPlan`. */
export function carryOutPlan(
  ports: Ports,
  root: string,
  makePlan: (ports: Ports, root: string, readOnly: boolean) => RestorePlan,
  { dryRun }: { readonly dryRun: boolean },
): CarriedOut {
  const recovered = dryRun ? [] : recoverJournal(ports).map(({ message }) => message);
  const { plan, outcome } = planAndRun(ports, root, () => makePlan(ports, root, dryRun), { dryRun });
  return { plan, outcome: printed(outcome), recovered };
}

/** As `--json` has it. */
function printed(outcome: RestoreOutcome): RestoreOutcome {
  const { guard, restored, deleted, unchanged, skipped, conflicts, dryRun } = outcome;
  return { guard, restored, deleted, unchanged, skipped, conflicts, dryRun };
}
