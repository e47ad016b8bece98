// The timeline, newest first.
import type { Ports } from '../core/ports';
import type { CheckpointId } from '../core/store/ids';
import { listPage, type ListedCheckpoint, type ListFilter } from '../core/store/reader';
import type { RootStores } from '../core/store/stores';
import { pathInRoot } from './paths';
import { storesToRead } from './reading';

const pageSize = 200;

export interface Wanted {
  readonly limit: number;
  /** Only older ones than this. */
  readonly after?: CheckpointId;
  /** Only those that touched this file, or a file in this folder: relative to the root, or absolute. */
  readonly file?: string;
  /** Only those of this session, by the agent's own id. */
  readonly session?: string;
}

export interface Listed {
  readonly stores: RootStores;
  readonly checkpoints: readonly ListedCheckpoint[];
  readonly damaged: readonly { readonly id: string; readonly reason: string }[];
  /** There are older ones than this. */
  readonly next?: CheckpointId;
}

/** @throws UsageError for a file outside the root; CheckpointError `store-refused` */
export function listCheckpoints(ports: Ports, root: string, { limit, after, file, session }: Wanted): Listed {
  const filter: ListFilter = {
    ...(file === undefined ? {} : { file: pathInRoot(ports.fs, root, root, file) }),
    ...(session === undefined ? {} : { session }),
  };
  const stores = storesToRead(ports, root);
  const checkpoints: ListedCheckpoint[] = [];
  const damaged: Listed['damaged'][number][] = [];
  let next = after;
  do {
    const page = listPage(ports, stores, {
      limit: Math.min(pageSize, limit - checkpoints.length),
      ...(next === undefined ? {} : { after: next }),
      filter,
    });
    checkpoints.push(...page.checkpoints);
    damaged.push(...page.damaged.map(({ id, reason }) => ({ id, reason })));
    next = page.next;
  } while (next !== undefined && checkpoints.length < limit);
  return { stores, checkpoints, damaged, ...(next === undefined ? {} : { next }) };
}

/** As `list --json` prints it: what else the reader knows is left out. */
export function asListed({ foreign: _foreign, fallback: _fallback, ...rest }: ListedCheckpoint): ListedJson {
  return rest;
}

export type ListedJson = Omit<ListedCheckpoint, 'foreign' | 'fallback'>;
