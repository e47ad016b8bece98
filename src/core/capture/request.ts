// The vocabulary of the one door that every seam uses: what is about to be written, and by whom.
import type { AgentInfo, Meta } from '../store/meta';

/** How the bytes after a write follow from the tool's input; lets a post-image be told from a person's edit. */
export type Expected =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'edits'; readonly edits: readonly TextEdit[] }
  /** One file's part of an apply_patch text: its body lines, with their leading `+`, `-`, space or `@@`. */
  | { readonly type: 'patch'; readonly lines: readonly string[] }
  | ({ readonly type: 'notebook' } & NotebookEdit)
  | { readonly type: 'absent' }
  | { readonly type: 'directory' };

/** Of one cell; which one is not said, since each agent names cells in its own way. */
export interface NotebookEdit {
  readonly mode: 'insert' | 'edit' | 'delete';
  readonly source: string;
}

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all?: boolean;
}

export interface PathWrite {
  /** Absolute, as the agent named it (not yet resolved). */
  readonly path: string;
  readonly expected?: Expected;
  /** Absolute: the path's content comes from there. That path is a write of its own in the same request. */
  readonly renamedFrom?: string;
  /**
   * The unsaved text of an open editor as bytes: the pre-image, instead of the bytes on disk. In an after-call it is
   * the post-image in the same way.
   */
  readonly unsaved?: Uint8Array;
}

export interface WriteRequest {
  readonly kind: Meta['kind'];
  readonly agent?: AgentInfo;
  /** Absolute; the agent's current folder. */
  readonly cwd: string;
  /** Absolute; the agent's own idea of the project, if it has one. */
  readonly projectDir?: string;
  readonly writes: readonly PathWrite[];
  /** What a shell runs, for kind `command`: its writes are found by looking before and after. */
  readonly command?: ShellCommand;
  readonly label?: string;
  /** Names this report of a call without an id: the same wherever it is reported, another one for each call. */
  readonly report?: string;
}

export interface ShellCommand {
  readonly text: string;
  /** The call may be over before the command is. */
  readonly background: boolean;
  /** The agent runs one call after the other. */
  readonly sequential: boolean;
}

/** Identifies a call whose paths are no longer needed: after, or instead of, its write. */
export type CallReference = Pick<WriteRequest, 'cwd' | 'agent'> & Partial<WriteRequest>;

export interface CaptureResult {
  /** One per root that the call touches; empty where nothing was to capture or all failed. */
  readonly checkpoints: readonly { readonly root: string; readonly id: string; readonly fallback: boolean }[];
  /** False where another process captured the same call first. */
  readonly first: boolean;
}

/** The door. Never throws: a capture that fails must not stop the agent. */
export interface WriteObserver {
  beforeWrite(request: WriteRequest): CaptureResult;
  /** Returns texts that may be handed to the agent; usually none. */
  afterWrite(call: CallReference): readonly string[];
  abandon(call: CallReference): void;
}
