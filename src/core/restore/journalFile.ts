// The record of a restore under way, in user state: what the next start needs to finish it or to go back. It is the
// only thing that recovery acts on; a store cannot ask for one, as it bears a keyed hash and lies outside of it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { ensureDir, writeFileAtomic } from '../state/atomicFile';
import { readJson } from '../state/jsonFile';
import { readKey } from '../state/key';
import { isCheckpointId, type CheckpointId } from '../store/ids';
import { metaSchema } from '../store/meta';

const index = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const journalSchema = v.object({
  version: v.literal(1),
  /** The checkpoint that holds the bytes before and after. */
  guard: v.custom<CheckpointId>(isCheckpointId),
  /** Absolute real path of the workspace root. */
  root: v.string(),
  /** The guard is in the store in user state. */
  fallback: v.boolean(),
  /** As in the guard; `post` is what each path is to become. */
  entries: metaSchema.entries.entries,
  /** The entries that are written, in that order; the others are not touched. */
  order: v.array(index),
  /** What the restore takes back where it is completed without an editor. */
  restores: v.array(v.object({ id: v.custom<CheckpointId>(isCheckpointId), entry: index })),
  /** Entries under the stricter rules for paths. */
  foreign: v.array(index),
  mac: v.string(),
});

export type Journal = v.InferOutput<typeof journalSchema>;

const folder = (ports: Ports) => path.join(ports.stateDir, 'journal');
const fileOf = (ports: Ports, guard: CheckpointId) => path.join(folder(ports), `${guard}.json`);

/** A name that only this restore uses, for the file that takes the place of entry `entry`. */
export const temporaryName = (guard: CheckpointId, entry: number): string => `.checkpoint-${guard.slice(-10)}-${entry}`;

/**
 * Durable on return.
 * @throws CheckpointError `store-unwritable`
 */
export function writeJournal(ports: Ports, journal: Omit<Journal, 'mac'>): void {
  const key = readKey(ports, { create: true });
  try {
    if (key === undefined) throw new Error('its key cannot be read or made');
    ensureDir(ports, folder(ports));
    writeFileAtomic(ports, fileOf(ports, journal.guard), JSON.stringify({ ...journal, mac: macOf(journal, key) }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckpointError(
      'store-unwritable',
      `Nothing was restored: ${ports.stateDir} cannot be written (${why}), and without it an interrupted restore could not be completed.`,
      { cause: error },
    );
  }
}

export function removeJournal(ports: Ports, guard: CheckpointId): void {
  ports.fs.rmSync(fileOf(ports, guard), { force: true });
}

/** Keeps a record that recovery can do nothing about, out of its way. */
export function setAsideJournal(ports: Ports, guard: CheckpointId): void {
  ports.fs.renameSync(fileOf(ports, guard), `${fileOf(ports, guard)}.left`);
}

/** The valid ones; those that are no records of this person's are passed over. */
export function readJournals(ports: Ports): Journal[] {
  let names: string[];
  try {
    names = ports.fs.readdirSync(folder(ports));
  } catch {
    return [];
  }
  const key = readKey(ports, { create: false });
  return names.sort().flatMap((name) => {
    if (!name.endsWith('.json')) return [];
    const found = v.safeParse(journalSchema, readJson(ports, path.join(folder(ports), name)));
    if (!found.success || key === undefined || name !== `${found.output.guard}.json`) return [];
    const { mac, ...journal } = found.output;
    const expected = Buffer.from(macOf(journal, key));
    const same = expected.length === Buffer.byteLength(mac) && timingSafeEqual(expected, Buffer.from(mac));
    return same ? [found.output] : [];
  });
}

function macOf(journal: Omit<Journal, 'mac'>, key: Uint8Array): string {
  const parsed = v.parse(v.omit(journalSchema, ['mac']), journal);
  // Named, so that no record of another kind can pass for one of these.
  return createHmac('sha256', key).update('journal\n').update(JSON.stringify(parsed)).digest('base64url');
}
