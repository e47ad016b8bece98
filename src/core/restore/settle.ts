// What the paths of one plan mean to each other: folders and what is in them, twins, and folders that are missing.
import { displayPath, parentKeys, pathKey, pathOfKey } from './relativePath';
import { twinKey } from './safePath';
import type { Found } from './snapshot';
import { absent } from './states';
import type { PlanStep } from './types';

export interface Draft {
  readonly step: PlanStep;
  readonly found: Found;
  /** The person wants it to stay as it is. */
  readonly leftOut?: true;
  /** What the changes to take back found here, and what they left here: hashes of files that are not empty. */
  readonly hashes?: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> };
}

/** Steps that change something. */
export const acts = ({ action }: PlanStep): boolean => ['write', 'delete', 'relink', 'mkdir'].includes(action);

const isThere = ({ result }: PlanStep): boolean => result.type !== 'absent';

type Drafts = Map<string, Draft>;

/** What the history says about the paths of a plan. */
export interface Agents {
  /** Whether a change of an agent to the path (by its key) stays in force when the plan is carried out. */
  stands(key: string): boolean;
  /** Whether the step takes back nothing but changes of agents. */
  areTaken(step: PlanStep): boolean;
}

/** Turns what cannot be done together into conflicts, and adds the folders that have to be made. */
export function settle(drafts: Drafts, agents: Agents): PlanStep[] {
  const left = new Set<string>();
  const set = (key: string, change: Pick<PlanStep, 'action' | 'reason'> & Partial<PlanStep>) => {
    const { step, ...draft } = drafts.get(key)!;
    const { merged: _merged, blobOf: _blob, ...rest } = step;
    drafts.set(key, { ...draft, step: { ...rest, result: step.current, ...change } });
  };
  refuseTwins(drafts, set);
  for (const [key, { step, found }] of drafts) {
    if (!acts(step)) continue;
    if (step.inEditor && step.action !== 'write') {
      set(key, { action: 'conflict', reason: 'it has unsaved text in an editor: save or close it first' });
    }
    if (found.unsavedElsewhere) {
      set(key, { action: 'refused', reason: 'it has unsaved text in an editor: save it there, then restore again' });
    }
    const inPlace = step.current.type === 'file' && step.result.type === 'file';
    if (found.folderReadOnly && !inPlace && !step.inEditor) {
      set(key, { action: 'refused', reason: 'its folder is read-only: allow writing there, then restore again' });
    }
  }
  // One step that is given up can make another impossible, so until nothing changes.
  let before: string;
  do {
    before = [...drafts.values()].map(({ step }) => step.action).join();
    for (const key of [...drafts.keys()]) settleFolder(drafts, key, set, agents, left);
    keepMoved(drafts, set);
  } while (before !== [...drafts.values()].map(({ step }) => step.action).join());
  return [...missingFolders(drafts), ...[...drafts.values()].map(({ step }) => step)];
}

type SetStep = (key: string, change: Pick<PlanStep, 'action' | 'reason'> & Partial<PlanStep>) => void;

/** @param left folders of agents that stay because of what agents have in them; it grows */
function settleFolder(drafts: Drafts, key: string, set: SetStep, agents: Agents, left: Set<string>): void {
  const { step, found } = drafts.get(key)!;
  if (!acts(step)) return;
  if (isThere(step)) {
    if (!settleAbove(drafts, step, found, set)) return;
  }
  if (step.current.type !== 'directory' || step.result.type === 'directory') return;
  const stay = (found.children ?? []).filter((child) => {
    const inside = drafts.get(child)?.step;
    return inside === undefined || !acts(inside) || isThere(inside);
  });
  if (stay.length === 0) return;
  const reason = `the folder is not empty: ${JSON.stringify(displayPath(pathOfKey(stay[0]!)))} stays`;
  if (step.result.type !== 'absent') return set(key, { action: 'conflict', reason });
  // A folder that a person uses now is the person's. One that holds what an agent still has there is taken back
  // together with that, later.
  const isAgents = (child: string) => left.has(child) || isGivenUp(drafts.get(child)?.step) || agents.stands(child);
  const later = agents.areTaken(step) && stay.some(isAgents);
  if (later) left.add(key);
  set(key, { action: 'keep', reason, ...(later && { takes: [] }) });
}

const isGivenUp = (step: PlanStep | undefined): boolean => step?.action === 'conflict' || step?.action === 'refused';

/** Whether the folders above a path that comes back will be folders; gives the path up where not. */
function settleAbove(drafts: Drafts, step: PlanStep, found: Found, set: SetStep): boolean {
  const key = pathKey(step.path);
  for (const parent of parentKeys(step.path)) {
    const above = drafts.get(parent)?.step;
    if (above === undefined || above.result.type === 'directory') continue;
    if (above.result.type === 'absent') {
      if (above.current.type === 'directory') {
        set(parent, { action: 'keep', reason: 'the folder stays: something comes back into it' });
      } else {
        set(parent, {
          action: 'mkdir',
          reason: 'something comes back into this folder',
          result: { type: 'directory' },
          takes: above.action === 'keep' || acts(above) ? above.takes : [],
        });
      }
    } else if (above.result.type === 'file' || acts(above) || found.underReplaced) {
      const reason = `${JSON.stringify(displayPath(above.path))} is no folder`;
      set(key, { action: 'conflict', reason });
      return false;
    }
  }
  if (found.blockedBy !== undefined) {
    const above = drafts.get(pathKey(found.blockedBy))?.step;
    if (above === undefined || !acts(above) || above.result.type !== 'directory') {
      set(key, { action: 'conflict', reason: `${JSON.stringify(displayPath(found.blockedBy))} is no folder now` });
      return false;
    }
  }
  return true;
}

/**
 * Bytes that were moved to here from a path that is left as it is now are only here: taking the move back on this side
 * alone would lose them.
 */
function keepMoved(drafts: Drafts, set: SetStep): void {
  const left = [...drafts.values()].filter(({ step, leftOut }) => isGivenUp(step) || leftOut);
  for (const [key, { step, hashes }] of drafts) {
    if (!acts(step) || step.current.type !== 'file' || !hashes) continue;
    const from = left.find((other) => [...hashes.after].some((hash) => other.hashes?.before.has(hash)));
    if (from === undefined) continue;
    const reason = `its bytes came from ${JSON.stringify(displayPath(from.step.path))}, which is left as it is`;
    set(key, { action: 'conflict', reason });
  }
}

function refuseTwins(drafts: Drafts, set: SetStep): void {
  const seen = { twin: new Map<string, string[]>(), real: new Map<string, string[]>() };
  const note = (map: Map<string, string[]>, at: string, key: string) => {
    const keys = map.get(at);
    if (keys) keys.push(key);
    else map.set(at, [key]);
  };
  for (const [key, { step, found }] of drafts) {
    if (isThere(step)) note(seen.twin, twinKey(step.path), key);
    note(seen.real, found.real, key);
  }
  for (const keys of seen.twin.values()) {
    if (keys.length < 2 || areDistinct(keys.map((key) => drafts.get(key)!.found))) continue;
    giveUp(keys, 'another path of this restore differs from it only in case or composition');
  }
  for (const keys of seen.real.values()) {
    if (keys.length > 1) giveUp(keys, 'another path of this restore is the same file through a link');
  }
  function giveUp(keys: readonly string[], reason: string): void {
    for (const key of keys) if (acts(drafts.get(key)!.step)) set(key, { action: 'refused', reason });
  }
}

/** Whether all are there and are different files: then this file system tells their names apart. */
function areDistinct(found: readonly Found[]): boolean {
  const files = found.map(({ stats }) => stats && `${stats.dev}:${stats.ino}`);
  return !files.includes(undefined) && new Set(files).size === files.length;
}

/** Folders above paths that come back and that are not there and in no record; made like any other step. */
function missingFolders(drafts: Drafts): PlanStep[] {
  const added = new Map<string, PlanStep>();
  for (const { step, found } of drafts.values()) {
    if (!acts(step) || !isThere(step)) continue;
    const parents = parentKeys(step.path);
    for (const key of parents.slice(parents.length - found.missingParents)) {
      if (drafts.has(key) || added.has(key)) continue;
      added.set(key, {
        path: pathOfKey(key),
        action: 'mkdir',
        reason: 'the folder is missing',
        current: absent,
        result: { type: 'directory' },
        takes: [],
        ...(found.underReplaced && { underReplaced: true }),
      });
    }
  }
  return [...added.values()];
}
