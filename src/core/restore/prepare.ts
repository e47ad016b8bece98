// The last look before anything is written: which steps of a plan can still be carried out, with verified bytes.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import type { FileState } from '../store/meta';
import { readBlob, verifyBlob } from '../store/storedBlob';
import { isWindows } from '../state/platform';
import type { Folders } from './folder';
import type { Guard, Item, StoreOf } from './guard';
import type { Report } from './report';
import { acts } from './settle';
import { look, lookIfAsBefore, small, type Found, type Unsaved } from './snapshot';
import { absent, sameBytes, sameState } from './states';
import { pathKey } from './relativePath';
import type { PlanStep, RestorePlan } from './types';

export interface Prepared {
  /** In the order of the guard's entries. */
  readonly items: readonly Item[];
  /** The bytes that a step's path becomes. @throws CheckpointError `damaged` */
  readonly bytes: (guard: Guard, item: Item, result: FileState) => Uint8Array;
}

/** Bytes of results that are kept between verifying and writing; beyond, they are read again. */
const maxKept = 256 * 1024 * 1024;

/**
 * Steps that take nothing back and change nothing are only reported; so is what cannot be done.
 * @param reading for the blobs
 */
export function prepare(
  folders: Folders,
  reading: Ports,
  storeOf: StoreOf,
  plan: RestorePlan,
  unsaved: Unsaved | undefined,
  report: Report,
): Prepared {
  const items: Item[] = [];
  const kept = new Map<Item, Uint8Array>();
  let size = 0;
  for (const step of plan.steps) {
    if (step.action === 'conflict') report.add(step, 'conflict', step.reason);
    else if (step.action === 'refused') report.add(step, 'skipped', step.reason);
    else if (step.action === 'keep') report.add(step, 'unchanged');
    if (!acts(step) && (step.action !== 'keep' || step.takes.length === 0)) continue;
    if (acts(step) && step.inEditor && !unsaved) {
      report.add(step, 'skipped', 'it has unsaved text in an editor: save it there, then restore again');
      continue;
    }
    const found = lookAgain(folders, step, unsaved);
    if (found === undefined || !sameState(found.state, step.current)) {
      // What is to be kept and changed meanwhile is not taken back after all.
      if (acts(step)) report.add(step, 'conflict', 'it was changed since the plan was made');
      continue;
    }
    const item: Item = { step, found, entry: items.length };
    if (acts(step) && step.result.type === 'file') {
      let bytes: Uint8Array | undefined;
      try {
        bytes = verifiedBytes(reading, storeOf, item, step.result);
      } catch (error) {
        if (!CheckpointError.is(error)) throw error;
        report.add(step, 'skipped', error.message);
        continue;
      }
      if (bytes && size + bytes.length <= maxKept) {
        kept.set(item, bytes);
        size += bytes.length;
      }
    }
    items.push(item);
  }
  return { items, bytes: (guard, item, result) => kept.get(item) ?? fromGuard(folders, guard, item, result) };
}

function lookAgain(folders: Folders, step: PlanStep, unsaved: Unsaved | undefined): Found | undefined {
  if (step.underReplaced) return { state: absent, real: pathKey(step.path), missingParents: 0 };
  const rules = { windows: isWindows, foreign: step.foreign === true };
  // The bytes are needed where nothing that is stored already has them.
  const known = !step.inEditor && step.currentOf && lookIfAsBefore(folders, step.path, step.current, rules);
  if (known) return known;
  const found = look(folders, step.path, { rules, unsaved: step.inEditor && unsaved, keep: true });
  return found.refused !== undefined || found.inEditor !== step.inEditor ? undefined : found;
}

/** Undefined for what is verified but too large to keep. */
function verifiedBytes(ports: Ports, storeOf: StoreOf, { step, found }: Item, result: FileState) {
  if (step.merged) return step.merged;
  if (found.state.type === 'file' && sameBytes(found.state, result)) return found.bytes;
  if (step.blobOf === undefined) throw new CheckpointError('failed', 'its bytes are not known');
  const store = storeOf(step.blobOf);
  if (result.size <= small) return readBlob(ports, store, step.blobOf, result);
  verifyBlob(ports, store, step.blobOf, result);
  return undefined;
}

/** The guard has the bytes of what each path becomes. */
function fromGuard({ ports }: Folders, { meta, store }: Guard, { entry }: Item, result: FileState): Uint8Array {
  const { post } = meta.entries[entry]!;
  if (post?.type !== 'file' || !sameBytes(post, result)) throw new CheckpointError('failed', 'its bytes are not known');
  return readBlob(ports, store, meta.id, post);
}
