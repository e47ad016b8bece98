// prune, purge, doctor: what keeps a store small, private and sound.
import type { Ports } from '../../core/ports';
import { readSettings } from '../../core/state/settings';
import { doctor as verifyStore } from '../../core/store/doctor';
import { purge as purgeStore } from '../../core/store/purge';
import { prune as pruneStore } from '../../core/store/retention';
import { putBackVanished, vanished } from '../../core/store/twin';
import { rootStores } from '../../core/store/stores';
import { pathInRoot } from '../../tools/paths';
import { byteText, counted, safeLine } from './screen';
import { UsageError } from '../../tools/usage';
import { flag, textOption, type Verb, type VerbCall } from './verb';

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
  usage: '[--put-back]',
  summary: 'verify every stored byte and sweep leftovers',
  details: [
    '--put-back     put checkpoints back that were deleted together with the store (git clean -fdx, rm -rf)',
    'Damage is reported, not repaired, and is no failure of the command: the exit code is 0.',
    'JSON: {checkpoints, damaged: [{id, path?, reason}], swept, vanished?, putBack?}.',
  ],
  options: { 'put-back': { type: 'boolean' } },
  run(call) {
    const { ports } = call.io;
    const stores = storesOf(ports, call);
    const putBack = flag(call, 'put-back') ? putBackVanished(ports, stores) : 0;
    const gone = vanished(ports, stores).length;
    const { checkpoints, damaged, swept } = verifyStore(ports, stores);
    return {
      json: { checkpoints, damaged, swept, ...(gone > 0 && { vanished: gone }), ...(putBack > 0 && { putBack }) },
      human: () =>
        [
          ...damaged.map(
            ({ id, path, reason }) =>
              `damaged  ${safeLine(id)}${path === undefined ? '' : `  ${safeLine(path)}`}  ${safeLine(reason)}`,
          ),
          ...(putBack > 0 ? [`${counted(putBack, 'checkpoint')} put back.`] : []),
          ...(gone > 0
            ? [`${counted(gone, 'checkpoint')} gone from the store; doctor --put-back brings them back.`]
            : []),
          `${counted(checkpoints, 'checkpoint')} verified, ${counted(damaged.length, 'problem')} found, ` +
            `${counted(swept, 'leftover')} swept.`,
        ].join('\n'),
    };
  },
};
