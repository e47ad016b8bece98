// create: a checkpoint by hand.
import path from 'node:path';
import { createObserver } from '../../core/capture/observer';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { readSettings } from '../../core/state/settings';
import { listPage } from '../../core/store/reader';
import type { RootStores } from '../../core/store/stores';
import { expandPaths } from './expand';
import { pathInRoot } from './paths';
import { storesToRead } from './reading';
import { safeLine } from './screen';
import { textOption, UsageError, type Verb, type VerbCall } from './verb';

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
    const { ports } = call.io;
    const label = textOption(call, 'label')?.slice(0, 1000);
    const root = call.root();
    if (readSettings(ports).enabled === false) {
      throw new CheckpointError('failed', 'Checkpoints are turned off. Turn on "agentCheckpoints.enabled" in VS Code.');
    }
    const files = call.positionals.length > 0 ? namedFiles(call, root) : knownFiles(ports, storesToRead(call));
    const { checkpoints } = createObserver(ports).beforeWrite({
      kind: 'manual',
      cwd: root,
      projectDir: root,
      writes: files.map((file) => ({ path: file })),
      ...(label === undefined ? {} : { label }),
    });
    const [own, ...others] = [...checkpoints].sort((a, b) => Number(b.root === root) - Number(a.root === root));
    if (own === undefined) {
      throw new CheckpointError('store-unwritable', 'Nothing could be stored. `agents` shows why; is the disk full?');
    }
    if (own.root !== root) call.say(`These paths belong to ${own.root}: the checkpoint is there.`);
    for (const other of others)
      call.say(`Some of the paths belong to ${other.root}: see checkpoint ${other.id} there.`);
    if (own.fallback) call.say('The folder could not be written, so the checkpoint is kept in user state.');
    return { json: { id: own.id }, human: () => `${own.id}${label === undefined ? '' : `  ${safeLine(label)}`}` };
  },
};

function namedFiles(call: VerbCall, root: string): string[] {
  const { ports, cwd } = call.io;
  const absolute = call.positionals.map((named) => {
    if (named === '') throw new UsageError('"" is not a path.');
    // The root itself stands for all in it.
    if (path.resolve(cwd, named) === root) return root;
    return path.join(root, pathInRoot(ports.fs, root, cwd, named));
  });
  const files = expandPaths(ports.fs, absolute);
  if (files.length === 0) throw new UsageError('There are no files in the folders that you named.');
  return files;
}

/** What the history knows and is still there, or was removed by a person: that it is absent is worth noting then. */
function knownFiles(ports: Ports, stores: RootStores): string[] {
  const { root } = stores;
  const files = new Map<string, 'absent' | 'there'>();
  for (const { entries, status } of listPage(ports, stores, { limit: Infinity }).checkpoints) {
    if (status === 'unchanged' || status === 'abandoned') continue;
    for (const { path: file, pre, post } of entries) {
      const state = post ?? pre;
      if (typeof file !== 'string' || files.has(file) || state.type === 'directory') continue;
      files.set(file, state.type === 'absent' ? 'absent' : 'there');
    }
  }
  const known = [...files].filter(([file, last]) => last === 'there' || exists(ports, path.join(root, file)));
  if (known.length === 0)
    throw new UsageError('There is no history here yet. Name the files that the checkpoint is to hold.');
  return known.map(([file]) => path.join(root, file));
}

function exists({ fs }: Ports, file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
