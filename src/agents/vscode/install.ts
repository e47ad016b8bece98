// VS Code's agent mode: a hook file of our own. It lists entries and ignores matchers. On Windows it runs `windows`.
import path from 'node:path';
import { onMachine } from '../found';
import type { HookEntry, HookLayout } from '../hookEntries';
import { projectCommand, userCommand, windowsProjectCommand, windowsUserCommand } from '../hookCommand';
import type { Installer } from '../installer';

const fileName = 'agent-checkpoints.json';
/** Seconds; far above what a call takes. */
const timeout = 30;

export const vscodeInstaller: Installer = {
  name: 'vscode',
  file: (scope, { root, home }) =>
    scope === 'project'
      ? path.join(root, '.github', 'hooks', fileName)
      : path.join(home, '.copilot', 'hooks', fileName),
  layout(scope, binDir): HookLayout {
    const [command, windows] =
      scope === 'user'
        ? [userCommand(binDir, 'vscode'), windowsUserCommand(binDir, 'vscode')]
        : [projectCommand('vscode'), windowsProjectCommand('vscode')];
    const entry: HookEntry = { type: 'command', command, windows, timeout };
    return {
      grouped: false,
      comments: true,
      events: {
        UserPromptSubmit: { entry },
        PreToolUse: { entry },
        PostToolUse: { entry },
        SubagentStop: { entry },
        Stop: { entry },
      },
    };
  },
  needs: () => undefined,
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
