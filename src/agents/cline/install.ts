// Cline runs programs that are named for an event. One folder is read by its extension and by its command line.
import path from 'node:path';
import { onMachine } from '../found';
import { ownHead, posixCommand } from '../hookCommand';
import type { Installer, Place } from '../installer';

const events = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'TaskStart',
  'TaskResume',
  'TaskComplete',
  'TaskCancel',
];

/** `CLINE_DIR` moves what belongs to the command line. */
const folder = ({ home, env }: Place) =>
  env.CLINE_DIR ? path.join(env.CLINE_DIR, 'hooks') : path.join(home, 'Documents', 'Cline', 'Hooks');

export const clineInstaller: Installer = {
  name: 'cline',
  targets(scope, place, binDir) {
    const dir = scope === 'project' ? path.join(place.root, '.cline', 'hooks') : folder(place);
    const text = ['#!/bin/sh', ownHead('#'), posixCommand(scope, binDir, 'cline'), ''].join('\n');
    return events.map((event) => ({ kind: 'own', file: path.join(dir, event), text, mode: 0o755 }));
  },
  untilSeen: 'In Cline’s extension, turn on Hooks under its settings; its command line needs nothing.',
  isFound: (ports, { home, env }) =>
    onMachine(ports, env, {
      folders: [env.CLINE_DIR || path.join(home, '.cline'), path.join(home, 'Documents', 'Cline')],
      programs: ['cline'],
    }),
};
