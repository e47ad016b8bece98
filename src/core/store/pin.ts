// Pinned checkpoints stay whatever the limits are.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { createFile } from '../state/atomicFile';
import { syncDir } from '../state/platform';
import { errorCode } from '../errors';
import type { CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir, pinnedFile } from './layout';
import { findCheckpoint, reasonOf } from './reader';
import type { RootStores } from './stores';

/** Idempotent. @throws CheckpointError as `findCheckpoint`; `store-unwritable` */
export function setPinned(ports: Ports, stores: RootStores, id: CheckpointId, pinned: boolean): void {
  const { store } = findCheckpoint(ports, stores, id);
  try {
    inStore(ports, store, (within) => {
      if (pinned) createFile(within, pinnedFile(store, id), '');
      else within.fs.rmSync(pinnedFile(store, id), { force: true });
      syncDir(within, checkpointDir(store, id));
    });
  } catch (error) {
    if (pinned && errorCode(error) === 'EEXIST') return;
    throw new CheckpointError('store-unwritable', `The pin of ${id} cannot be changed: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
