// create: a checkpoint by hand.
import { createCheckpoint } from '../../tools/create';
import { safeLine } from './screen';
import { textOption, type Verb } from './verb';

export const create: Verb = {
  name: 'create',
  usage: '[--label L] [paths]',
  summary: 'a checkpoint by hand',
  details: [
    '--label L    a name for it',
    'Paths are relative to the current folder; a folder stands for the files in it. Without paths: all that the',
    'history knows and that is still there. `restore <id>` puts them back to how they are now. JSON: {id}.',
  ],
  options: { label: { type: 'string' } },
  arguments: { min: 0, max: 1000 },
  run(call) {
    const { ports, cwd } = call.io;
    const label = textOption(call, 'label');
    const root = call.root();
    const { own, others } = createCheckpoint(ports, root, { base: cwd, paths: call.positionals, label });
    if (own.root !== root) call.say(`These paths belong to ${own.root}: the checkpoint is there.`);
    for (const other of others)
      call.say(`Some of the paths belong to ${other.root}: see checkpoint ${other.id} there.`);
    if (own.fallback) call.say('The folder could not be written, so the checkpoint is kept in user state.');
    return { json: { id: own.id }, human: () => `${own.id}${label === undefined ? '' : `  ${safeLine(label)}`}` };
  },
};
