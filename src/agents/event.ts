// From a payload to an event, for all agents whose hooks have the shape of Claude Code's.
import { createHash } from 'node:crypto';
import type { AgentInfo } from '../core/store/meta';
import type { AgentEvent, AgentName, CallPhase, HookContext, Whereabouts } from './agent';
import { callerOf } from './caller';
import { parsePayload, type Payload, type Translate } from './payload';
import { commandOf, writesOf } from './tools';

const ignore: AgentEvent = { type: 'ignore' };

/** What the events of all agents mean; names in lower case, letters only. */
const meanings = new Map<string, CallPhase | 'prompt' | 'stop' | 'subagent-stop' | 'start'>([
  ['pretooluse', 'before'],
  ['beforetool', 'before'],
  ['posttooluse', 'after'],
  ['aftertool', 'after'],
  ['posttoolusefailure', 'failed'],
  ['userpromptsubmit', 'prompt'],
  ['userpromptsubmitted', 'prompt'],
  ['beforeagent', 'prompt'],
  ['beforesubmitprompt', 'prompt'],
  ['stop', 'stop'],
  ['agentstop', 'stop'],
  ['afteragent', 'stop'],
  ['sessionend', 'stop'],
  ['subagentstop', 'subagent-stop'],
  ['sessionstart', 'start'],
]);

/**
 * Never throws: a payload that cannot be read is `ignore`.
 *
 * @param installedFor the agent whose configuration names the hook
 * @param translate for an agent whose payloads have a shape of their own
 */
export function eventOf(
  installedFor: AgentName,
  payloadText: string,
  context: HookContext,
  translate?: Translate,
): AgentEvent {
  const payload = parsePayload(payloadText, context.event, translate);
  const meaning = payload && meanings.get(payload.event);
  if (payload === undefined || meaning === undefined) return ignore;
  const caller = callerOf(installedFor, payload, context);
  const projectDir = projectOf(caller, payload, context.env);
  const where: Whereabouts = {
    agent: agentInfo(caller, payload),
    cwd: payload.cwd || payload.project || context.cwd,
    ...(projectDir ? { projectDir } : {}),
  };
  switch (meaning) {
    case 'start':
      return { type: 'start', ...where };
    case 'prompt':
      return promptEvent(where, payload.prompt ?? '');
    case 'stop':
      // One that only its caller's agent has started does not end what that one does.
      return { type: 'stop', ...where, background: payload.backgroundTasks > 0 || payload.subagent !== undefined };
    case 'subagent-stop':
      // The main agent goes on.
      return { type: 'stop', ...where, background: true };
    case 'after':
      return toolEvent(payload.failed ? 'failed' : 'after', where, payload, context);
    default:
      return toolEvent(meaning, where, payload, context);
  }
}

function toolEvent(phase: CallPhase, where: Whereabouts, payload: Payload, { home }: HookContext): AgentEvent {
  const { tool, input } = payload;
  if (tool === undefined) return ignore;
  const command = commandOf(tool, input, where.cwd, home);
  if (command !== undefined) {
    return { type: 'command', phase, ...where, ...command, ...reportOf(payload, command.command) };
  }
  const writes = writesOf(tool, input, where.cwd, home);
  if (writes.length === 0) return ignore;
  const paths = writes.map(({ path }) => path).sort();
  return { type: phase, request: { kind: 'edit', ...where, writes, ...reportOf(payload, paths.join('\0')) } };
}

/** Agents without ids of calls say when they report one; several hooks of one event are told the same time. */
function reportOf({ session, timestamp, toolUse }: Payload, what: string): { report?: string } {
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  if (toolUse !== undefined || at === undefined || !Number.isFinite(at)) return {};
  return { report: createHash('sha256').update(`${session}\0${at}\0${what}`).digest('hex').slice(0, 32) };
}

function promptEvent(where: Whereabouts, prompt: string): AgentEvent {
  // The prompt of another agent is not the person's.
  if (where.agent.subagent !== undefined) return { type: 'subagent', ...where };
  // What Claude Code and Qwen Code tell themselves: a background task ended; the model is called once more.
  if (prompt.startsWith('<task-notification>') || (where.agent.name === 'qwen' && prompt === '')) return ignore;
  return { type: 'prompt', ...where, prompt };
}

/** Their subagents' turns have names of their own; what those do belongs to the turn that started them. */
const ownTurns: ReadonlySet<AgentName> = new Set<AgentName>(['codex', 'cline']);

function agentInfo(name: AgentName, { session, turn, tool, toolUse, subagent }: Payload): AgentInfo {
  return {
    name,
    // A capture without a session is worth more than none.
    session: clip(session || 'unknown', 500),
    ...(turn === undefined || (subagent !== undefined && ownTurns.has(name)) ? {} : { turn: clip(turn, 500) }),
    ...(tool === undefined ? {} : { tool: clip(tool, 200) }),
    ...(toolUse === undefined ? {} : { toolUse: clip(toolUse, 500) }),
    ...(subagent === undefined ? {} : { subagent: clip(subagent, 500) }),
  };
}

/** The agent's own project folder; the variable of another agent may have been inherited from a shell. */
const projectVariables: Partial<Record<AgentName, string>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  'copilot-cli': 'COPILOT_PROJECT_DIR',
  gemini: 'GEMINI_PROJECT_DIR',
  qwen: 'QWEN_PROJECT_DIR',
  cursor: 'CURSOR_PROJECT_DIR',
};

function projectOf(caller: AgentName, { project }: Payload, env: NodeJS.ProcessEnv): string | undefined {
  const variable = projectVariables[caller];
  return project ?? (variable === undefined ? undefined : env[variable]);
}

const clip = (text: string, max: number) => (text.length > max ? text.slice(0, max) : text).toWellFormed();
