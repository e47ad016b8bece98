// prune, purge, doctor: what keeps a store small, private and sound.
import type { Ports } from '../../core/ports';
import { readSettings } from '../../core/state/settings';
import { doctor as verifyStore } from '../../core/store/doctor';
import { purge as purgeStore } from '../../core/store/purge';
import { prune as pruneStore } from '../../core/store/retention';
import { rootStores } from '../../core/store/stores';
import { pathInRoot } from './paths';
import { byteText, counted, safeLine } from './screen';
import { textOption, UsageError, type Verb, type VerbCall } from './verb';

const storesOf = (ports: Ports, call: VerbCall) => rootStores(ports, call.root());

export const prune: Verb = {
  name: 'prune',
  usage: '',
  summary: 'remove what is over the limits of retention',
  details: [
    'The limits are settings of the extension: newest 1,000 checkpoints and 1 GiB unless they say otherwise.',
    'Pinned checkpoints, and those that an undo or redo still needs, stay. JSON: {removed: [id], freedBytes}.',
  ],
  options: {},
  run(call) {
    const { ports } = call.io;
    const { removed, freedBytes } = pruneStore(ports, storesOf(ports, call), readSettings(ports).retention);
    return { json: { removed, freedBytes }, human: () => removedText(removed.length, freedBytes) };
  },
};

export const purge: Verb = {
  name: 'purge',
  usage: '(--path P | --session S)',
  summary: "remove a path's or a session's history for good",
  details: [
    '--path P       the history of this file or folder (relative to the root, or absolute)',
    '--session S    the history of this session of an agent, by its id as `list --json` shows it',
    'What is purged cannot be restored. JSON: {removed: [id], freedBytes}.',
  ],
  options: { path: { type: 'string' }, session: { type: 'string' } },
  run(call) {
    const { ports } = call.io;
    const file = textOption(call, 'path');
    const session = textOption(call, 'session');
    if ((file === undefined) === (session === undefined)) throw new UsageError('purge needs --path or --session.');
    const root = call.root();
    const what = file !== undefined ? { path: pathInRoot(ports.fs, root, root, file) } : { session: session! };
    const { removed, freedBytes } = purgeStore(ports, storesOf(ports, call), what);
    return { json: { removed, freedBytes }, human: () => removedText(removed.length, freedBytes) };
  },
};

const removedText = (count: number, freedBytes: number) =>
  count === 0 && freedBytes === 0
    ? 'Nothing to remove.'
    : `Removed ${counted(count, 'checkpoint')}, ${byteText(freedBytes)} freed.`;

export const doctor: Verb = {
  name: 'doctor',
  usage: '',
  summary: 'verify every stored byte and sweep leftovers',
  details: [
    'Damage is reported, not repaired, and is no failure of the command: the exit code is 0.',
    'JSON: {checkpoints, damaged: [{id, path?, reason}], swept}.',
  ],
  options: {},
  run(call) {
    const { ports } = call.io;
    const { checkpoints, damaged, swept } = verifyStore(ports, storesOf(ports, call));
    return {
      json: { checkpoints, damaged, swept },
      human: () =>
        [
          ...damaged.map(
            ({ id, path, reason }) =>
              `damaged  ${safeLine(id)}${path === undefined ? '' : `  ${safeLine(path)}`}  ${safeLine(reason)}`,
          ),
          `${counted(checkpoints, 'checkpoint')} verified, ${counted(damaged.length, 'problem')} found, ` +
            `${counted(swept, 'leftover')} swept.`,
        ].join('\n'),
    };
  },
};
