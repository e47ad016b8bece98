import type { Workbench, WorkbenchOptions } from '../ui/support/workbench.mjs';

/** One answer of the scripted model: some text, and the tools that it calls. */
export interface Turn {
  text?: string;
  calls?: { tool: string; input: Record<string, unknown> }[];
}

export interface AgentOptions extends WorkbenchOptions {
  /** The answers of the model, one for each of its requests in all prompts together. A turn without calls ends a prompt. */
  turns: Turn[];
  /** Sent one after the other before driveAgentMode returns. */
  prompts?: string[];
  /**
   * The editing tools that the model is offered: 'apply-patch' (apply_patch), 'multi-find-replace'
   * (multi_replace_string_in_file), 'find-replace' (replace_string_in_file), 'code-rewrite' (insert_edit_into_file).
   * Default: VS Code's choice, the last two.
   */
  editTools?: ('apply-patch' | 'multi-find-replace' | 'find-replace' | 'code-rewrite')[];
}

export interface Agent extends Workbench {
  /** Sends a prompt and waits until the agent has finished its answer. */
  prompt(text: string): Promise<void>;
  /** What the scripted model was asked so far: the first entry is { ready: true }, the others are requests. */
  progress(): Promise<{ ready?: boolean; turn?: number; calls?: string[]; results?: string[]; tools?: string[] }[]>;
  /** What the chat view shows. */
  chatText(): Promise<string>;
}

/** Opens VS Code with the scripted model, sends the prompts and waits for each to be done. Newest version only. */
export function driveAgentMode(options: AgentOptions): Promise<Agent>;
