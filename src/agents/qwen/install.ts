// Qwen Code's settings: Gemini CLI's file with Claude Code's events. A time of 1000 and more is in milliseconds.
import path from 'node:path';
import { onMachine } from '../found';
import { systemCommand } from '../hookCommand';
import type { Installer, Place } from '../installer';
import { toolPattern } from '../matchers';

const matcher = toolPattern('write_file', 'edit', 'notebook_edit', 'run_shell_command');
/** Milliseconds. */
const timeout = 30_000;

const folder = ({ home, env }: Place) => env.QWEN_HOME || path.join(home, '.qwen');

export const qwenInstaller: Installer = {
  name: 'qwen',
  targets(scope, place, binDir) {
    const command = systemCommand(scope, binDir, 'qwen');
    const entry = { type: 'command', name: 'agent-checkpoints', command, timeout };
    return [
      {
        kind: 'entries',
        file: path.join(scope === 'project' ? path.join(place.root, '.qwen') : folder(place), 'settings.json'),
        layout: {
          grouped: true,
          syntax: 'comments',
          events: {
            PreToolUse: { matcher, entry },
            PostToolUse: { matcher, entry },
            PostToolUseFailure: { matcher, entry },
            UserPromptSubmit: { entry },
            SubagentStop: { entry },
            Stop: { entry },
            SessionEnd: { entry },
          },
        },
      },
    ];
  },
  needs: (_scope, { disableAllHooks }) =>
    disableAllHooks === true
      ? '"disableAllHooks" is on in this file: Qwen Code runs no hooks until it is off.'
      : undefined,
  isFound: (ports, place) => onMachine(ports, place.env, { folders: [folder(place)], programs: ['qwen'] }),
};
