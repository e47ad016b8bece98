// Windsurf's payloads: an action, and what belongs to it under `tool_info`.
import type { HookAdapter } from '../agent';
import { eventOf } from '../event';
import type { Translate } from '../payload';

export const windsurfHook: HookAdapter = {
  name: 'windsurf',
  parse: (payloadText, context) => eventOf('windsurf', payloadText, context, translate),
};

/** The event, and the tool that the action stands for. */
const actions = new Map<unknown, readonly [event: string, tool?: string]>([
  ['pre_user_prompt', ['UserPromptSubmit']],
  ['pre_write_code', ['PreToolUse', 'write_code']],
  ['post_write_code', ['PostToolUse', 'write_code']],
  ['pre_run_command', ['PreToolUse', 'run_command']],
  ['post_run_command', ['PostToolUse', 'run_command']],
  ['post_cascade_response', ['Stop']],
]);

const translate: Translate = (raw) => {
  const [event, tool] = actions.get(raw.agent_action_name) ?? ['other'];
  const info =
    typeof raw.tool_info === 'object' && raw.tool_info !== null ? (raw.tool_info as Record<string, unknown>) : {};
  return {
    hook_event_name: event,
    session_id: raw.trajectory_id,
    turn_id: raw.execution_id,
    timestamp: raw.timestamp,
    cwd: info.cwd,
    prompt: info.user_prompt,
    tool_name: tool,
    tool_input: info,
  };
};
