// What a tool of a language model is, wherever it is offered: VS Code's chat, or an agent over MCP.
import type { Ports } from '../core/ports';
import type { InputOf, InputSchema } from './inputSchema';

export interface ToolContext {
  readonly ports: Ports;
  /** The workspace root's real path. */
  readonly root: string;
}

export interface Tool<S extends InputSchema = InputSchema> {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly input: S;
  /** It writes nothing of the person's, whatever its input is. */
  readonly readOnly: boolean;
  /** Returns the texts of the answer. Errors are written for whoever asked. */
  readonly run: (context: ToolContext, input: InputOf<S>) => readonly string[];
}

/** Which input belongs to which tool is known where it is defined; whoever holds any of them has checked it by its schema. */
export const defineTool = <const S extends InputSchema>(tool: Tool<S>): Tool => tool as unknown as Tool;

/** The argument of every tool. */
export const rootProperty = {
  type: 'string',
  maxLength: 4096,
  description: 'Absolute path of the workspace folder. Default: the current one.',
} as const;

export const idProperty = {
  type: 'string',
  maxLength: 40,
  description: "The checkpoint's id, as checkpoint_list gives it.",
} as const;
