// Checks a whole store: every record against the schema, every blob against its hash.
import type { Ports } from '../ports';
import type { FileState, Meta } from './meta';
import { listStored, readMeta, reasonOf, type StoredId } from './reader';
import { blobFile, verifyBlob } from './storedBlob';
import type { RootStores } from './stores';
import { sweep } from './sweep';

export interface Finding {
  /** A checkpoint's id, or `store`. */
  readonly id: string;
  /** Relative to the root; absent where the whole record is damaged. */
  readonly path?: string;
  readonly reason: string;
}

export interface Diagnosis {
  /** How many were checked, the damaged ones included. */
  readonly checkpoints: number;
  readonly damaged: Finding[];
  /** How many leftovers were removed. */
  readonly swept: number;
}

/** `onProgress` gets the count checked so far and the total. Throws only what it throws (to cancel). */
export function doctor(
  ports: Ports,
  stores: RootStores,
  onProgress?: (checked: number, total: number) => void,
): Diagnosis {
  const steps = doctorSteps(ports, stores);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    onProgress?.(step.value.checked, step.value.total);
  }
}

/** As {@link doctor}, yielding after each checkpoint: an editor stays alive meanwhile, and can leave off. */
export function* doctorSteps(
  ports: Ports,
  stores: RootStores,
): Generator<{ readonly checked: number; readonly total: number }, Diagnosis> {
  const swept = sweep(ports, stores);
  const { stored, damaged: refused } = listStored(ports, stores);
  const damaged: Finding[] = [...refused];
  // Hard-linked blobs are one file: each inode is read once for each hash that it should have.
  const good = new Set<string>();
  for (const [i, each] of stored.entries()) {
    damaged.push(...check(ports, each, good));
    yield { checked: i + 1, total: stored.length };
  }
  return { checkpoints: stored.length, damaged, swept };
}

function check(ports: Ports, { id, store }: StoredId, good: Set<string>): Finding[] {
  let meta: Meta;
  try {
    meta = readMeta(ports, store, id);
  } catch (error) {
    return [{ id, reason: reasonOf(error) }];
  }
  return meta.entries.flatMap(({ path, pre, post }) =>
    [pre, post]
      .filter((state) => state?.type === 'file')
      .flatMap((state) => {
        const reason = problemOf(ports, { id, store }, state, good);
        return reason === undefined ? [] : [{ id, path: shownPath(path), reason }];
      }),
  );
}

function problemOf(ports: Ports, { id, store }: StoredId, state: FileState, good: Set<string>): string | undefined {
  try {
    const file = blobFile(ports, store, id, state);
    const stat = ports.fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
    const identity = `${stat?.dev}:${stat?.ino}:${stat?.size}:${state.sha256}:${state.size}`;
    if (stat?.isFile() === true && good.has(identity)) return undefined;
    verifyBlob(ports, store, id, state);
    good.add(identity);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

const shownPath = (path: Meta['entries'][number]['path']) =>
  typeof path === 'string' ? path : Buffer.from(path.bytes, 'base64').toString('utf8');
