// What reading a store begins with.
import { closeStale } from '../core/capture/close';
import { rootStores, type RootStores } from '../core/store/stores';
import type { Ports } from '../core/ports';
import { CheckpointError } from '../core/errors';
import type { CheckpointId } from '../core/store/ids';
import type { StoreLayout } from '../core/store/layout';
import type { Meta } from '../core/store/meta';
import { findCheckpoint } from '../core/store/reader';

/** The root's stores, with checkpoints closed whose agent never said that it was done. */
export function storesToRead(ports: Ports, root: string): RootStores {
  const stores = rootStores(ports, root);
  try {
    closeStale(ports, stores);
  } catch {
    // A store that cannot be written is still read; one that is refused is refused by the reader, with the reason.
  }
  return stores;
}

/**
 * The checkpoint with that id.
 * @throws CheckpointError `not-found`, `damaged`, `store-refused`
 */
export function namedCheckpoint(ports: Ports, root: string, id: CheckpointId): { store: StoreLayout; meta: Meta } {
  try {
    return findCheckpoint(ports, storesToRead(ports, root), id);
  } catch (error) {
    if (!CheckpointError.is(error, 'damaged')) throw error;
    throw new CheckpointError('damaged', `Checkpoint ${id} is damaged. ${error.message}`, { cause: error });
  }
}
