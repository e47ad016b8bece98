// pin, unpin: keep a checkpoint whatever retention says.
import { parseCheckpointId } from '../../core/store/ids';
import { setPinned } from '../../core/store/pin';
import { rootStores } from '../../core/store/stores';
import type { Verb } from './verb';

const pinVerb = (name: 'pin' | 'unpin', summary: string): Verb => ({
  name,
  usage: '<id>',
  summary,
  details: ['JSON: {id, pinned}.'],
  options: {},
  arguments: { min: 1, max: 1 },
  run(call) {
    const id = parseCheckpointId(call.positionals[0]!);
    const { ports } = call.io;
    const pinned = name === 'pin';
    setPinned(ports, rootStores(ports, call.root()), id, pinned);
    return {
      json: { id, pinned },
      human: () => (pinned ? `${id} is pinned: pruning keeps it.` : `${id} is no longer pinned.`),
    };
  },
});

export const pin = pinVerb('pin', 'keep a checkpoint whatever retention says');
export const unpin = pinVerb('unpin', 'let retention remove a checkpoint again');
