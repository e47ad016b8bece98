// From a payload to an event, for all agents whose hooks have the shape of Claude Code's.
import type { AgentInfo } from '../core/store/meta';
import type { AgentEvent, AgentName, HookContext } from './agent';
import { callerOf } from './caller';
import { parsePayload, type Payload } from './payload';
import { writesOf } from './tools';

const ignore: AgentEvent = { type: 'ignore' };

/** @param installedFor the agent whose configuration names the hook */
export function eventOf(installedFor: AgentName, payloadText: string, context: HookContext): AgentEvent {
  const payload = parsePayload(payloadText);
  if (payload === undefined) return ignore;
  const caller = callerOf(installedFor, payload, context);
  const agent = agentInfo(caller, payload);
  const cwd = payload.cwd !== undefined && payload.cwd !== '' ? payload.cwd : context.cwd;
  switch (payload.event) {
    case 'pretooluse':
      return toolEvent('before', caller, agent, cwd, payload, context);
    case 'posttooluse':
      return toolEvent('after', caller, agent, cwd, payload, context);
    case 'posttoolusefailure':
      return toolEvent('failed', caller, agent, cwd, payload, context);
    case 'userpromptsubmit':
    case 'userpromptsubmitted':
      return promptEvent(agent, cwd, payload);
    case 'stop':
    case 'agentstop':
      return { type: 'stop', agent, cwd, background: payload.backgroundTasks > 0 };
    case 'subagentstop':
      // The main agent goes on.
      return { type: 'stop', agent, cwd, background: true };
    case 'sessionend':
      return { type: 'stop', agent, cwd, background: false };
    default:
      return ignore;
  }
}

function toolEvent(
  type: 'before' | 'after' | 'failed',
  caller: AgentName,
  agent: AgentInfo,
  cwd: string,
  payload: Payload,
  context: HookContext,
): AgentEvent {
  if (payload.tool === undefined) return ignore;
  const writes = writesOf(payload.tool, payload.input, cwd, context.home);
  if (writes.length === 0) return ignore;
  const projectDir = projectOf(caller, context.env);
  return { type, request: { kind: 'edit', agent, cwd, writes, ...(projectDir ? { projectDir } : {}) } };
}

function promptEvent(agent: AgentInfo, cwd: string, payload: Payload): AgentEvent {
  const prompt = payload.prompt ?? '';
  // What Claude Code tells itself when a background task ends.
  if (prompt.startsWith('<task-notification>')) return ignore;
  const { turn, timestamp } = payload;
  return {
    type: 'prompt',
    agent,
    cwd,
    prompt: clip(prompt, 20_000),
    ...(turn === undefined ? {} : { turn: clip(turn, 500) }),
    ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
  };
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
