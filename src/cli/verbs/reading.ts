// What the verbs that read a store begin with.
import { closeStale } from '../../core/capture/close';
import { rootStores, type RootStores } from '../../core/store/stores';
import { CheckpointError } from '../../core/errors';
import { parseCheckpointId } from '../../core/store/ids';
import type { StoreLayout } from '../../core/store/layout';
import type { Meta } from '../../core/store/meta';
import { findCheckpoint } from '../../core/store/reader';
import type { VerbCall } from './verb';

/** The root's stores, with checkpoints closed whose agent never said that it was done. */
export function storesToRead(call: VerbCall): RootStores {
  const stores = rootStores(call.io.ports, call.root());
  try {
    closeStale(call.io.ports, stores);
  } catch {
    // A store that cannot be written is still read; one that is refused is refused by the reader, with the reason.
  }
  return stores;
}

/**
 * The checkpoint that the first argument names; the id is checked before any file call.
 * @throws CheckpointError `bad-id`, `not-found`, `damaged`, `store-refused`
 */
export function namedCheckpoint(call: VerbCall): { store: StoreLayout; meta: Meta } {
  const id = parseCheckpointId(call.positionals[0]!);
  try {
    return findCheckpoint(call.io.ports, storesToRead(call), id);
  } catch (error) {
    if (!CheckpointError.is(error, 'damaged')) throw error;
    throw new CheckpointError('damaged', `Checkpoint ${id} is damaged. ${error.message}`, { cause: error });
  }
}
