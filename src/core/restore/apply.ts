// Carrying out a plan. The order is what makes it safe: every blob is verified, then what is there is saved in a
// guard, then the journal is written, and only then the first path is touched. Any failure puts everything back.
//
// Durability: guard and journal are on the disk before the first write; the bytes of each file before it takes its
// place; the names of all before the guard is marked and the journal goes. A power cut in between finds guard and
// journal.
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import { acquireLock } from '../store/lock';
import type { CheckpointId } from '../store/ids';
import type { StoreLayout } from '../store/layout';
import { inStore } from '../store/inStore';
import { isForeign } from '../store/mac';
import type { FileState, State } from '../store/meta';
import { listIds, readMeta } from '../store/reader';
import type { RootStores } from '../store/stores';
import { flushWritten, type Written } from './flushWritten';
import { Folders } from './folder';
import { abandonGuard, finishGuard, writeGuard, type Guard, type Item, type StoreOf } from './guard';
import { recoverRoot } from './journal';
import { removeJournal, temporaryName, writeJournal } from './journalFile';
import { storesById } from './load';
import { prepare, type Prepared } from './prepare';
import { putBack, type Left, type Unfinished } from './putBack';
import { comparePaths, displayPath, pathOfKey } from './relativePath';
import { Report, predicted, withPath } from './report';
import { acts } from './settle';
import { setPath, type PathChange } from './setPath';
import type { PathRules } from './safePath';
import { holdsBytes, look, type Unsaved } from './snapshot';
import { batches, Staging } from './staging';
import { sameBytes, sameState } from './states';
import type { EditorReply, PlanStep, RestoreOutcome, RestorePlan, RestoreProgress } from './types';

export interface ApplyOptions {
  /** Changes nothing at all, and says what would happen. */
  readonly dryRun?: boolean | undefined;
  /** The present unsaved text of editors; without it, paths in an editor are skipped. */
  readonly unsaved?: Unsaved | undefined;
  /** ms to wait for another restore; default as the lock's. */
  readonly waitMs?: number | undefined;
}

/** A restore that failed. All paths are as before, except those named in `left`, whose bytes the guard holds. */
export class RestoreFailed extends CheckpointError {
  constructor(
    message: string,
    readonly guard: string,
    readonly left: readonly Left[],
    options: { cause: unknown },
  ) {
    super('failed', message, options);
    this.name = 'RestoreFailed';
  }
}

/**
 * Yields after each path, and for each edit that an editor has to make. To cancel, `throw` into it or `return` it:
 * everything is put back.
 * @throws RestoreFailed; CheckpointError `locked`, `store-unwritable`, `changed-meanwhile` (another restore came
 * first: plan again), and then nothing was changed
 */
export function* applyPlan(
  ports: Ports,
  stores: RootStores,
  plan: RestorePlan,
  options: ApplyOptions = {},
): Generator<RestoreProgress, RestoreOutcome, EditorReply | void> {
  if (options.dryRun) return predicted(plan);
  const { waitMs } = options;
  const lock = acquireLock(ports, stores, 'a restore', waitMs === undefined ? {} : { waitMs });
  const folders = new Folders(ports, stores.root);
  try {
    refuseStale(ports, stores, plan);
    const report = new Report(plan);
    const storeOf = storesById(ports, stores);
    const prepared = inStore(ports, stores.primary, (within) =>
      prepare(folders, within, storeOf, plan, options.unsaved, report),
    );
    if (prepared.items.length === 0) return report.outcome(null);
    return yield* carryOut(folders, stores, plan, prepared, report, storeOf);
  } finally {
    folders.close();
    lock.release();
  }
}

function refuseStale(ports: Ports, stores: RootStores, plan: RestorePlan): void {
  const stale = (what: string) => new CheckpointError('changed-meanwhile', `${what} Look at the plan again.`);
  if (recoverRoot(ports, stores).length > 0) throw stale('An interrupted restore was dealt with first.');
  for (const { id, store } of listIds(ports, stores)) {
    if (plan.newest !== undefined && id <= plan.newest) return;
    if (isRestore(ports, store, id)) throw stale('Another restore came first.');
  }
}

/** One of this person's: what is damaged, or came with a clone, did nothing here. */
function isRestore(ports: Ports, store: StoreLayout, id: CheckpointId): boolean {
  try {
    const meta = readMeta(ports, store, id);
    return meta.kind === 'restore' && meta.status !== 'abandoned' && !isForeign(ports, meta);
  } catch (error) {
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}

function* carryOut(
  folders: Folders,
  stores: RootStores,
  plan: RestorePlan,
  { items, bytes }: Prepared,
  report: Report,
  storeOf: StoreOf,
): Generator<RestoreProgress, RestoreOutcome, EditorReply | void> {
  const { ports } = folders;
  const guard = writeGuard(ports, stores, plan.label, items, storeOf);
  const written = inOrder(items.filter(({ step }) => acts(step) && !step.inEditor));
  const editors = items.filter(({ step }) => acts(step) && step.inEditor);
  const done = new Set(items.filter(({ step }) => !acts(step)).map(({ entry }) => entry));
  const restores = (of: readonly Item[]) => of.flatMap(({ step }) => step.takes);
  const foreign = items.filter(({ step }) => step.foreign).map(({ entry }) => entry);
  const started: Item[] = [];
  const unfinished = (): Unfinished => ({
    guard: guard.meta,
    store: guard.store,
    order: started.map(({ entry }) => entry),
    rules: (entry) => ({ windows: isWindows, foreign: foreign.includes(entry) }),
  });
  let over = false;
  let count = 0;
  let staging: Staging | undefined;
  const toFlush: Written[] = [];
  try {
    if (written.length > 0) {
      writeJournal(ports, {
        version: 1,
        guard: guard.meta.id,
        root: stores.root,
        fallback: guard.store === stores.fallback,
        entries: guard.meta.entries,
        order: written.map(({ entry }) => entry),
        restores: restores(items.filter((item) => !editors.includes(item))),
        foreign,
      });
    }
    const inPlace = withAttributes(ports, stores.root, written);
    staging = new Staging(folders, (item) => changeOf(guard, item, bytes, inPlace.has(item)));
    for (const batch of batches(written)) {
      staging.stage(batch);
      for (const item of batch) {
        const change = { ...staging.changeOf(item), staged: staging.take(item) };
        started.push(item);
        if (writeOne(folders, item, change, report)) {
          done.add(item.entry);
          toFlush.push({ ...change, isLate: change.to.type === 'file' && !change.staged });
        } else started.pop();
        yield { type: 'path', path: displayPath(item.step.path), done: ++count, total: written.length };
      }
    }
    flushWritten(folders, toFlush);
    for (const item of editors) {
      const { path: file, result } = item.step;
      const reply = yield { type: 'editor', path: file, bytes: bytes(guard, item, result as FileState) };
      if (reply?.applied) done.add(item.entry);
      report.add(item.step, reply?.applied ? 'done' : 'conflict', 'the editor did not take the change');
    }
    if (done.size > 0) finishGuard(ports, guard, done, restores(items.filter(({ entry }) => done.has(entry))));
    else abandonGuard(ports, guard);
    over = true;
    removeJournal(ports, guard.meta.id);
    return report.outcome(done.size > 0 ? guard.meta.id : null);
  } catch (error) {
    over = true;
    staging?.discard();
    throw undone(folders, guard, unfinished(), error);
  } finally {
    // Ended by `return`.
    if (!over) {
      staging?.discard();
      undone(folders, guard, unfinished(), undefined);
    }
  }
}

const rulesOf = ({ foreign }: { foreign?: true }) => ({ windows: isWindows, foreign: foreign === true });

/** Deletions first, the deepest first; then folders that come back, the highest first; then what is in them. */
function inOrder(items: readonly Item[]): Item[] {
  const of = (...types: State['type'][]) => items.filter(({ step }) => types.includes(step.result.type));
  const compare = (a: Item, b: Item) => comparePaths(a.step.path, b.step.path);
  return [
    ...of('absent').sort((a, b) => compare(b, a)),
    ...of('directory').sort(compare),
    ...of('file', 'symlink', 'unreadable').sort(compare),
  ];
}

/** Files whose access control list or extended attributes a new file would lack. */
function withAttributes(ports: Ports, root: string, items: readonly Item[]): ReadonlySet<Item> {
  if (ports.hasAttributes === undefined) return new Set();
  const files = items.flatMap((item) => {
    const { step, found } = item;
    const real = pathOfKey(found.real);
    const replaced = step.current.type === 'file' && step.result.type === 'file' && typeof real === 'string';
    return replaced ? [{ item, file: path.join(root, real) }] : [];
  });
  const has = files.length === 0 ? [] : ports.hasAttributes(files.map(({ file }) => file));
  return new Set(files.filter((_, i) => has[i]).map(({ item }) => item));
}

const changeOf = (guard: Guard, item: Item, bytes: Prepared['bytes'], inPlace: boolean): PathChange => ({
  path: item.step.path,
  from: item.step.current,
  to: item.step.result,
  rules: rulesOf(item.step),
  bytes: () => bytes(guard, item, item.step.result as FileState),
  temporary: temporaryName(guard.meta.id, item.entry),
  seen: item.found,
  inPlace,
});

/** False where the path is left as it is. */
function writeOne(folders: Folders, { step }: Item, change: PathChange, report: Report): boolean {
  const { rules } = change;
  let removed: boolean;
  try {
    removed = setPath(folders, change);
  } catch (error) {
    if (CheckpointError.is(error, 'changed-meanwhile')) report.add(step, 'conflict', 'it was changed meanwhile');
    else if (CheckpointError.is(error, 'refused-path')) report.add(step, 'skipped', error.message);
    else throw withPath(step.path, error);
    return false;
  }
  if (!removed) {
    report.add(step, 'unchanged');
    return false;
  }
  if (!readsBack(folders, step, rules)) throw withPath(step.path, new Error('it does not read back as it was written'));
  report.add(step, 'done');
  return true;
}

function readsBack(folders: Folders, { path, result }: PlanStep, rules: PathRules): boolean {
  if (result.type === 'file' && holdsBytes(folders, path, result, rules)) return true;
  const now = look(folders, path, { rules }).state;
  // A file system that keeps no modes is not a failure of this one.
  return now.type === 'file' && result.type === 'file' ? sameBytes(now, result) : sameState(now, result);
}

/** Puts everything back; the error that says so. */
function undone(folders: Folders, guard: Guard, unfinished: Unfinished, cause: unknown): CheckpointError {
  const { ports } = folders;
  const why = cause instanceof Error ? cause.message : String(cause);
  const left = putBack(folders, unfinished);
  const problems: unknown[] = [];
  if (left.length === 0) {
    try {
      abandonGuard(ports, guard);
      removeJournal(ports, guard.meta.id);
    } catch (error) {
      problems.push(error);
    }
  }
  if (left.length === 0 && CheckpointError.is(cause, 'cancelled')) return cause;
  const paths = left.map(({ path, reason }) => `\n  ${path}: ${reason}`).join('');
  const message =
    left.length === 0
      ? `Nothing was restored: ${why}. All paths are as they were before.`
      : `The restore failed (${why}), and these could not be put back:${paths}\nTheir bytes from before are in checkpoint ${guard.meta.id}. The next start tries again.`;
  const errors = [cause, ...left.map(({ path, reason }) => new Error(`${path}: ${reason}`)), ...problems];
  return new RestoreFailed(message, guard.meta.id, left, {
    cause: errors.length > 1 ? new AggregateError(errors) : cause,
  });
}
