// Writing checkpoints: each appears whole or not at all, and its bytes are on the disk before the call returns.
import path from 'node:path';
import * as v from 'valibot';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { createFile, removeQuietly, uniqueSuffix } from '../state/atomicFile';
import { readKey } from '../state/key';
import { keepsOrder, rename, syncDir, syncFile } from '../state/platform';
import { checkpointBlobs, type CheckpointBlobs } from './checkpointBlobs';
import type { AddState, CheckpointDraft } from './draft';
import { inStore } from './inStore';
import { checkpointTime, parseCheckpointId, type CheckpointId } from './ids';
import type { KnownBlob } from './lastBlob';
import { checkpointDir, metaFile, temporaryPrefix, type StoreLayout } from './layout';
import { isForeign, macOf } from './mac';
import { metaSchema, type Entry, type Meta } from './meta';
import { nextId } from './nextId';
import { maxMetaBytes, readMetaWithStamp } from './reader';
import { ensureStore } from './stores';

export type { AddState, BlobSource, CheckpointDraft, DraftEntry, DraftState } from './draft';

/**
 * Writes a checkpoint and makes it durable. Equal bytes are linked, not stored again.
 * @throws CheckpointError `store-refused`; `store-unwritable` (with the system's error as cause), and then nothing of
 * the checkpoint is left where cleaning up was possible; `bad-argument` for a draft that cannot be recorded
 */
export function writeCheckpoint(ports: Ports, store: StoreLayout, draft: CheckpointDraft): Meta {
  return asStoreError(store, () => inStore(ports, store, (within) => write(within, store, draft)));
}

function write(ports: Ports, store: StoreLayout, draft: CheckpointDraft): Meta {
  ensureStore(ports, store);
  const key = readKey(ports, { create: true });
  let id = draft.id === undefined ? nextId(ports, store) : parseCheckpointId(draft.id);
  const building = path.join(store.checkpoints, `${temporaryPrefix}${id}`);
  ports.fs.mkdirSync(building, { mode: 0o700 });
  try {
    const blobs = checkpointBlobs(ports, store, building);
    const record = recordOf(draft, blobs);
    // The flush of the store's folder at the end carries the names in this one along where the file system keeps order.
    const ordered = keepsOrder(ports, store.checkpoints);
    for (let attempt = 1; ; attempt++) {
      const meta = seal({ ...record, id, createdAt: draft.createdAt ?? timeOf(ports, id) }, key);
      const file = path.join(building, 'meta.json');
      // All is written before the first flush, which then does most of the work for the others.
      createFile(ports, file, serialise(meta), { flush: 'soon' });
      blobs.sync({ folders: !ordered });
      syncFile(ports, file);
      if (!ordered) syncDir(ports, building);
      if (appear(ports, building, store, id)) {
        if (draft.unnoted !== true) blobs.noteLast(checkpointDir(store, id));
        return meta;
      }
      if (draft.id !== undefined || attempt === 5) {
        throw new CheckpointError('bad-argument', `There is a checkpoint ${id} already.`);
      }
      ports.fs.unlinkSync(path.join(building, 'meta.json'));
      id = nextId(ports, store);
    }
  } catch (error) {
    removeQuietly(ports, building);
    throw error;
  }
}

/** ISO; that of the id, unless its digits are no date. */
function timeOf(ports: Ports, id: CheckpointId): string {
  const time = checkpointTime(id);
  return new Date(Number.isNaN(time) ? ports.now() : time).toISOString();
}

/** Stores the blobs; the result lacks what the id decides. */
function recordOf(draft: CheckpointDraft, blobs: CheckpointBlobs) {
  const { kind, status, group, agent, prompt, label, restores, restoresPart, notCovered = [] } = draft;
  const entries = draft.entries.map((entry, i): Entry => {
    const { path: file, pre, post, provenance, renamedFrom } = entry;
    return {
      path: file,
      pre: blobs.add('pre', i, file, pre),
      ...(post !== undefined && { post: blobs.add('post', i, file, post) }),
      provenance,
      ...(renamedFrom !== undefined && { renamedFrom }),
    };
  });
  const what = { kind, status, group, agent, prompt, label, restores, restoresPart };
  return { version: 1, ...what, entries, notCovered };
}

/** Gives the folder its name, durably; false where the name is taken. One that cannot be made durable is taken back. */
function appear(ports: Ports, building: string, store: StoreLayout, id: CheckpointId): boolean {
  const final = checkpointDir(store, id);
  try {
    rename(ports, building, final);
  } catch (error) {
    const taken = ['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EPERM', 'EACCES'].includes(errorCode(error) ?? '');
    if (taken && ports.fs.lstatSync(final, { throwIfNoEntry: false }) !== undefined) return false;
    throw error;
  }
  try {
    syncDir(ports, store.checkpoints);
  } catch (error) {
    // The caller writes it elsewhere; both would be one change twice.
    removeQuietly(ports, final);
    throw error;
  }
  return true;
}

/**
 * Replaces a checkpoint's metadata in one step. `change` gets the present metadata and a function that stores the
 * blobs of added states; it must be pure otherwise, as it runs again where another process was faster. A record that
 * is not this person's stays foreign.
 * @throws CheckpointError as `readMeta` and {@link writeCheckpoint}; what `change` throws. Then the old metadata
 * stands, unless only its durability failed.
 */
export function updateMeta(
  ports: Ports,
  store: StoreLayout,
  id: CheckpointId,
  change: (meta: Meta, add: AddState) => Meta,
): Meta {
  for (let attempt = 1; ; attempt++) {
    const updated = inStore(ports, store, (within) => tryUpdate(within, store, id, change, attempt === 5));
    if (updated !== undefined) return updated;
  }
}

/** Undefined where the metadata was replaced meanwhile, unless `insist`. */
function tryUpdate(
  ports: Ports,
  store: StoreLayout,
  id: CheckpointId,
  change: (meta: Meta, add: AddState) => Meta,
  insist: boolean,
): Meta | undefined {
  const { meta, stamp } = readMetaWithStamp(ports, store, id);
  const dir = checkpointDir(store, id);
  const blobs = checkpointBlobs(ports, store, dir, blobsOf(dir, meta));
  const temporary = path.join(dir, `${temporaryPrefix}${uniqueSuffix()}`);
  const key = readKey(ports, { create: false });
  let replaced = false;
  try {
    const add: AddState = (...state) => asStoreError(store, () => blobs.add(...state));
    const next = seal({ ...change(meta, add), id }, isForeign(ports, meta, key) ? undefined : key);
    return asStoreError(store, () => {
      blobs.sync({ folders: true, own: true });
      createFile(ports, temporary, serialise(next));
      if (!insist && readMetaWithStamp(ports, store, id).stamp !== stamp) return undefined;
      rename(ports, temporary, metaFile(store, id));
      replaced = true;
      syncDir(ports, dir);
      blobs.noteLast(dir);
      return next;
    });
  } finally {
    if (!replaced) {
      removeQuietly(ports, temporary);
      blobs.remove();
    }
  }
}

const blobsOf = (dir: string, meta: Meta): KnownBlob[] =>
  meta.entries
    .flatMap(({ pre, post }) => [pre, post])
    .filter((state) => state?.type === 'file')
    .map(({ blob, sha256, size }) => ({ path: path.join(dir, ...blob.split('/')), sha256, size }));

function seal(record: object, key: Buffer | undefined): Meta {
  const present = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
  const parsed = v.safeParse(metaSchema, { ...present, mac: '' }, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new CheckpointError('bad-argument', `This cannot be recorded (${v.getDotPath(issue)}: ${issue.message}).`);
  }
  return { ...parsed.output, mac: macOf(parsed.output, key) };
}

function serialise(meta: Meta): string {
  const text = `${JSON.stringify(meta)}\n`;
  if (Buffer.byteLength(text) <= maxMetaBytes) return text;
  throw new CheckpointError(
    'bad-argument',
    `The metadata of ${meta.entries.length} paths is too large for one checkpoint.`,
  );
}

function asStoreError<T>(store: StoreLayout, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckpointError('store-unwritable', `Checkpoints cannot be written to ${store.dir}: ${why}`, {
      cause: error,
    });
  }
}
