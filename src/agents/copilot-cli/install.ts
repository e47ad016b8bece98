// The Copilot CLI: a hook file of our own. Any exit but 0 blocks the write, and payloads do not name their event, so
// each command does. It also runs VS Code's hook file; both reports of a call become one checkpoint.
import path from 'node:path';
import { onMachine } from '../found';
import { posixCommand, windowsCommand } from '../hookCommand';
import type { Installer, Place } from '../installer';

const fileName = 'agent-checkpoints-copilot-cli.json';
/** Seconds. */
const timeoutSec = 30;

const folder = ({ home, env }: Place) => env.COPILOT_HOME || path.join(home, '.copilot');

const events = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'userPromptSubmitted',
  'subagentStop',
  'agentStop',
  'sessionEnd',
] as const;

export const copilotCliInstaller: Installer = {
  name: 'copilot-cli',
  targets(scope, place, binDir) {
    const entry = (event: string) => ({
      type: 'command',
      bash: posixCommand(scope, binDir, 'copilot-cli', event),
      powershell: windowsCommand(scope, binDir, 'copilot-cli', event),
      timeoutSec,
    });
    const dir = scope === 'project' ? path.join(place.root, '.github') : folder(place);
    return [
      {
        kind: 'entries',
        file: path.join(dir, 'hooks', fileName),
        layout: {
          grouped: false,
          syntax: 'json',
          base: { version: 1 },
          events: Object.fromEntries(events.map((event) => [event, { entry: entry(event) }])),
        },
      },
    ];
  },
  needs: (scope) =>
    scope === 'project' ? 'The Copilot CLI runs a project’s hooks once you trust the folder in it.' : undefined,
  isFound: (ports, place) =>
    onMachine(ports, place.env, { folders: [path.join(folder(place), 'session-state')], programs: ['copilot'] }),
};
