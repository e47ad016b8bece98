// Metadata that was read once is read again only where its file was replaced.
import type { Ports } from '../../core/ports';
import type { CheckpointId } from '../../core/store/ids';
import { metaFile, pinnedFile } from '../../core/store/layout';
import {
  asListed,
  listStored,
  readMetaWithStamp,
  reasonOf,
  type Damaged,
  type ListedCheckpoint,
  type StoredId,
} from '../../core/store/reader';
import { CheckpointError } from '../../core/errors';
import type { RootStores } from '../../core/store/stores';
import { readKey } from '../../core/state/key';

type Cached = { readonly stamp: string; readonly checkpoint: ListedCheckpoint };

/** One pass over a root's checkpoints, newest first, as far as it is asked to go. */
export interface Reading {
  readonly checkpoints: readonly ListedCheckpoint[];
  readonly damaged: readonly Damaged[];
  readonly atEnd: boolean;
  next(count: number): void;
}

export class CheckpointCache {
  #cached = new Map<CheckpointId, Cached>();

  constructor(
    private readonly ports: Ports,
    private readonly stores: RootStores,
  ) {}

  /** Reads names now, metadata by {@link Reading.next}. Never throws: damage is in the result. */
  read(): Reading {
    const { stored, damaged } = listStored(this.ports, this.stores);
    const key = readKey(this.ports, { create: false });
    const before = this.#cached;
    const kept = new Map<CheckpointId, Cached>();
    // What is not asked for again is forgotten.
    this.#cached = kept;
    const checkpoints: ListedCheckpoint[] = [];
    let at = 0;
    return {
      checkpoints,
      damaged,
      get atEnd() {
        return at >= stored.length;
      },
      next: (count) => {
        for (const end = at + count; at < end && at < stored.length; at++) {
          const each = stored[at]!;
          try {
            const cached = this.#current(before.get(each.id), each) ?? this.#read(each, key);
            kept.set(each.id, cached);
            checkpoints.push(cached.checkpoint);
          } catch (error) {
            // Deleted since the names were read, or damaged.
            if (!CheckpointError.is(error, 'not-found')) damaged.push({ id: each.id, reason: reasonOf(error) });
          }
        }
      },
    };
  }

  #current(cached: Cached | undefined, { id, store }: StoredId): Cached | undefined {
    if (!cached) return undefined;
    const { fs } = this.ports;
    const stat = fs.lstatSync(metaFile(store, id), { throwIfNoEntry: false });
    if (!stat || `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}` !== cached.stamp) return undefined;
    const pinned = fs.lstatSync(pinnedFile(store, id), { throwIfNoEntry: false }) !== undefined;
    return pinned === cached.checkpoint.pinned ? cached : { ...cached, checkpoint: { ...cached.checkpoint, pinned } };
  }

  #read({ id, store }: StoredId, key: Buffer | undefined): Cached {
    const { meta, stamp } = readMetaWithStamp(this.ports, store, id);
    return { stamp, checkpoint: asListed(this.ports, this.stores, store, meta, key) };
  }
}
