// The plugin that opencode loads. It reports in Claude Code's shape. Subagents are sessions of their own there: their
// calls are reported for the session that asked, so that they belong to its turn.
import { pluginHead } from '../pluginProgram';
import type { Scope } from '../installer';

export const opencodePlugin = (scope: Scope, binDir: string) => `${pluginHead(scope, binDir, 'opencode')}
export const AgentCheckpoints = async ({ directory, worktree }) => {
  const parents = new Map();
  const turns = new Map();
  const running = new Map();

  function base(event, session) {
    let asked = session;
    for (let depth = 0; depth < 20 && parents.has(asked); depth++) asked = parents.get(asked);
    return {
      hook_event_name: event,
      session_id: asked,
      cwd: directory,
      project_dir: worktree && worktree !== "/" ? worktree : undefined,
      turn_id: turns.get(asked),
      agent_id: asked === session ? undefined : session,
    };
  }

  const toolCall = (event, session, id, name, input) =>
    call({ ...base(event, session), tool_name: name, tool_input: input, tool_use_id: id });

  return {
    "chat.message": async (input, output) => {
      try {
        if (parents.has(input.sessionID)) return;
        turns.set(input.sessionID, output.message.id);
        const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text);
        await call({ ...base("UserPromptSubmit", input.sessionID), prompt: texts.join("\\n") });
      } catch {}
    },
    "tool.execute.before": async (input, output) => {
      try {
        const name = tool(input.tool);
        if (name === undefined) return;
        running.set(input.callID, { session: input.sessionID, name, args: output.args });
        await toolCall("PreToolUse", input.sessionID, input.callID, name, output.args);
      } catch {}
    },
    "tool.execute.after": async (input, output) => {
      try {
        const name = tool(input.tool);
        if (name === undefined) return;
        const { args } = running.get(input.callID) ?? input;
        running.delete(input.callID);
        const text = await toolCall("PostToolUse", input.sessionID, input.callID, name, args);
        if (text && typeof output.output === "string") output.output += "\\n" + text;
      } catch {}
    },
    event: async ({ event }) => {
      try {
        const { type, properties = {} } = event;
        if (type === "session.created" && properties.info?.parentID) {
          parents.set(properties.info.id, properties.info.parentID);
        } else if (type === "session.idle") {
          const isSubagent = parents.has(properties.sessionID);
          await call(base(isSubagent ? "SubagentStop" : "Stop", properties.sessionID));
        } else if (type === "message.part.updated") {
          const { callID, state } = properties.part ?? {};
          const failed = state?.status === "error" ? running.get(callID) : undefined;
          if (failed === undefined) return;
          running.delete(callID);
          await toolCall("PostToolUseFailure", failed.session, callID, failed.name, failed.args);
        }
      } catch {}
    },
  };
};
`;
