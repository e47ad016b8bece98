// Cline's payloads. The command line and the extension nest a call in two ways, and name its parts in their own.
import type { HookAdapter } from '../agent';
import { eventOf } from '../event';
import type { Translate } from '../payload';

export const clineHook: HookAdapter = {
  name: 'cline',
  parse: (payloadText, context) => eventOf('cline', payloadText, context, translate),
};

/** What the hook's `hookName` is in the words of the others; the extension uses the names of the files. */
const events: Readonly<Record<string, string>> = {
  agent_start: 'UserPromptSubmit',
  TaskStart: 'UserPromptSubmit',
  TaskResume: 'UserPromptSubmit',
  UserPromptSubmit: 'UserPromptSubmit',
  prompt_submit: 'UserPromptSubmit',
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  PreToolUse: 'PreToolUse',
  PostToolUse: 'PostToolUse',
  agent_end: 'Stop',
  agent_abort: 'Stop',
  agent_error: 'Stop',
  TaskComplete: 'Stop',
  TaskCancel: 'Stop',
  session_shutdown: 'SessionEnd',
};

const translate: Translate = (raw) => {
  const name = text(raw.hookName);
  // A subagent has a task of its own and names the agent that asked for it.
  const isSubagent = text(raw.parent_agent_id) !== undefined;
  const event = name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
  const roots = Array.isArray(raw.workspaceRoots) ? raw.workspaceRoots : [record(raw.workspaceInfo).rootPath];
  const call = { ...record(raw.tool_call), ...record(raw.tool_result) };
  const inner = { ...record(raw.preToolUse), ...record(raw.postToolUse) };
  const session = text(record(raw.sessionContext).rootSessionId);
  return {
    hook_event_name: event ?? 'other',
    session_id: session ?? raw.taskId,
    // The command line has a task for each prompt, in one session; in the extension the task is the session.
    ...(session === undefined ? {} : { turn_id: raw.taskId }),
    cwd: roots.find((root) => text(root) !== undefined),
    timestamp: raw.timestamp,
    prompt: promptOf(raw),
    tool_name: call.name ?? inner.toolName,
    tool_input: call.input ?? parsedValues(record(inner.parameters)),
    tool_use_id: call.id,
    tool_response: isFailure(call, inner) ? { error: 'it failed' } : undefined,
    agent_id: isSubagent ? raw.agent_id : undefined,
  };
};

function promptOf(raw: Readonly<Record<string, unknown>>): unknown {
  const start = record(record(raw.taskStart).taskMetadata);
  return record(raw.userPromptSubmit).prompt ?? start.initialTask ?? start.task ?? '';
}

const isFailure = (call: Values, inner: Values) =>
  record(call.output).success === false || inner.success === false || text(call.error) !== undefined;

/** The extension turns every value into a string, lists into their JSON. */
function parsedValues(values: Values): Values {
  const parsed = (value: unknown): unknown => {
    if (typeof value !== 'string' || !/^\s*\[[^]*\]\s*$/.test(value)) return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  };
  const lists = new Set(['commands', 'edits', 'replacements', 'files']);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, lists.has(key) ? parsed(value) : value]),
  );
}

type Values = Readonly<Record<string, unknown>>;
const record = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {});
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
