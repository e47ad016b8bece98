// How an agent's own program is started on a first prompt, in a terminal.
import type { AgentName } from './agent';

export interface StartCommand {
  readonly program: string;
  /** What stands before the prompt. */
  readonly options: readonly string[];
  /** As a person reads it. */
  readonly name: string;
}

const commands: Partial<Record<AgentName, StartCommand>> = {
  'claude-code': { program: 'claude', options: [], name: 'Claude Code' },
  codex: { program: 'codex', options: [], name: 'Codex' },
  gemini: { program: 'gemini', options: ['-i'], name: 'Gemini CLI' },
  qwen: { program: 'qwen', options: ['-i'], name: 'Qwen Code' },
  opencode: { program: 'opencode', options: ['--prompt'], name: 'opencode' },
  pi: { program: 'pi', options: [], name: 'pi' },
  'copilot-cli': { program: 'copilot', options: ['-i'], name: 'Copilot CLI' },
};

/** Undefined for agents that are no program of their own. */
export const startCommand = (agent: string | undefined): StartCommand | undefined =>
  agent !== undefined && Object.hasOwn(commands, agent) ? commands[agent as AgentName] : undefined;
