// Stored bytes of what a row stands for.
import type { Ports } from '../../core/ports';
import type { State } from '../../core/store/meta';
import type { ListedCheckpoint } from '../../core/store/reader';
import { readBlob } from '../../core/store/storedBlob';
import type { RootStores } from '../../core/store/stores';
import { entryOf, type Edit } from './turns';

type Owner = Pick<ListedCheckpoint, 'id' | 'fallback'>;

/**
 * The bytes of a state: of a link the place it points to, of what is not there none. Undefined where they are not known.
 * @throws CheckpointError `damaged` where the stored bytes are not those of the state
 */
export function bytesOf(ports: Ports, stores: RootStores, owner: Owner, state: State | undefined): Buffer | undefined {
  switch (state?.type) {
    case 'file':
      return readBlob(ports, owner.fallback ? stores.fallback : stores.primary, owner.id, state);
    case 'symlink':
      return Buffer.from(state.target);
    case 'absent':
    case 'directory':
      return Buffer.alloc(0);
    case 'unreadable':
    case undefined:
      return undefined;
  }
}

/** What tells two contents apart without reading them. */
export function contentKey(state: State | undefined): string {
  switch (state?.type) {
    case 'file':
      return state.sha256;
    case 'symlink':
      return `link:${state.target}`;
    default:
      return state?.type ?? '?';
  }
}

/** Bytes before the first of the edits and after the last one. */
export function bytesAround(ports: Ports, stores: RootStores, edits: readonly Edit[]) {
  const first = edits[0]!;
  const last = edits.at(-1)!;
  return {
    before: bytesOf(ports, stores, first.checkpoint, entryOf(first).pre),
    after: bytesOf(ports, stores, last.checkpoint, entryOf(last).post),
  };
}
