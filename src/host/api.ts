// The API for other extensions. Copy this file, or its types, into your own sources: it imports nothing but types.
// Documentation with examples: docs/api.md
import type * as vscode from 'vscode';

/** Who writes. Checkpoints of one session and turn are shown as one row. */
export interface AgentIdentity {
  /** The agent's name, as a person should read it or as this product spells it: `claude-code`, `my-agent`. */
  readonly agent: string;
  /** One conversation of the agent. */
  readonly session: string;
  /** What the agent does between one prompt and the next; the same id for all of it. */
  readonly turn?: string;
  /** What the person asked for: the name of the turn in the view. Give it with the first write of a turn. */
  readonly prompt?: string;
  /** The tool that writes, shown on the edit: `insert_edit`. */
  readonly tool?: string;
  /** A name for the checkpoint where there is no prompt. At most 1,000 characters are kept. */
  readonly label?: string;
}

/** One write, or several that belong together: they become one checkpoint. */
export interface WriteCall extends AgentIdentity {
  /** Unique in the session: pairs `beforeWrite` with `afterWrite` or `abandon`. */
  readonly call: string;
  /** The files that are going to be created, changed or removed; of scheme `file`, others are not covered. */
  readonly files: readonly vscode.Uri[];
}

/** Identifies a call whose `beforeWrite` was made. */
export type CallReference = Pick<WriteCall, 'agent' | 'session' | 'call' | 'files'> & Partial<WriteCall>;

export interface CaptureReport {
  /** Ids of the checkpoints, one for each workspace folder that is touched. Empty while capture is off. */
  readonly checkpoints: readonly string[];
  /** Files that will not be restorable, and why. */
  readonly notCovered: readonly { readonly file: vscode.Uri; readonly reason: string }[];
}

/** What to rebuild; all by default: the newest conversation, where it is now. */
export interface RebuildContextOptions {
  /** The name of its chain file without `.jsonl`. */
  readonly conversation?: string | undefined;
  /** Up to this checkpoint of the conversation. */
  readonly at?: string | undefined;
  /** Keep about so many tokens of the newest messages. */
  readonly keepTokens?: number | undefined;
  /** What is left, where the conversation is damaged. */
  readonly partial?: boolean | undefined;
}

/** What a rebuild did. Numbers of tokens are estimates. */
export interface RebuildFigures {
  readonly conversation: string;
  /** The summary came from a checkpoint of the conversation. */
  readonly fromCheckpoint: boolean;
  /** The first message that is kept. */
  readonly watermark: { readonly id: string | null; readonly index: number };
  readonly summarizedCount: number;
  readonly keptCount: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Nothing had to be summarised. */
  readonly noOp: boolean;
}

export interface RebuildContextEvent extends RebuildFigures {
  readonly reason: 'rebuild';
}

/** One summary, then the newest messages word for word. */
export interface RebuiltContext extends RebuildFigures {
  /** Null where the conversation is empty. */
  readonly at: string | null;
  /** As large model APIs accept them: each call has one result, no message is empty. */
  readonly messages: readonly {
    readonly role: 'system' | 'user' | 'assistant' | 'tool';
    readonly content: string;
    readonly tool_calls?:
      readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[] | undefined;
    readonly tool_call_id?: string | undefined;
  }[];
  /** All of it as one document. */
  readonly markdown: string;
}

/**
 * What `vscode.extensions.getExtension('agent-checkpoints.agent-checkpoints')?.activate()` resolves to.
 *
 * A capture that fails never rejects and never stops your write: the person is told by this extension. Only arguments
 * of the wrong form reject, with a `TypeError`.
 */
export interface AgentCheckpointsApi {
  /** Rises only when something that is here changes its meaning or goes; additions leave it. */
  readonly version: 1;

  /** Whether the person has turned capture on. While it is off, every call below does nothing but your own edit. */
  readonly enabled: boolean;

  /**
   * Call it before the write, and wait for it: when it resolves, the bytes before are on the disk. Of a file with
   * unsaved text in an editor, that text is what is kept.
   */
  beforeWrite(call: WriteCall): Promise<CaptureReport>;

  /** Call it after the write succeeded: notes the state after, so that a person's later edits are told from yours. */
  afterWrite(call: CallReference): Promise<void>;

  /** Call it instead, where the write failed or was not made. */
  abandon(call: CallReference): Promise<void>;

  /**
   * `vscode.workspace.applyEdit` with a checkpoint around it. Everything that the edit does is covered: text edits
   * (unsaved text included, before and after), and files that it creates, deletes or renames. One restore takes it all
   * back.
   *
   * @returns what `vscode.workspace.applyEdit` returned
   */
  applyEdit(edit: vscode.WorkspaceEdit, info: AgentIdentity): Promise<boolean>;

  /**
   * The context of a conversation with an agent, made anew: what *Agent: Rebuild Context* shows. Changes nothing. It
   * rejects where there is no such conversation, or where it is damaged and `partial` is not set.
   */
  rebuildContext(options?: RebuildContextOptions): Promise<RebuiltContext>;

  /** Each context that is rebuilt in this window, by the person or through this API: for surfaces that show it. */
  readonly onDidRebuildContext: vscode.Event<RebuildContextEvent>;
}
