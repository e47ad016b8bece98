// The checkpoint that a restore takes of what it replaces. It also holds the bytes that each path becomes, so that
// an interrupted restore can be told from a person's work, and so that the restore itself can be taken back.
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import type { BlobSource, DraftEntry, DraftState } from '../store/draft';
import { inStore } from '../store/inStore';
import { verifyKnown, type KnownBlob } from '../store/lastBlob';
import type { StoreLayout } from '../store/layout';
import type { FileState, Meta, State } from '../store/meta';
import { blobFile } from '../store/storedBlob';
import type { RootStores } from '../store/stores';
import { updateMeta, writeCheckpoint } from '../store/writer';
import { displayPath, pathOfKey } from './relativePath';
import type { Found } from './snapshot';
import { sameBytes, sameState } from './states';
import { acts } from './settle';
import type { PlanStep } from './types';

/** A step of the plan as apply carries it out. */
export interface Item {
  readonly step: PlanStep;
  readonly found: Found;
  /** Its place in the guard. */
  readonly entry: number;
}

export interface Guard {
  readonly meta: Meta;
  readonly store: StoreLayout;
}

/** Paths of a restore that are noted in the index of last blobs. */
const maxNoted = 50;

/** Where the blobs of a plan are. */
export type StoreOf = (id: string) => StoreLayout;

/**
 * Durable on return, in the root's store or, where that cannot be written, in the one in user state.
 * @throws CheckpointError `store-unwritable` where neither takes it; `changed-meanwhile` where what was copied is not
 * what the plan saw
 */
export function writeGuard(
  ports: Ports,
  stores: RootStores,
  label: string,
  items: readonly Item[],
  storeOf: StoreOf,
): Guard {
  const parts = items.flatMap(({ step }) => step.takesPart ?? []);
  const draft = {
    kind: 'restore' as const,
    status: 'pending' as const,
    label: label.slice(0, 1000),
    restores: items.flatMap(({ step }) => step.takes),
    ...(items.length > maxNoted && { unnoted: true as const }),
    ...(parts.length > 0 && { restoresPart: parts }),
    entries: inStore(ports, stores.primary, (within) => items.map((item) => draftEntry(within, stores, item, storeOf))),
  };
  let guard: Guard;
  try {
    guard = { store: stores.primary, meta: writeCheckpoint(ports, stores.primary, draft) };
  } catch (error) {
    if (!CheckpointError.is(error, 'store-unwritable') && !CheckpointError.is(error, 'store-refused')) throw error;
    guard = { store: stores.fallback, meta: writeCheckpoint(ports, stores.fallback, draft) };
  }
  for (const [i, { step, found }] of items.entries()) {
    const { pre, post } = guard.meta.entries[i]!;
    if (sameState(pre, found.state) && post !== undefined && sameState(post, resultOf(step))) continue;
    abandonGuard(ports, guard);
    throw new CheckpointError('changed-meanwhile', `${displayPath(step.path)} changed while it was saved. Try again.`);
  }
  return guard;
}

/** A step that changes nothing keeps what is there. */
export const resultOf = (step: PlanStep): State => (acts(step) ? step.result : step.current);

function draftEntry(ports: Ports, stores: RootStores, item: Item, storeOf: StoreOf): DraftEntry {
  const { step, found } = item;
  const result = resultOf(step);
  const pre = draftState(found.state, (state) => currentSource(ports, stores, step, found, state, storeOf));
  const post =
    result === step.current || sameState(result, found.state)
      ? pre
      : draftState(result, (state) => resultSource(ports, stores, item, state, storeOf));
  return { path: step.path, pre, post, provenance: 'before-write' };
}

function draftState(state: State, source: (state: FileState) => BlobSource): DraftState {
  return state.type === 'file' ? { type: 'file', mode: state.mode, source: source(state) } : state;
}

function currentSource(
  ports: Ports,
  { root }: RootStores,
  step: PlanStep,
  { bytes, real }: Found,
  state: FileState,
  storeOf: StoreOf,
): BlobSource {
  const same = sameAlready(ports, step, storeOf);
  if (bytes) return { type: 'bytes', bytes, sha256: state.sha256, ...(same && { same }) };
  if (same?.verified) return { type: 'link', ...same };
  const at = pathOfKey(real);
  if (typeof at === 'string') return { type: 'file', path: path.join(root, ...at.split('/')) };
  throw new CheckpointError(
    'failed',
    `${displayPath(step.path)} cannot be saved: it has ${state.size} bytes and a name that is not UTF-8.`,
  );
}

/** A blob that is verified to hold what the path has now. */
function sameAlready(ports: Ports, { currentOf }: PlanStep, storeOf: StoreOf): KnownBlob | undefined {
  if (currentOf === undefined) return undefined;
  const { id, state } = currentOf;
  try {
    const store = storeOf(id);
    const { sha256, size } = state;
    const known = { path: blobFile(ports, store, id, state), sha256, size };
    return verifyKnown(ports, store, known) ? { ...known, verified: true } : undefined;
  } catch {
    // It is gone, or damaged: then the bytes are stored again.
    return undefined;
  }
}

function resultSource(ports: Ports, stores: RootStores, item: Item, state: FileState, storeOf: StoreOf): BlobSource {
  const { step, found } = item;
  const { merged, blobOf, path: file } = step;
  if (merged) return { type: 'bytes', bytes: merged };
  // Only the mode changes.
  if (found.state.type === 'file' && sameBytes(found.state, state)) {
    return currentSource(ports, stores, step, found, state, storeOf);
  }
  if (blobOf === undefined) throw new CheckpointError('failed', `The bytes of ${displayPath(file)} are not known.`);
  const { sha256, size } = state;
  // It was read and verified a moment ago.
  return { type: 'link', path: blobFile(ports, storeOf(blobOf), blobOf, state), sha256, size, verified: true };
}

/**
 * The guard once all is over. Entries of `done` (by index) were brought to their result; the others are as they were,
 * and take nothing back.
 */
export function finishGuard(
  ports: Ports,
  { meta, store }: Guard,
  done: ReadonlySet<number>,
  restores: NonNullable<Meta['restores']>,
): Meta {
  return updateMeta(ports, store, meta.id, (found) => ({
    ...found,
    status: 'done',
    restores,
    entries: found.entries.map((entry, i) => (done.has(i) ? entry : { ...entry, post: entry.pre })),
  }));
}

/** Nothing of the restore is left; the bytes stay for who wants them. */
export function abandonGuard(ports: Ports, { meta, store }: Guard): void {
  updateMeta(ports, store, meta.id, (found) => ({ ...found, status: 'abandoned', restores: [] }));
}
