// Cursor's hooks.json.
import path from 'node:path';
import { onMachine } from '../found';
import { systemCommand } from '../hookCommand';
import type { Installer } from '../installer';

const matcher =
  '^(Write|Edit|StrReplace|MultiEdit|ApplyPatch|EditNotebook|Delete|Shell|MCP:.*(write_file|edit_file|move_file|create_directory))$';
/** Seconds. */
const timeout = 30;

export const cursorInstaller: Installer = {
  name: 'cursor',
  targets(scope, { root, home }, binDir) {
    const entry = { command: systemCommand(scope, binDir, 'cursor'), timeout };
    const tool = { entry: { ...entry, matcher } };
    return [
      {
        kind: 'entries',
        file: path.join(scope === 'project' ? root : home, '.cursor', 'hooks.json'),
        layout: {
          grouped: false,
          syntax: 'json',
          base: { version: 1 },
          events: {
            preToolUse: tool,
            postToolUse: tool,
            postToolUseFailure: tool,
            beforeSubmitPrompt: { entry },
            subagentStop: { entry },
            stop: { entry },
            sessionEnd: { entry },
          },
        },
      },
    ];
  },
  needs: (scope) => (scope === 'project' ? 'Cursor runs a project’s hooks in trusted folders only.' : undefined),
  isFound: (ports, { home, env }) =>
    onMachine(ports, env, { folders: [path.join(home, '.cursor')], programs: ['cursor', 'cursor-agent'] }),
};
