// The vocabulary of a restore: target, plan, outcome.
import type { CheckpointId } from '../store/ids';
import type { RelativePath, State } from '../store/meta';

/**
 * What to take back. `checkpoint`: one action, later ones kept. `file`: one path of that checkpoint. `turn`: the
 * whole turn the checkpoint belongs to. `rewind`: everything from that checkpoint on, of all agents or of one session.
 */
export interface RestoreTarget {
  readonly mode: 'checkpoint' | 'file' | 'turn' | 'rewind';
  readonly id: CheckpointId;
  /** Relative to the root; narrows any mode to these paths. Needed for `file` unless the checkpoint has one entry. */
  readonly files?: readonly string[];
  /** Only this session's actions (mode `rewind`). */
  readonly session?: string;
}

export type OnConflict = 'refuse' | 'merge' | 'overwrite';

export type StepAction = 'write' | 'delete' | 'relink' | 'mkdir' | 'keep' | 'conflict' | 'refused';

export interface PlanStep {
  readonly path: RelativePath;
  readonly action: StepAction;
  /** In words, for the person. */
  readonly reason: string;
  /** The state found when the plan was made; apply stops at a path that differs from it. */
  readonly current: State;
  /** What the path will be. */
  readonly result: State;
  /** Set where the result is no stored blob: the merged bytes. */
  readonly merged?: Uint8Array;
  /** The checkpoint whose folder holds `result.blob`. */
  readonly blobOf?: CheckpointId;
  /** The entries that this step takes back. */
  readonly takes: readonly { readonly id: CheckpointId; readonly entry: number }[];
  /** Set where the path has unsaved text in an editor: the editor applies the result, not the file system. */
  readonly inEditor?: true;
}

export interface RestorePlan {
  readonly root: string;
  readonly label: string;
  readonly steps: readonly PlanStep[];
  /** Paths inside the range whose earlier bytes are not known, and why. */
  readonly notCovered: readonly { readonly path?: RelativePath; readonly reason: string }[];
}

/** As `restore --json` prints it. Paths that are not UTF-8 are shown with U+FFFD. */
export interface RestoreOutcome {
  readonly guard: string | null;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
  readonly dryRun: boolean;
}
