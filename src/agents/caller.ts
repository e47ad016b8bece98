// Who really called: VS Code also runs the hook files of Claude Code and of the Copilot CLI, Cursor runs the user's of
// Claude Code, the Copilot CLI runs the repository's and those of VS Code.
import type { AgentName, HookContext } from './agent';
import type { Payload } from './payload';
import { isVscodeTool } from './toolShapes';

/** The agents whose hook files others run too. */
const shared: ReadonlySet<AgentName> = new Set(['claude-code', 'vscode', 'copilot-cli']);

/** @param installedFor the agent whose configuration names the hook */
export function callerOf(installedFor: AgentName, payload: Payload, context: HookContext): AgentName {
  if (!shared.has(installedFor)) return installedFor;
  if (payload.cursorVersion !== undefined) return 'cursor';
  if (isCopilotCli(payload, context)) return 'copilot-cli';
  if (isVscode(payload)) return 'vscode';
  // Claude Code sends no time but, in each event of a turn, its permission mode and the prompt's id; VS Code the
  // reverse. The Copilot CLI gives its own hooks a number for the time.
  const bare = payload.permissionMode === undefined && payload.turn === undefined;
  return bare && typeof payload.timestamp === 'string' ? 'vscode' : installedFor;
}

function isVscode({ toolUse, transcript, tool }: Payload): boolean {
  return (
    (toolUse !== undefined && /__vscode-\d+$/.test(toolUse)) ||
    (transcript !== undefined && /[/\\]github\.copilot-chat[/\\]/i.test(transcript)) ||
    (tool !== undefined && isVscodeTool(tool))
  );
}

/** It sends a time but, with tools, never a transcript; a number where the hook's key is in camel case. */
function isCopilotCli({ transcript, timestamp, toolUse, tool }: Payload, { env }: HookContext): boolean {
  if (toolUse !== undefined) return false;
  if (typeof timestamp === 'number') return tool === undefined || transcript === undefined;
  return timestamp !== undefined && transcript === undefined && env.COPILOT_CLI === '1';
}
