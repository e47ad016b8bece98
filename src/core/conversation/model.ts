// The one model of a conversation, which the chain, the readers of agents' transcripts, the panel and the rebuild share.
import type { CheckpointId } from '../store/ids';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Json;
}

/** Something in a message that is no text: counted and named, its bytes are not kept in memory. */
export interface Attachment {
  readonly type: 'image' | 'file' | 'other';
  readonly mediaType?: string | undefined;
  /** As far as it is known; in bytes. */
  readonly size?: number | undefined;
}

/** A part of an assistant's thinking; `signature` makes it void once a byte of it changes. */
export interface ReasoningBlock {
  readonly type: string;
  readonly text?: string | undefined;
  readonly signature?: string | undefined;
  readonly [key: string]: Json | undefined;
}

/**
 * A message as the chain stores it. Unknown fields are kept as they are: what was written by others comes back
 * unchanged.
 */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Its own id, where the agent gives one. */
  readonly id?: string | undefined;
  readonly tool_calls?: readonly ToolCall[] | undefined;
  /** Of a `tool` message: the call that it answers. */
  readonly tool_call_id?: string | undefined;
  /** Of a `tool` message: the call failed. */
  readonly is_error?: boolean | undefined;
  readonly reasoning?: { readonly blocks: readonly ReasoningBlock[] } | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  /** UTC, ISO 8601. */
  readonly ts?: string | undefined;
}

/** A summary that stands for everything before its watermark. */
export interface Summary {
  readonly text: string;
  /** The first message that is kept verbatim: its id, and its index in the full path from the root. */
  readonly watermark?: { readonly id?: string | undefined; readonly index: number } | undefined;
  /** Who made it. */
  readonly by: 'agent' | 'model' | 'digest';
}

/** The tokens that the model said it read and wrote for the last message of a node. */
export interface Usage {
  /** All that was read, what came from a cache included. */
  readonly input: number;
  readonly output: number;
}

export interface NodeSource {
  readonly agent: string;
  readonly session: string;
  /** The agent's own id of the entry that this node comes from. */
  readonly entry?: string | undefined;
}

/** One conversation checkpoint: what one pass (a user's prompt, or an assistant's message with its results) added. */
export interface ConversationNode {
  readonly id: string;
  /** Null at a root. A parent that is not there makes the node a root as well, and `orphan`. */
  readonly parentId: string | null;
  readonly ts?: string | undefined;
  readonly iteration?: number | undefined;
  /** What was added since the parent; the whole list where `replaces` is set. */
  readonly messages: readonly Message[];
  /** `messages` is the full list at this point: the parent's is not a prefix of it (a compaction, a rewind). */
  readonly replaces?: boolean | undefined;
  readonly kind: 'pass' | 'compaction' | 'rewind' | 'other';
  readonly summary?: Summary | undefined;
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
  readonly source?: NodeSource | undefined;
  /** File checkpoints made by the tool calls of this node. */
  readonly files: readonly CheckpointId[];
  /** A part of a subagent's conversation, which is no continuation of its parent. */
  readonly sidechain?: boolean | undefined;
  readonly orphan?: boolean | undefined;
  /** Something on the way from the root is damaged, so the messages up to here are not all known. */
  readonly incomplete?: boolean | undefined;
}

/** A line or record that could not be used; never the end of the reading. */
export interface Damage {
  /** 1 is the first; 0 where the format has no lines. */
  readonly line: number;
  readonly reason: string;
}

export interface ConversationTree {
  /** In the order of the file. */
  readonly nodes: readonly ConversationNode[];
  /** The node that the conversation goes on from; undefined where there is none. */
  readonly leaf?: string | undefined;
  readonly damaged: readonly Damage[];
  readonly title?: string | undefined;
  readonly cwd?: string | undefined;
}
