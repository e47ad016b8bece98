// VS Code's agent mode: a hook file of our own. It lists entries and ignores matchers. On Windows it runs `windows`.
import path from 'node:path';
import { onMachine } from '../found';
import { posixCommand, windowsCommand } from '../hookCommand';
import type { Installer } from '../installer';

const fileName = 'agent-checkpoints.json';
/** Seconds; far above what a call takes. */
const timeout = 30;

export const vscodeInstaller: Installer = {
  name: 'vscode',
  targets(scope, { root, home }, binDir) {
    const entry = {
      type: 'command',
      command: posixCommand(scope, binDir, 'vscode'),
      windows: windowsCommand(scope, binDir, 'vscode'),
      timeout,
    };
    return [
      {
        kind: 'entries',
        file: path.join(
          scope === 'project' ? path.join(root, '.github') : path.join(home, '.copilot'),
          'hooks',
          fileName,
        ),
        layout: {
          grouped: false,
          syntax: 'comments-and-trailing-commas',
          events: {
            UserPromptSubmit: { entry },
            PreToolUse: { entry },
            PostToolUse: { entry },
            SubagentStop: { entry },
            Stop: { entry },
          },
        },
      },
    ];
  },
  isFound: (ports, { home, env }) =>
    env.VSCODE_PID !== undefined ||
    env.VSCODE_IPC_HOOK !== undefined ||
    env.TERM_PROGRAM === 'vscode' ||
    onMachine(ports, env, {
      folders: ['.vscode', '.vscode-insiders', '.vscode-server', '.vscode-server-insiders', '.copilot'].map((name) =>
        path.join(home, name),
      ),
      programs: ['code', 'code-insiders'],
    }),
};
