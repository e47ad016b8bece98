import type { HookAdapter } from '../agent';
import { eventOf } from '../event';

/** Claude Code names the turn itself (`prompt_id`) and a subagent's calls by `agent_id`. */
export const claudeCodeHook: HookAdapter = {
  name: 'claude-code',
  parse: (payloadText, context) => eventOf('claude-code', payloadText, context),
};
