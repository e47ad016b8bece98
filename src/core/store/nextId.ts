// The id of the next checkpoint: later than all of this person's that are there.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { readKey } from '../state/key';
import { checkpointTime, newCheckpointId, type CheckpointId } from './ids';
import type { StoreLayout } from './layout';
import { isForeign } from './mac';
import { idsIn, readMeta } from './reader';

/**
 * No metadata is read, unless there are ids of the future: after the clock went back they are this person's and count;
 * one that came with a clone must not drag all later ids behind it, to where ids end.
 * @throws the system's error (`ENOENT`: no store)
 */
export function nextId(ports: Ports, store: StoreLayout): CheckpointId {
  const now = ports.now();
  let newest: CheckpointId | undefined;
  const ahead: CheckpointId[] = [];
  for (const id of idsIn(ports, store)) {
    // Also those whose digits are no date.
    if (!(checkpointTime(id) <= now)) ahead.push(id);
    else if (newest === undefined || id > newest) newest = id;
  }
  if (ahead.length > 0) newest = newestOwn(ports, store, ahead) ?? newest;
  return newCheckpointId(now, newest);
}

/** Ids of the future that are looked at; whoever planted more gets no further. */
const maxLooks = 50;

function newestOwn(ports: Ports, store: StoreLayout, ids: CheckpointId[]): CheckpointId | undefined {
  const key = readKey(ports, { create: false });
  // Without a key none can be told apart.
  if (key === undefined) return ids.sort().at(-1);
  return ids
    .sort()
    .reverse()
    .slice(0, maxLooks)
    .find((id) => isOwn(ports, store, id, key));
}

function isOwn(ports: Ports, store: StoreLayout, id: CheckpointId, key: Buffer): boolean {
  try {
    return !isForeign(ports, readMeta(ports, store, id), key);
  } catch (error) {
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}
