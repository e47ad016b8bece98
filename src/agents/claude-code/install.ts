// Claude Code's settings: strict JSON, hooks grouped under matchers. Learned by running it: a hook's exit 2 blocks the
// write, output of two events becomes context of the model, times are in seconds.
import path from 'node:path';
import { onMachine } from '../found';
import { posixCommand } from '../hookCommand';
import type { Installer } from '../installer';
import { toolPattern } from '../matchers';

const matcher = toolPattern('Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash', 'PowerShell');
/** Seconds; far above what a call takes. When it is over, Claude Code ends the hook and writes all the same. */
const timeout = 30;

const folder = ({ home, env }: { home: string; env: NodeJS.ProcessEnv }) =>
  env.CLAUDE_CONFIG_DIR || path.join(home, '.claude');

export const claudeCodeInstaller: Installer = {
  name: 'claude-code',
  targets(scope, place, binDir) {
    const entry = { type: 'command', command: posixCommand(scope, binDir, 'claude-code'), timeout };
    return [
      {
        kind: 'entries',
        file: path.join(scope === 'project' ? path.join(place.root, '.claude') : folder(place), 'settings.json'),
        layout: {
          grouped: true,
          syntax: 'json',
          events: {
            // Not after a compaction: what a person leaves is for a session that begins.
            SessionStart: { matcher: 'startup|resume|clear|fork', entry },
            PreToolUse: { matcher, entry },
            PostToolUse: { matcher, entry },
            PostToolUseFailure: { matcher, entry },
            UserPromptSubmit: { entry },
            Stop: { entry },
            SubagentStop: { entry },
            SessionEnd: { entry },
          },
        },
      },
    ];
  },
  needs: (scope, config) => {
    if (config.disableAllHooks === true)
      return '"disableAllHooks" is on in this file: Claude Code runs no hooks until it is off.';
    return scope === 'project' ? 'Claude Code runs a project’s hooks once you trust the folder in it.' : undefined;
  },
  isFound: (ports, place) => onMachine(ports, place.env, { folders: [folder(place)], programs: ['claude'] }),
};
