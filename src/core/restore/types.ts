// The vocabulary of a restore: target, plan, outcome.
import type { CheckpointId } from '../store/ids';
import type { FileState, RelativePath, State } from '../store/meta';

/**
 * What to take back. `checkpoint`: one action, later ones kept. `file`: one path of that checkpoint. `turn`: the
 * whole turn the checkpoint belongs to. `rewind`: everything from that checkpoint on, of all agents or of one session.
 * `hunk`: one changed region of one path.
 */
export interface RestoreTarget {
  readonly mode: 'checkpoint' | 'file' | 'turn' | 'rewind' | 'hunk';
  readonly id: CheckpointId;
  /** Relative to the root; narrows any mode to these paths. Needed for `file` unless the checkpoint has one entry. */
  readonly files?: readonly string[];
  /** Only this session's actions (mode `rewind`). */
  readonly session?: string;
  /** Which region (mode `hunk`). */
  readonly hunk?: HunkTarget;
}

export interface HunkTarget {
  /** Whose change of the path is taken apart: the checkpoint's own, or that of the turn it belongs to. */
  readonly of: 'checkpoint' | 'turn';
  /** From 1, in the order of the file. */
  readonly index: number;
  /** The region as it was seen; one that is another now is refused. */
  readonly hash?: string;
}

export type OnConflict = 'refuse' | 'merge' | 'overwrite';

/**
 * What a person decided about one path. `leave`: it is left out, and what was done to it still stands. An object: the
 * person's own merge, made while the path had the bytes with the hash `over`; void once it has others.
 */
export type Decision = OnConflict | 'leave' | { readonly merged: Uint8Array; readonly over: string };

/** By {@link pathKey}. */
export type Decisions = ReadonlyMap<string, Decision>;

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
  /** The checkpoint that should hold the bytes of `current` as well, and where. */
  readonly currentOf?: { readonly id: CheckpointId; readonly state: FileState };
  /** The entries that this step takes back. */
  readonly takes: readonly { readonly id: CheckpointId; readonly entry: number }[];
  /** The entries that this step takes back a part of. */
  readonly takesPart?: readonly { readonly id: CheckpointId; readonly entry: number }[];
  /** Set where the path has unsaved text in an editor: the editor applies the result, not the file system. */
  readonly inEditor?: true;
  /** A checkpoint that this step comes from is not known to be this person's: stricter rules for its path hold. */
  readonly foreign?: true;
  /** A link or file above this path is replaced first, so what is behind it now does not count. */
  readonly underReplaced?: true;
}

export interface RestorePlan {
  readonly root: string;
  readonly label: string;
  readonly steps: readonly PlanStep[];
  /** Paths inside the range whose earlier bytes are not known, and why. */
  readonly notCovered: readonly { readonly path?: RelativePath | undefined; readonly reason: string }[];
  /** The newest checkpoint that was known; a restore that came after it makes the plan stale. */
  readonly newest?: CheckpointId;
}

/** Yielded after each path, and for what an editor has to apply. */
export type RestoreProgress =
  | { readonly type: 'path'; readonly path: string; readonly done: number; readonly total: number }
  /** The editor is to replace the whole text by these bytes, as an edit that it can undo. Answer with a reply. */
  | { readonly type: 'editor'; readonly path: RelativePath; readonly bytes: Uint8Array };

export interface EditorReply {
  readonly applied: boolean;
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
