// Who really called: VS Code also runs Claude's hook files, Cursor runs the user's, Copilot CLI the repository's.
import type { AgentName, HookContext } from './agent';
import type { Payload } from './payload';
import { isVscodeTool } from './tools';

/** @param installedFor the agent whose configuration names the hook */
export function callerOf(installedFor: AgentName, payload: Payload, context: HookContext): AgentName {
  if (payload.cursorVersion !== undefined) return 'cursor';
  if (isCopilotCli(payload, context)) return 'copilot-cli';
  if (isVscode(payload)) return 'vscode';
  // Claude Code sends no time but, in each event of a turn, its permission mode and the prompt's id; VS Code the reverse.
  const bare = payload.permissionMode === undefined && payload.turn === undefined;
  if (installedFor === 'claude-code' && bare && typeof payload.timestamp === 'string') return 'vscode';
  return installedFor;
}

function isVscode({ toolUse, transcript, tool }: Payload): boolean {
  return (
    (toolUse !== undefined && /__vscode-\d+$/.test(toolUse)) ||
    (transcript !== undefined && /[/\\]github\.copilot-chat[/\\]/i.test(transcript)) ||
    (tool !== undefined && isVscodeTool(tool))
  );
}

/** It sends a time but never a transcript; a time in milliseconds where the hook's key is in camel case. */
function isCopilotCli({ transcript, timestamp, toolUse }: Payload, { env }: HookContext): boolean {
  if (transcript !== undefined || timestamp === undefined || toolUse !== undefined) return false;
  return typeof timestamp === 'number' || env.COPILOT_CLI === '1';
}
