// Reading the history of a root from its stores, with only what may be trusted.
import { closeStale } from '../capture/close';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { readKey } from '../state/key';
import type { CheckpointId } from '../store/ids';
import type { StoreLayout } from '../store/layout';
import { isForeign } from '../store/mac';
import type { Meta } from '../store/meta';
import { listIds, readMeta } from '../store/reader';
import { checkStore, type RootStores } from '../store/stores';
import { History } from './history';

export interface Loaded {
  readonly history: History;
  /** @throws CheckpointError `not-found` */
  readonly storeOf: (id: string) => StoreLayout;
  /** Not known to be this person's. In `history` only where they were asked for. */
  readonly foreign: ReadonlyMap<string, Meta>;
  readonly damaged: readonly Unreadable[];
}

interface Unreadable {
  /** A checkpoint's id, or `store`. */
  readonly id: string;
  readonly reason: string;
}

export interface LoadOptions {
  /** Foreign checkpoints count too. */
  readonly foreign?: boolean | undefined;
  /** Calls that are over but not closed stay open: nothing is written. */
  readonly readOnly?: boolean | undefined;
}

/** @throws CheckpointError `store-refused` where there is nothing in user state either */
export function loadHistory(ports: Ports, stores: RootStores, options: LoadOptions): Loaded {
  const refused = refusal(ports, stores);
  const key = readKey(ports, { create: false });
  const found = new Map<CheckpointId, StoreLayout>();
  const metas = new Map<CheckpointId, Meta>();
  const foreign = new Map<string, Meta>();
  const damaged: Unreadable[] = refused === undefined ? [] : [refused];
  const read = (id: CheckpointId, store: StoreLayout) => {
    try {
      const meta = readMeta(ports, store, id);
      metas.set(id, meta);
      if (isForeign(ports, meta, key)) foreign.set(id, meta);
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      // Removed since it was listed: it is no part of the history any more.
      if (error.reason !== 'not-found') damaged.push({ id, reason: error.message });
    }
  };
  for (const { id, store } of listIds(ports, stores).reverse()) {
    found.set(id, store);
    read(id, store);
  }
  const pending = [...metas.values()].filter(({ id, status, kind }) => {
    return status === 'pending' && kind !== 'restore' && !foreign.has(id);
  });
  if (pending.length > 0 && !options.readOnly) {
    closeStale(
      ports,
      stores,
      pending.map(({ id }) => id),
    );
    for (const { id } of pending) read(id, found.get(id)!);
  }
  const trusted = [...metas.values()].filter(({ id }) => options.foreign || !foreign.has(id));
  return {
    history: new History(trusted),
    storeOf: (id) => storeIn(found, id),
    foreign,
    damaged,
  };
}

/** Where the root's own store leads elsewhere, captures went to the one in user state, and so do restores. */
function refusal(ports: Ports, stores: RootStores): Unreadable | undefined {
  try {
    checkStore(ports, stores.primary);
    return undefined;
  } catch (error) {
    if (!CheckpointError.is(error, 'store-refused') || listIds(ports, stores).length === 0) throw error;
    return { id: 'store', reason: error.message };
  }
}

function storeIn(found: ReadonlyMap<string, StoreLayout>, id: string): StoreLayout {
  const store = found.get(id);
  if (store === undefined) throw new CheckpointError('not-found', `There is no checkpoint ${id} here.`);
  return store;
}

/** Where the checkpoints of a root are, without reading them. Errors as {@link Loaded.storeOf}. */
export function storesById(ports: Ports, stores: RootStores): (id: string) => StoreLayout {
  const found = new Map<string, StoreLayout>(listIds(ports, stores).map(({ id, store }) => [id, store]));
  return (id) => storeIn(found, id);
}
