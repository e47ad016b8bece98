// What an agent's adapter is: it turns one hook payload into one event that the core understands.
import type { WriteRequest } from '../core/capture/request';
import type { AgentInfo } from '../core/store/meta';

/** The names of agents, as on the command line and in metadata. */
export const agentNames = [
  'vscode',
  'claude-code',
  'codex',
  'gemini',
  'qwen',
  'opencode',
  'pi',
  'cline',
  'copilot-cli',
  'cursor',
  'windsurf',
] as const;
export type AgentName = (typeof agentNames)[number];

export type CallPhase = 'before' | 'after' | 'failed';

export type AgentEvent =
  /** A tool is about to write, has written, or has failed to. */
  | { readonly type: CallPhase; readonly request: WriteRequest }
  /**
   * A shell is about to run a command, or it is over. `cwd` is where the command runs; what it writes cannot be told
   * from its text. With `background` it goes on after its own end is reported.
   */
  | ({ readonly type: 'command'; readonly phase: CallPhase; readonly command: string; readonly background: boolean } & {
      /** Names one report of the agent where a call has no id: see `WriteRequest`. */
      readonly report?: string;
    } & Whereabouts)
  /** A person has asked for something: a turn begins. Its name, where the agent has one, is `agent.turn`. */
  | ({ readonly type: 'prompt'; readonly prompt: string } & Whereabouts)
  /** The agent has started another one, which is `agent.subagent`: it works in the session's present turn. */
  | ({ readonly type: 'subagent' } & Whereabouts)
  /** The agent rests. With `background` something of its may still write: nothing is to be closed yet. */
  | ({ readonly type: 'stop'; readonly background: boolean } & Whereabouts)
  /** A session begins, or goes on: it can be given a context. */
  | ({ readonly type: 'start' } & Whereabouts)
  | { readonly type: 'ignore' };

export type Whereabouts = { readonly agent: AgentInfo } & Pick<WriteRequest, 'cwd' | 'projectDir'>;

/** What a payload leaves out. */
export interface HookContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute; the hook's own current folder, for a payload that names none. */
  readonly cwd: string;
  /** Absolute; what `~` stands for. */
  readonly home: string;
  /** What the agent's configuration names the event; for agents whose payloads do not. */
  readonly event?: string;
}

export interface HookAdapter {
  readonly name: AgentName;
  /** Never throws: a payload that it cannot read is `ignore`. */
  parse(payloadText: string, context: HookContext): AgentEvent;
}
