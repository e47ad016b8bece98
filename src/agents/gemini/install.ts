// Gemini CLI's settings: JSON with comments, times in milliseconds. Any exit above 1 with a message blocks the write.
import path from 'node:path';
import { onMachine } from '../found';
import { systemCommand } from '../hookCommand';
import type { Installer, Place } from '../installer';
import { toolPattern } from '../matchers';

const matcher = toolPattern('write_file', 'replace', 'run_shell_command');
/** Milliseconds. */
const timeout = 30_000;

const folder = ({ home, env }: Place) => path.join(env.GEMINI_CLI_HOME || home, '.gemini');

export const geminiInstaller: Installer = {
  name: 'gemini',
  targets(scope, place, binDir) {
    const command = systemCommand(scope, binDir, 'gemini');
    const entry = { type: 'command', name: 'agent-checkpoints', command, timeout };
    return [
      {
        kind: 'entries',
        file: path.join(scope === 'project' ? path.join(place.root, '.gemini') : folder(place), 'settings.json'),
        layout: {
          grouped: true,
          syntax: 'comments',
          events: {
            BeforeTool: { matcher, entry },
            AfterTool: { matcher, entry },
            BeforeAgent: { entry },
            AfterAgent: { entry },
            SessionEnd: { entry },
          },
        },
      },
    ];
  },
  needs: (scope, { hooksConfig }) => {
    const off =
      typeof hooksConfig === 'object' &&
      hooksConfig !== null &&
      'enabled' in hooksConfig &&
      hooksConfig.enabled === false;
    if (off) return '"hooksConfig.enabled" is off in this file: Gemini CLI runs no hooks until it is on.';
    return scope === 'project' ? 'Gemini CLI runs a project’s hooks once you trust the folder in it.' : undefined;
  },
  isFound: (ports, place) => onMachine(ports, place.env, { folders: [folder(place)], programs: ['gemini'] }),
};
