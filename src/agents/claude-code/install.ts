// Claude Code's settings: strict JSON, hooks grouped under matchers. Learned by running it: a hook's exit 2 blocks the
// write, output of two events becomes context of the model, times are in seconds.
import path from 'node:path';
import { onMachine } from '../found';
import type { HookEntry, HookLayout } from '../hookEntries';
import { projectCommand, userCommand } from '../hookCommand';
import type { Installer } from '../installer';

/** Only these are worth a process; a list of exact names for Claude Code. */
const writingTools = 'Write|Edit|MultiEdit|NotebookEdit';
/** Seconds; far above what a call takes. When it is over, Claude Code ends the hook and writes all the same. */
const timeout = 30;

export const claudeCodeInstaller: Installer = {
  name: 'claude-code',
  file: (scope, { root, home, env }) =>
    scope === 'project'
      ? path.join(root, '.claude', 'settings.json')
      : path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json'),
  layout(scope, binDir): HookLayout {
    const command = scope === 'user' ? userCommand(binDir, 'claude-code') : projectCommand('claude-code');
    const entry: HookEntry = { type: 'command', command, timeout };
    return {
      grouped: true,
      comments: false,
      events: {
        PreToolUse: { matcher: writingTools, entry },
        PostToolUse: { matcher: writingTools, entry },
        PostToolUseFailure: { matcher: writingTools, entry },
        UserPromptSubmit: { entry },
        Stop: { entry },
        SubagentStop: { entry },
        SessionEnd: { entry },
      },
    };
  },
  needs: (scope, config) => {
    if (config.disableAllHooks === true)
      return '"disableAllHooks" is on in this file: Claude Code runs no hooks until it is off.';
    return scope === 'project' ? 'Claude Code runs a project’s hooks once you trust the folder in it.' : undefined;
  },
  isFound: (ports, { home, env }) =>
    onMachine(ports, env, { folders: [env.CLAUDE_CONFIG_DIR || path.join(home, '.claude')], programs: ['claude'] }),
};
