// From a payload to an event, for all agents whose hooks have the shape of Claude Code's.
import type { AgentInfo } from '../core/store/meta';
import type { AgentEvent, AgentName, HookContext, Whereabouts } from './agent';
import { callerOf } from './caller';
import { parsePayload, type Payload } from './payload';
import { writesOf } from './tools';

const ignore: AgentEvent = { type: 'ignore' };

/** @param installedFor the agent whose configuration names the hook */
export function eventOf(installedFor: AgentName, payloadText: string, context: HookContext): AgentEvent {
  const payload = parsePayload(payloadText);
  if (payload === undefined) return ignore;
  const caller = callerOf(installedFor, payload, context);
  const projectDir = projectOf(caller, context.env);
  const where: Whereabouts = {
    agent: agentInfo(caller, payload),
    cwd: payload.cwd !== undefined && payload.cwd !== '' ? payload.cwd : context.cwd,
    ...(projectDir ? { projectDir } : {}),
  };
  switch (payload.event) {
    case 'pretooluse':
      return toolEvent('before', where, payload, context);
    case 'posttooluse':
      return toolEvent('after', where, payload, context);
    case 'posttoolusefailure':
      return toolEvent('failed', where, payload, context);
    case 'userpromptsubmit':
    case 'userpromptsubmitted':
      return promptEvent(where, payload.prompt ?? '');
    case 'stop':
    case 'agentstop':
      return { type: 'stop', ...where, background: payload.backgroundTasks > 0 };
    case 'subagentstop':
      // The main agent goes on.
      return { type: 'stop', ...where, background: true };
    case 'sessionend':
      return { type: 'stop', ...where, background: false };
    default:
      return ignore;
  }
}

function toolEvent(
  type: 'before' | 'after' | 'failed',
  where: Whereabouts,
  { tool, input }: Payload,
  { home }: HookContext,
): AgentEvent {
  const writes = tool === undefined ? [] : writesOf(tool, input, where.cwd, home);
  return writes.length === 0 ? ignore : { type, request: { kind: 'edit', ...where, writes } };
}

function promptEvent(where: Whereabouts, prompt: string): AgentEvent {
  // What Claude Code tells itself when a background task ends.
  if (prompt.startsWith('<task-notification>')) return ignore;
  return { type: 'prompt', ...where, prompt };
}

function agentInfo(name: AgentName, { session, turn, tool, toolUse, subagent }: Payload): AgentInfo {
  return {
    name,
    // A capture without a session is worth more than none.
    session: clip(session || 'unknown', 500),
    ...(turn === undefined ? {} : { turn: clip(turn, 500) }),
    ...(tool === undefined ? {} : { tool: clip(tool, 200) }),
    ...(toolUse === undefined ? {} : { toolUse: clip(toolUse, 500) }),
    ...(subagent === undefined ? {} : { subagent: clip(subagent, 500) }),
  };
}

/** The agent's own project folder; the variable of another agent may have been inherited from a shell. */
function projectOf(caller: AgentName, env: NodeJS.ProcessEnv): string | undefined {
  if (caller === 'claude-code') return env.CLAUDE_PROJECT_DIR;
  if (caller === 'copilot-cli') return env.COPILOT_PROJECT_DIR;
  return undefined;
}

const clip = (text: string, max: number) => (text.length > max ? text.slice(0, max) : text).toWellFormed();
