// The extension that pi loads. It reports in Claude Code's shape. Pi does not start with one that it cannot parse.
import { pluginHead } from '../pluginProgram';
import type { Scope } from '../installer';

export const piExtension = (scope: Scope, binDir: string) => `${pluginHead(scope, binDir, 'pi')}
const base = (event, ctx) => ({
  hook_event_name: event,
  session_id: ctx.sessionManager.getSessionId(),
  cwd: ctx.cwd,
});

async function toolCall(event, { toolName, toolCallId, input }, ctx) {
  const name = tool(toolName);
  if (name === undefined) return "";
  return call({ ...base(event, ctx), tool_name: name, tool_input: input, tool_use_id: toolCallId });
}

export default function (pi) {
  const on = (name, act) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await act(event, ctx);
      } catch {}
    });

  on("before_agent_start", async (event, ctx) => {
    await call({ ...base("UserPromptSubmit", ctx), prompt: event.prompt });
  });
  on("tool_call", async (event, ctx) => {
    await toolCall("PreToolUse", event, ctx);
  });
  on("tool_result", async (event, ctx) => {
    const text = await toolCall(event.isError ? "PostToolUseFailure" : "PostToolUse", event, ctx);
    return text ? { content: [...event.content, { type: "text", text }] } : undefined;
  });
  on("agent_end", async (event, ctx) => {
    await call(base("Stop", ctx));
  });
  on("session_shutdown", async (event, ctx) => {
    await call(base("SessionEnd", ctx));
  });
}
`;
