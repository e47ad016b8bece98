// The door to restoring: make a plan, show it, run it.
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import { unsavedPaths } from '../state/unsaved';
import { acquireLock } from '../store/lock';
import { readBlob } from '../store/storedBlob';
import { rootStores, type RootStores } from '../store/stores';
import { applyPlan, type ApplyOptions } from './apply';
import { Folders } from './folder';
import { recoverRoot } from './journal';
import { readJournals } from './journalFile';
import { loadHistory, type Loaded } from './load';
import { hunksOf, planHunk, type HunkList } from './hunkPlan';
import type { MergeSides } from './mergeSides';
import { makePlan, planMerge, type PlanSources } from './plan';
import { displayPath } from './relativePath';
import { newestRestore, newestTurn, select, type Selection } from './select';
import { look, readFound, type Unsaved } from './snapshot';
import { sameState } from './states';
import type { Decisions, OnConflict, PlanStep, RestoreOutcome, RestorePlan, RestoreTarget } from './types';

export { applyPlan, RestoreFailed, type ApplyOptions } from './apply';

export interface PlanOptions {
  /** What becomes of paths that a person may have changed; default `refuse`. */
  readonly onConflict?: OnConflict | undefined;
  /** What a person decided for single paths; goes before `onConflict`. Not for mode `hunk`. */
  readonly decisions?: Decisions | undefined;
  /** Checkpoints count that are not known to be this person's. */
  readonly foreign?: boolean | undefined;
  /** Unsaved text of the editors that can take a change, as bytes, by relative path. */
  readonly unsaved?: Unsaved | undefined;
  /** Nothing is written at all, also not what was learned about calls that were still open. For a dry run. */
  readonly readOnly?: boolean | undefined;
}

/**
 * What taking back `target` would do. `root` is an absolute folder.
 * @throws CheckpointError `not-found`, `bad-argument`, `foreign`, `damaged` (the target), `store-refused`
 */
export function planRestore(ports: Ports, root: string, target: RestoreTarget, options: PlanOptions = {}): RestorePlan {
  if (target.mode === 'hunk') {
    return withSources(ports, root, options, (loaded, sources, realRoot) => {
      refuseUnusable(loaded, target, options);
      return planHunk(realRoot, loaded.history, target, sources);
    });
  }
  return plan(ports, root, options, (loaded) => {
    refuseUnusable(loaded, target, options);
    return select(loaded.history, target);
  });
}

/**
 * The regions of a change, for showing: `target` as for mode `hunk`, whatever its index. A text says why it cannot be
 * taken apart. Nothing is written. Errors as {@link planRestore}.
 */
export function listHunks(
  ports: Ports,
  root: string,
  target: RestoreTarget,
  options: PlanOptions = {},
): HunkList | string {
  const loaded = loadHistory(ports, rootStores(ports, root), { ...options, readOnly: true });
  refuseUnusable(loaded, target, options);
  return hunksOf(loaded.history, target, (id, state) => readBlob(ports, loaded.storeOf(id), id, state));
}

/**
 * What a person needs to merge one path of a plan by hand. A text says why it cannot be merged. Nothing is written.
 * Errors as {@link planRestore}.
 */
export function mergeSides(
  ports: Ports,
  root: string,
  step: Pick<PlanStep, 'path' | 'takes'>,
  options: PlanOptions = {},
): MergeSides | string {
  return withSources(ports, root, { ...options, readOnly: true }, ({ history }, sources) =>
    planMerge(history, step, sources),
  );
}

/**
 * The bytes of a file as the plan found it, or of its unsaved text.
 * @throws CheckpointError `changed-meanwhile` where they are others now; `refused-path`
 */
export function readNow(ports: Ports, { root }: RestorePlan, step: PlanStep, unsaved?: Unsaved): Buffer {
  const folders = new Folders(ports, root);
  const rules = { windows: isWindows, foreign: step.foreign === true };
  try {
    const found = look(folders, step.path, { rules, unsaved });
    if (found.refused !== undefined) throw new CheckpointError('refused-path', found.refused);
    if (!sameState(found.state, step.current)) {
      throw new CheckpointError('changed-meanwhile', `${displayPath(step.path)} was changed since the plan was made.`);
    }
    return readFound(folders, step.path, found, rules);
  } finally {
    folders.close();
  }
}

function refuseUnusable({ foreign, damaged }: Loaded, { id }: RestoreTarget, options: PlanOptions): void {
  if (foreign.has(id) && !options.foreign) {
    throw new CheckpointError(
      'foreign',
      `Checkpoint ${id} was not made by you on this computer, so it may hold anything. Look at it with \`show\` and \`diff\`; --foreign restores from it all the same.`,
    );
  }
  const broken = damaged.find((each) => each.id === id);
  if (broken) throw new CheckpointError('damaged', `Checkpoint ${id} is damaged. ${broken.reason}`);
}

/** Takes back the newest turn that stands. Errors as {@link planRestore}; `not-found` where there is none. */
export function planUndo(ports: Ports, root: string, options: PlanOptions = {}): RestorePlan {
  return plan(ports, root, options, ({ history }) => {
    const selection = newestTurn(history);
    if (selection === undefined) throw new CheckpointError('not-found', 'There is nothing to undo.');
    return selection;
  });
}

/** Takes back the newest restore in force. Errors as {@link planRestore}; `not-found` where there is none. */
export function planRedo(ports: Ports, root: string, options: PlanOptions = {}): RestorePlan {
  return plan(ports, root, options, ({ history }) => {
    const selection = newestRestore(history);
    if (selection === undefined) throw new CheckpointError('not-found', 'There is nothing to redo.');
    return selection;
  });
}

function plan(ports: Ports, root: string, options: PlanOptions, choose: (loaded: Loaded) => Selection): RestorePlan {
  return withSources(ports, root, options, (loaded, sources, realRoot) => {
    const selection = choose(loaded);
    const made = makePlan(
      realRoot,
      loaded.history,
      selection,
      options.onConflict ?? 'refuse',
      sources,
      options.decisions,
    );
    return { ...made, notCovered: [...made.notCovered, ...leftOut(loaded, selection, options)] };
  });
}

function withSources<T>(
  ports: Ports,
  root: string,
  options: PlanOptions,
  make: (loaded: Loaded, sources: PlanSources, realRoot: string) => T,
): T {
  const stores = rootStores(ports, root);
  if (!options.readOnly) recoverFirst(ports, stores);
  const loaded = loadHistory(ports, stores, options);
  const folders = new Folders(ports, stores.root);
  const elsewhere = unsavedPaths(ports);
  const rules = (foreign: boolean) => ({ windows: isWindows, foreign });
  try {
    const sources: PlanSources = {
      look: (file, foreign) => {
        const found = look(folders, file, { rules: rules(foreign), unsaved: options.unsaved });
        const open = !found.inEditor && elsewhere.has(path.join(stores.root, displayPath(file)));
        return open ? { ...found, unsavedElsewhere: true } : found;
      },
      readBlob: (id, state) => readBlob(ports, loaded.storeOf(id), id, state),
      readCurrent: (file, found, foreign) => readFound(folders, file, found, rules(foreign)),
      isForeign: (id) => loaded.foreign.has(id),
    };
    return make(loaded, sources, stores.root);
  } finally {
    folders.close();
  }
}

/** An interrupted restore would look like a person's work. */
function recoverFirst(ports: Ports, stores: RootStores): void {
  if (!readJournals(ports).some(({ root }) => root === stores.root)) return;
  const lock = acquireLock(ports, stores, 'completing a restore');
  try {
    recoverRoot(ports, stores);
  } finally {
    lock.release();
  }
}

/** Checkpoints in the range of a rewind that could not be considered. */
function leftOut({ foreign, damaged }: Loaded, { since }: Selection, options: PlanOptions): { reason: string }[] {
  if (since === undefined) return [];
  const inRange = (id: string) => id >= since;
  const strangers = options.foreign ? [] : [...foreign.keys()].filter(inRange);
  return [
    ...damaged
      .filter(({ id }) => id === 'store' || inRange(id))
      .map(({ id, reason }) => ({ reason: id === 'store' ? reason : `checkpoint ${id} is damaged: ${reason}` })),
    ...strangers.map((id) => ({ reason: `checkpoint ${id} was not made by you on this computer and is left out` })),
  ].map(({ reason }) => ({ reason: reason.slice(0, 1000) }));
}

/**
 * Carries out a plan to the end; paths in an editor are skipped. Errors as `applyPlan`.
 */
export function runPlan(ports: Ports, root: string, made: RestorePlan, options: ApplyOptions = {}): RestoreOutcome {
  const run = applyPlan(ports, rootStores(ports, root), made, options);
  for (;;) {
    const next = run.next();
    if (next.done) return next.value;
  }
}

/** Plans and runs; where another restore came in between, plans again. For callers that show no preview. */
export function planAndRun(
  ports: Ports,
  root: string,
  make: () => RestorePlan,
  options: ApplyOptions = {},
): { plan: RestorePlan; outcome: RestoreOutcome } {
  for (let attempt = 1; ; attempt++) {
    const made = make();
    try {
      return { plan: made, outcome: runPlan(ports, root, made, options) };
    } catch (error) {
      if (attempt === 3 || !CheckpointError.is(error, 'changed-meanwhile')) throw error;
    }
  }
}
