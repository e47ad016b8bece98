// The bytes of a stored state, for counting lines.
import type { Ports } from '../../core/ports';
import type { CheckpointId } from '../../core/store/ids';
import type { StoreLayout } from '../../core/store/layout';
import type { State } from '../../core/store/meta';
import { readBlob } from '../../core/store/storedBlob';

/** Above this a file goes without counts. */
const maxBytes = 512 * 1024;

/** Empty for what is no file; undefined where the bytes are not to be had, or are too many. */
export function readBlobOrNothing(
  ports: Ports,
  store: StoreLayout,
  id: CheckpointId,
  state: State | undefined,
): Buffer | undefined {
  if (state === undefined || state.type === 'unreadable') return undefined;
  if (state.type !== 'file') return Buffer.alloc(0);
  return state.size > maxBytes ? undefined : readBlob(ports, store, id, state);
}
