// The plan of a restore: a function of the history, what is selected, and what is found at each path.
import type { CheckpointId } from '../store/ids';
import type { FileState, RelativePath, State } from '../store/meta';
import { namesTwice, refKey, type Change, type History, type Ref, type Standing } from './history';
import { earlierState } from './earlierState';
import { mergeSidesOf, type MergeSides } from './mergeSides';
import { planPath, type PathOutcome } from './planPath';
import { withSavesAbsorbed } from './notebooks';
import type { Readers } from './reverse';
import { comparePaths, parentKeys, pathKey, pathOfKey } from './relativePath';
import { keyOf, type Selection } from './select';
import { settle, type Agents, type Draft } from './settle';
import type { Found } from './snapshot';
import { absent, sameBytes } from './states';
import type { Decision, Decisions, OnConflict, PlanStep, RestorePlan } from './types';

/** The snapshot, and the blobs for merges. */
export interface PlanSources {
  look(path: RelativePath, foreign: boolean): Found;
  /** @throws CheckpointError `damaged` */
  readBlob(id: CheckpointId, state: FileState): Buffer;
  /** The bytes of what was found. @throws CheckpointError `changed-meanwhile` */
  readCurrent(path: RelativePath, found: Found, foreign: boolean): Buffer;
  isForeign(id: CheckpointId): boolean;
}

/** @param decisions go before `onConflict` for their paths */
export function makePlan(
  root: string,
  history: History,
  whole: Selection,
  onConflict: OnConflict,
  sources: PlanSources,
  decisions: Decisions = new Map(),
): RestorePlan {
  const isLeft = (key: string) => decisions.get(key) === 'leave';
  const selection = { ...whole, takes: whole.takes.filter((ref) => !isLeft(keyOf(history, ref))) };
  const byPath = groupByPath(history, whole);
  const after = history.standing(selection.takes);
  const drafts = new Map<string, Draft>();
  // A folder is decided before what is in it: what is below something that is replaced is gone by then.
  for (const path of [...byPath.keys()].map(pathOfKey).sort(comparePaths)) {
    const key = pathKey(path);
    const refs = byPath.get(key)!;
    const decision = decisions.get(key) ?? onConflict;
    drafts.set(
      key,
      decision === 'leave'
        ? leftOut(history, path, refs, sources)
        : draftOf(history, selection, path, refs, decision, sources, drafts, after),
    );
  }
  for (const key of new Set(selection.already.map((ref) => keyOf(history, ref)))) {
    if (!drafts.has(key)) drafts.set(key, alreadyDone(pathOfKey(key), sources));
  }
  const agents: Agents = {
    stands: (key) => history.changes(key).some((change) => change.role === 'agent' && after.has(change)),
    areTaken: ({ takes }) => takes.every((ref) => history.meta(ref.id)?.kind !== 'restore'),
  };
  const steps = settle(drafts, agents).sort((a, b) => comparePaths(a.path, b.path));
  const notCovered = selection.metas.flatMap((meta) => meta.notCovered);
  const newest = history.metas.at(-1)?.id;
  return { root, label: selection.label, steps, notCovered, ...(newest !== undefined && { newest }) };
}

function groupByPath(history: History, { takes, goals }: Selection): Map<string, Ref[]> {
  const byPath = new Map<string, Ref[]>([...(goals?.keys() ?? [])].map((key) => [key, []]));
  for (const ref of takes) {
    const key = keyOf(history, ref);
    const refs = byPath.get(key);
    if (refs) refs.push(ref);
    else byPath.set(key, [ref]);
  }
  return byPath;
}

function draftOf(
  history: History,
  selection: Selection,
  path: RelativePath,
  takes: readonly Ref[],
  decision: Exclude<Decision, 'leave'>,
  sources: PlanSources,
  drafts: ReadonlyMap<string, Draft>,
  after: Standing,
): Draft {
  const key = pathKey(path);
  const goal = selection.goals?.get(key);
  const foreign = [...takes.map(({ id }) => id), ...(goal ? [goal.of] : [])].some((id) => sources.isForeign(id));
  const found = replacedAbove(path, drafts) ?? sources.look(path, foreign);
  const base = {
    path,
    current: found.state,
    takes,
    ...(foreign && { foreign }),
    ...(found.inEditor && { inEditor: found.inEditor }),
    ...(found.underReplaced && { underReplaced: found.underReplaced }),
  };
  const still = (action: 'refused', reason: string): Draft => ({
    found,
    step: { ...base, action, reason, result: found.state },
  });
  if (found.refused !== undefined) return still('refused', found.refused);
  if (takes.some(({ id }) => namesTwice(history.meta(id)!, path))) {
    return still('refused', 'a checkpoint names it twice');
  }
  const readers: Readers = {
    readBlob: (id, state) => sources.readBlob(id, state),
    readCurrent: () => sources.readCurrent(path, found, foreign),
  };
  const { changes, selected } = changesOf(history, key, takes, found, readers);
  const outcome = planPath({
    current: found.state,
    changes,
    selected,
    since: selection.since,
    goal,
    earlier: earlierState(history, changes, selected, after),
    decision,
    readers,
  });
  const currentOf = storedAlready(found.state, changes.at(-1));
  return { found, step: stepOf({ ...base, ...(currentOf && { currentOf }) }, outcome), hashes: hashesOf(selected) };
}

/** Where the last record left these very bytes. */
function storedAlready(current: State, last: Change | undefined): PlanStep['currentOf'] {
  if (last?.post?.type !== 'file' || current.type !== 'file' || !sameBytes(last.post, current)) return undefined;
  return last.post.blob === '' ? undefined : { id: last.postOf, state: last.post };
}

/** What a person needs to merge a path of a plan by hand; a text says why it cannot be merged. */
export function planMerge(
  history: History,
  { path, takes }: Pick<PlanStep, 'path' | 'takes'>,
  sources: PlanSources,
): MergeSides | string {
  const foreign = takes.some(({ id }) => sources.isForeign(id));
  const found = sources.look(path, foreign);
  if (found.refused !== undefined) return found.refused;
  const readers: Readers = {
    readBlob: (id, state) => sources.readBlob(id, state),
    readCurrent: () => sources.readCurrent(path, found, foreign),
  };
  return mergeSidesOf(found.state, changesOf(history, pathKey(path), takes, found, readers).selected, readers);
}

function changesOf(
  history: History,
  key: string,
  takes: readonly Ref[],
  found: Found,
  readers: Readers,
): { changes: readonly Change[]; selected: Change[] } {
  const chosen = new Set(takes.map(refKey));
  const isChosen = (change: Change) => chosen.has(refKey(change));
  let changes = history.changes(key);
  // What came from a transcript has no place among the others: it is looked at alone.
  if (!changes.some(isChosen)) {
    const apart = takes.map((ref) => history.change(ref)).filter((change) => change !== undefined);
    if (apart.length > 0) changes = apart;
  }
  const last = changes.at(-1);
  if (found.underReplaced && last) {
    // Whatever was seen here was behind the link, so it was no file of this path.
    changes = [...changes.slice(0, -1), { ...last, post: absent, inferred: false }];
  }
  changes = withSavesAbsorbed(pathOfKey(key), changes, found.state, readers);
  return { changes, selected: changes.filter(isChosen) };
}

function hashesOf(selected: readonly Change[]): NonNullable<Draft['hashes']> {
  const of = (states: readonly (State | undefined)[]) =>
    new Set(states.flatMap((state) => (state?.type === 'file' && state.size > 0 ? [state.sha256] : [])));
  return { before: of(selected.map(({ pre }) => pre)), after: of(selected.map(({ post }) => post)) };
}

function stepOf(
  base: Omit<PlanStep, 'action' | 'reason' | 'result'>,
  { action, reason, image }: PathOutcome,
): PlanStep {
  // A stranger's record gets no program run as somebody else.
  const strip = base.foreign && image.state.type === 'file';
  return {
    ...base,
    action,
    reason,
    result: strip ? { ...image.state, mode: image.state.mode & 0o777 } : image.state,
    ...(image.bytes && { merged: image.bytes }),
    ...(image.of !== undefined && image.state.type === 'file' && { blobOf: image.of }),
  };
}

/** Where a link or file above the path gives way to a folder in this plan, nothing is at the path then. */
function replacedAbove(path: RelativePath, drafts: ReadonlyMap<string, Draft>): Found | undefined {
  const parents = parentKeys(path);
  const at = parents.findIndex((key) => {
    const above = drafts.get(key)?.step;
    return (
      above !== undefined &&
      above.action !== 'keep' &&
      (above.current.type === 'symlink' || above.current.type === 'file') &&
      (above.result.type === 'directory' || above.result.type === 'absent')
    );
  });
  if (at < 0) return undefined;
  return { state: absent, real: pathKey(path), missingParents: parents.length - at - 1, underReplaced: true };
}

function leftOut(history: History, path: RelativePath, refs: readonly Ref[], sources: PlanSources): Draft {
  const { found, step } = alreadyDone(path, sources);
  const changes = refs.map((ref) => history.change(ref)).filter((change) => change !== undefined);
  return { found, step: { ...step, reason: 'you left it out' }, leftOut: true, hashes: hashesOf(changes) };
}

function alreadyDone(path: RelativePath, sources: PlanSources): Draft {
  const found = sources.look(path, true);
  const step: PlanStep = {
    path,
    action: 'keep',
    reason: 'it was taken back already',
    current: found.state,
    result: found.state,
    takes: [],
  };
  return { found, step };
}
