// Reading a store that anybody may have written: schema, confinement and hashes are checked, damage is an answer.
import * as v from 'valibot';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { readKey } from '../state/key';
import { isCheckpointId, parseCheckpointId, type CheckpointId } from './ids';
import { inStore } from './inStore';
import { checkpointDir, metaFile, pinnedFile, type StoreLayout } from './layout';
import { isForeign } from './mac';
import { metaSchema, type Meta, type RelativePath } from './meta';
import { isThere, readToEnd, withPlainFile } from './plainFile';
import { checkStore, type RootStores } from './stores';

/** Larger metadata is damaged, and is not written either. */
export const maxMetaBytes = 8 * 2 ** 20;

export interface StoredId {
  readonly id: CheckpointId;
  readonly store: StoreLayout;
}

export type ListedCheckpoint = Meta & {
  readonly root: string;
  readonly pinned: boolean;
  /** Sum of the sizes of its blobs; shared ones are counted each time. */
  readonly bytes: number;
  /** Not written with this person's key. */
  readonly foreign: boolean;
  /** It is in the store in user state. */
  readonly fallback: boolean;
};

export interface Damaged {
  /** A checkpoint's id, or `store`. */
  readonly id: string;
  readonly reason: string;
}

export interface ListFilter {
  /** Relative to the root, with `/`; a folder stands for all below it. */
  readonly file?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly where?: (meta: Meta) => boolean;
}

export interface Page {
  /** Newest first. */
  readonly checkpoints: ListedCheckpoint[];
  readonly damaged: Damaged[];
  /** Pass it as `after` for the next page; absent at the end. */
  readonly next?: CheckpointId;
}

/** The error that a purged entry's states carry in place of their bytes. */
export const purgedError = 'purged';

/** Newest first over both stores; no metadata is read. A store that is refused or unreadable is told in `damaged`. */
export function listStored(ports: Ports, stores: RootStores): { stored: StoredId[]; damaged: Damaged[] } {
  const damaged: Damaged[] = [];
  const found = new Map<CheckpointId, StoreLayout>();
  for (const store of [stores.primary, stores.fallback]) {
    try {
      const ids = inStore(ports, store, (within) => {
        checkStore(within, store);
        return idsIn(within, store);
      });
      for (const id of ids) if (!found.has(id)) found.set(id, store);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? ''))
        damaged.push({ id: 'store', reason: reasonOf(error) });
    }
  }
  const stored = [...found].map(([id, store]) => ({ id, store }));
  return { stored: stored.sort((a, b) => (a.id < b.id ? 1 : -1)), damaged };
}

/** As {@link listStored}, without what could not be read. */
export const listIds = (ports: Ports, stores: RootStores): StoredId[] => listStored(ports, stores).stored;

/** Unordered. @throws the system's error (`ENOENT`: no store) */
export function idsIn(ports: Ports, store: StoreLayout): CheckpointId[] {
  return ports.fs.readdirSync(store.checkpoints).filter(isCheckpointId);
}

/** @throws CheckpointError `bad-id`, `not-found`, `damaged`, `store-refused` */
export function readMeta(ports: Ports, store: StoreLayout, id: CheckpointId): Meta {
  return readMetaWithStamp(ports, store, id).meta;
}

/** With what tells whether the file was replaced since. Errors as {@link readMeta}. */
export function readMetaWithStamp(ports: Ports, store: StoreLayout, id: CheckpointId): { meta: Meta; stamp: string } {
  parseCheckpointId(id);
  try {
    checkStore(ports, store, id);
    return withPlainFile(ports, metaFile(store, id), (fd, stat) => {
      if (stat.size > maxMetaBytes)
        throw new CheckpointError('damaged', `Its metadata is too large (${stat.size} bytes).`);
      const meta = parseMeta(readToEnd(ports, fd, stat.size).toString('utf8'));
      if (meta.id !== id) throw new CheckpointError('damaged', `Its metadata is of another checkpoint, ${meta.id}.`);
      return { meta, stamp: `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}` };
    });
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) {
      throw new CheckpointError('damaged', `Its metadata cannot be read: ${reasonOf(error)}`, { cause: error });
    }
    const folder = ports.fs.lstatSync(checkpointDir(store, id), { throwIfNoEntry: false });
    if (folder !== undefined) throw new CheckpointError('damaged', 'Its metadata (meta.json) is missing.');
    throw notFound(id);
  }
}

function parseMeta(text: string): Meta {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CheckpointError('damaged', 'Its metadata is not JSON.');
  }
  const parsed = v.safeParse(metaSchema, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const where = v.getDotPath(issue) ?? 'meta.json';
  // It quotes what it found, which must not look like a line of its own.
  const what = issue.message.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 300);
  throw new CheckpointError('damaged', `Its metadata is not valid at ${where.slice(0, 200)}: ${what}`);
}

const notFound = (id: string) =>
  new CheckpointError('not-found', `There is no checkpoint ${id} here. \`list\` shows the ones that are.`);

/** @throws CheckpointError `bad-id`, `not-found`, `damaged`, `store-refused` */
export function findCheckpoint(ports: Ports, stores: RootStores, id: CheckpointId): { store: StoreLayout; meta: Meta } {
  parseCheckpointId(id);
  let refused: unknown;
  for (const store of [stores.primary, stores.fallback]) {
    try {
      return { store, meta: readMeta(ports, store, id) };
    } catch (error) {
      if (!CheckpointError.is(error, 'not-found')) refused ??= error;
    }
  }
  throw refused ?? notFound(id);
}

/**
 * One page; reads the metadata of its checkpoints only, plus those that a filter passes over.
 * `limit` counts damaged ones too. Throws nothing but programming errors.
 */
export function listPage(
  ports: Ports,
  stores: RootStores,
  { limit, after, filter }: { limit: number; after?: CheckpointId; filter?: ListFilter },
): Page {
  const { stored, damaged: refused } = listStored(ports, stores);
  const damaged = after === undefined ? refused : [];
  const key = readKey(ports, { create: false });
  const checkpoints: ListedCheckpoint[] = [];
  let used = 0;
  for (const [i, { id, store }] of stored.entries()) {
    if (after !== undefined && id >= after) continue;
    try {
      const meta = readMeta(ports, store, id);
      if (filter !== undefined && !passes(filter, meta)) continue;
      checkpoints.push(asListed(ports, stores, store, meta, key));
    } catch (error) {
      // Deleted since the names were read.
      if (CheckpointError.is(error, 'not-found')) continue;
      damaged.push({ id, reason: reasonOf(error) });
    }
    used++;
    if (used >= limit && i + 1 < stored.length) return { checkpoints, damaged, next: id };
  }
  return { checkpoints, damaged };
}

/** What a listing says of a checkpoint beyond its metadata. `key`: as {@link readKey} gave it. */
export function asListed(
  ports: Ports,
  stores: RootStores,
  store: StoreLayout,
  meta: Meta,
  key: Buffer | undefined,
): ListedCheckpoint {
  const states = meta.entries.flatMap((entry) => [entry.pre, entry.post]);
  return {
    ...meta,
    root: stores.root,
    pinned: isThere(ports, pinnedFile(store, meta.id)),
    bytes: states.reduce((sum, state) => sum + (state?.type === 'file' ? state.size : 0), 0),
    foreign: isForeign(ports, meta, key),
    fallback: store.dir === stores.fallback.dir,
  };
}

function passes({ file, session, agent, where }: ListFilter, meta: Meta): boolean {
  if (session !== undefined && meta.agent?.session !== session) return false;
  if (agent !== undefined && meta.agent?.name !== agent) return false;
  if (where !== undefined && !where(meta)) return false;
  if (file === undefined) return true;
  const under = (each: RelativePath | undefined) =>
    typeof each === 'string' && (each === file || each.startsWith(`${file}/`));
  return (
    meta.entries.some(
      ({ path, renamedFrom, pre }) =>
        !(pre.type === 'unreadable' && pre.error === purgedError) && (under(path) || under(renamedFrom)),
    ) || meta.notCovered.some(({ path }) => under(path))
  );
}

/** In words, for a `damaged` list. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
