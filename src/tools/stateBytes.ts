// The stored bytes of a state, for comparing.
import type { Ports } from '../core/ports';
import type { CheckpointId } from '../core/store/ids';
import type { StoreLayout } from '../core/store/layout';
import type { State } from '../core/store/meta';
import { readBlob } from '../core/store/storedBlob';

/** Bytes; what a store says is larger is not taken into memory to be shown. */
const maxRead = 256 * 2 ** 20;

/**
 * The bytes of a state, verified. undefined: a link, a folder, unreadable, or too large.
 * @throws CheckpointError `damaged`
 */
export function stateBytes(
  ports: Ports,
  store: StoreLayout,
  id: CheckpointId,
  state: State,
): Buffer | 'absent' | undefined {
  if (state.type === 'absent') return 'absent';
  return state.type === 'file' && state.size <= maxRead ? readBlob(ports, store, id, state) : undefined;
}

/** For comparing: what is absent has no bytes. */
export const bytesOrNone = (side: Buffer | 'absent'): Buffer => (side === 'absent' ? Buffer.alloc(0) : side);
