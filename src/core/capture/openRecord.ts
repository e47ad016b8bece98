// `index/open/<id>.json`: what is needed to close a checkpoint whose write is not known to be over. Untrusted when read.
import path from 'node:path';
import * as v from 'valibot';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { removeQuietly, writeFileAtomic } from '../state/atomicFile';
import { isCheckpointId, type CheckpointId } from '../store/ids';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { readToEnd, withPlainFile } from '../store/plainFile';
import { ensureIndexDir } from '../store/stores';
import type { Recorded } from './recorded';

export interface OpenEntry {
  /** As in the metadata, relative to the root. */
  readonly path: string;
  readonly recorded?: Recorded;
  /** The entry whose pre-image the expected bytes are derived from; default its own. */
  readonly base?: string;
  /** The write may well leave this path as it was: a folder above, a link on the way. */
  readonly optional?: true;
  /** SHA-256 of the file on disk where the pre-image is an editor's unsaved text. */
  readonly disk?: string;
}

export interface OpenRecord {
  readonly id: CheckpointId;
  /** ms since the epoch. */
  readonly at: number;
  /** See `callKey`. */
  readonly call?: string;
  readonly session?: string;
  readonly tool?: string;
  /** The absolute paths as the call named them, sorted: pairs the post event of a call without an id. */
  readonly named: readonly string[];
  readonly entries: readonly OpenEntry[];
}

const printSchema = v.union([
  v.picklist(['absent', 'directory']),
  v.object({ sha256: v.string(), size: v.number(), newline: v.boolean() }),
]);

const inputSchema = v.variant('type', [
  v.object({
    type: v.literal('edits'),
    edits: v.array(v.object({ oldText: v.string(), newText: v.string(), all: v.exactOptional(v.boolean()) })),
  }),
  v.object({ type: v.literal('patch'), lines: v.array(v.string()) }),
  v.object({ type: v.literal('notebook'), mode: v.picklist(['insert', 'edit', 'delete']), source: v.string() }),
]);

const entrySchema = v.object({
  path: v.string(),
  recorded: v.exactOptional(
    v.variant('type', [
      v.object({ type: v.literal('prints'), prints: v.array(printSchema) }),
      v.object({ type: v.literal('input'), input: inputSchema }),
    ]),
  ),
  base: v.exactOptional(v.string()),
  optional: v.exactOptional(v.literal(true)),
  disk: v.exactOptional(v.string()),
});

const recordSchema = v.object({
  id: v.custom<CheckpointId>(isCheckpointId),
  at: v.number(),
  call: v.exactOptional(v.string()),
  session: v.exactOptional(v.string()),
  tool: v.exactOptional(v.string()),
  named: v.array(v.string()),
  entries: v.array(entrySchema),
});

const fileOf = (store: StoreLayout, id: CheckpointId) => path.join(store.index, 'open', `${id}.json`);

/** Throws the system's error. Not flushed: without it a checkpoint is closed later and less surely, nothing is lost. */
export function writeOpenRecord(ports: Ports, store: StoreLayout, record: OpenRecord): void {
  inStore(ports, store, (within) => {
    ensureIndexDir(within, store, 'open');
    writeFileAtomic(within, fileOf(store, record.id), JSON.stringify(record), { flush: false });
  });
}

/** Never throws. */
export function removeOpenRecord(ports: Ports, store: StoreLayout, id: CheckpointId): void {
  try {
    inStore(ports, store, (within) => removeQuietly(within, fileOf(store, id)));
  } catch {
    // An index that leads elsewhere holds nothing of ours.
  }
}

const maxRecordBytes = 64 * 2 ** 20;

/** Undefined where there is none or it makes no sense. */
export function readOpenRecord(ports: Ports, store: StoreLayout, id: CheckpointId): OpenRecord | undefined {
  try {
    const text = inStore(ports, store, (within) =>
      withPlainFile(within, fileOf(store, id), (fd, { size }) =>
        size > maxRecordBytes ? '' : readToEnd(within, fd, size).toString('utf8'),
      ),
    );
    const found = v.safeParse(recordSchema, JSON.parse(text));
    return found.success && found.output.id === id ? found.output : undefined;
  } catch {
    return undefined;
  }
}

/** Oldest first. None where the store has no such index, or one that leads elsewhere. */
export function openIds(ports: Ports, store: StoreLayout): CheckpointId[] {
  try {
    const dir = path.join(store.index, 'open');
    const names = inStore(ports, store, ({ fs }) => {
      const inner = [store.dir, store.index, dir].every((each) => fs.lstatSync(each).isDirectory());
      return inner ? fs.readdirSync(dir) : [];
    });
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter(isCheckpointId)
      .sort();
  } catch (error) {
    if (errorCode(error) === undefined && !CheckpointError.is(error)) throw error;
    return [];
  }
}
