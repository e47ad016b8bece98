// Windsurf's hooks.json: a list for each action, without times or matchers. Exit 2 blocks.
import path from 'node:path';
import { onMachine } from '../found';
import { posixCommand, windowsCommand } from '../hookCommand';
import type { Installer } from '../installer';

const actions = [
  'pre_user_prompt',
  'pre_write_code',
  'post_write_code',
  'pre_run_command',
  'post_run_command',
  'post_cascade_response',
];

export const windsurfInstaller: Installer = {
  name: 'windsurf',
  targets(scope, { root, home }, binDir) {
    const entry = {
      command: posixCommand(scope, binDir, 'windsurf'),
      powershell: windowsCommand(scope, binDir, 'windsurf'),
      show_output: false,
    };
    const dir = scope === 'project' ? path.join(root, '.windsurf') : path.join(home, '.codeium', 'windsurf');
    return [
      {
        kind: 'entries',
        file: path.join(dir, 'hooks.json'),
        layout: {
          grouped: false,
          syntax: 'json',
          events: Object.fromEntries(actions.map((action) => [action, { entry }])),
        },
      },
    ];
  },
  isFound: (ports, { home, env }) =>
    onMachine(ports, env, { folders: [path.join(home, '.codeium', 'windsurf')], programs: ['windsurf'] }),
};
