// A person's home and a project, with agents' configuration files in them.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import { temporaryRoot, testPorts } from './ports';

export function place() {
  const home = temporaryRoot('home');
  const root = temporaryRoot('project');
  const ports = testPorts();
  const at = { root, home, env: {} as NodeJS.ProcessEnv };
  const user = { ...at, scope: 'user' as const };
  const settings = path.join(home, '.claude', 'settings.json');
  const write = (text: string | Buffer, file = settings) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  const read = (file = settings) => fs.readFileSync(file, 'utf8');
  return { ports, home, root, at, user, project: { ...at, scope: 'project' as const }, settings, write, read };
}

export const fails = (act: () => unknown, reason: string, message: RegExp) =>
  assert.throws(act, (error) => CheckpointError.is(error) && error.reason === reason && message.test(error.message));

/** Settings of Claude Code with other hooks in them. */
export const foreign = `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "lint --fix" }]
            }
        ],
        "Notification": []
    },
    "permissions": { "allow": ["Bash(ls:*)"] }
}
`;
