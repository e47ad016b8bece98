// Around an agent's commands, whose writes nobody announces: what is there before, and what became of it. Loaded only
// for events about commands; a hook before an edit does not pay for it.
import path from 'node:path';
import { createHash } from 'node:crypto';
import type { Ports } from '../../ports';
import { removeQuietly, uniqueSuffix } from '../../state/atomicFile';
import { sleep } from '../../state/platform';
import type { Settings } from '../../state/settings';
import { addWarning } from '../../state/warnings';
import { newCheckpointId, type CheckpointId } from '../../store/ids';
import { nextId } from '../../store/nextId';
import { listIds } from '../../store/reader';
import { rootStores, type RootStores } from '../../store/stores';
import { syncTwin } from '../../store/twin';
import { callKey, claimKey } from '../claim';
import { openCheckpoints } from '../close';
import { rootOfFolder } from '../placing';
import type { CallReference, WriteRequest } from '../request';
import { noteSession, sessionRoots } from '../session';
import { currentTurn } from '../turns';
import { surveyBefore } from './before';
import { closeSweep } from './closeSweep';
import { CopyWriter } from './copies';
import { defaultLimits, type SweepLimits } from './limits';
import {
  appear,
  beginFolder,
  claimSweep,
  groupOf,
  inPlace,
  joinGroup,
  isClaimed,
  newestSweep,
  openSweeps,
  removeClaim,
  sweepPlaces,
  type OpenSweep,
  type SweepPlace,
} from './place';
import { writeRecord, type SweepRecord } from './record';

/** Characters of a command that are kept. */
const maxCommand = 1000;

/** Copies what the command may change. Throws nothing for one root; a person is told what could not be done. */
export function beforeCommand(ports: Ports, request: WriteRequest, settings: Settings): void {
  const roots = rootsOf(ports, request);
  if (request.agent) noteSession(ports, request.agent.session, roots);
  const limits = defaultLimits(settings.maxFileBytes);
  const group = roots.length > 1 ? (claimKey(request) ?? uniqueSuffix()) : undefined;
  for (const root of roots) {
    const stores = rootStores(ports, root);
    // The command may be the one that deletes the store.
    syncTwin(ports, stores);
    if (request.command?.sequential) closeBefore(ports, stores, request);
    let failure: unknown;
    for (const place of sweepPlaces(ports, stores)) {
      try {
        inPlace(ports, place, (within) => sweepRoot(within, stores, place, request, { settings, limits, group }));
        failure = undefined;
        break;
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) {
      const text = failure instanceof Error ? failure.message : String(failure);
      addWarning(ports, {
        key: `sweep:${root}`,
        text: `What commands change in ${root} is not recorded, because nothing can be kept: ${text}`,
      });
    }
  }
}

interface Context {
  readonly settings: Settings;
  readonly limits: SweepLimits;
  readonly group: string | undefined;
}

function sweepRoot(
  ports: Ports,
  stores: RootStores,
  place: SweepPlace,
  request: WriteRequest,
  { settings, limits, group }: Context,
): void {
  const { root } = stores;
  const call = callKey(request.agent);
  const claim = claimKey(request);
  const id = idFor(ports, stores);
  const building = beginFolder(ports, place, id);
  try {
    if (claim !== undefined && !claimSweep(ports, place, claim)) {
      waitForOther(ports, stores, claim);
      return removeQuietly(ports, building);
    }
    const beside = openSweeps(ports, stores);
    const earlier = newestSweep(ports, place);
    const copies = new CopyWriter(ports, building, id);
    const { includeIgnored } = settings;
    const survey = surveyBefore({ ports, root, limits, includeIgnored, folder: building, copies, id, earlier });
    const shared = group ?? groupWith(ports, beside);
    const turn = request.agent && currentTurn(ports, { ...request, agent: request.agent });
    const turnId = request.agent?.turn ?? turn?.id;
    const record: SweepRecord = {
      version: 1,
      id,
      root,
      at: ports.now(),
      ...(call !== undefined && { call }),
      ...(claim !== undefined && { claim }),
      ...(request.command && { command: request.command.text.slice(0, maxCommand).toWellFormed() }),
      background: request.command?.background ?? false,
      ...(request.agent && { agent: { ...request.agent, ...(turnId !== undefined && { turn: turnId }) } }),
      ...(turn?.prompt !== undefined && turn.id === turnId && { prompt: turn.prompt }),
      ...(shared !== undefined && { group: shared }),
      made: earlier?.record.made ?? [],
      beside: openCheckpoints(ports, stores).map((open) => open.record.id),
      ...survey,
    };
    writeRecord(ports, building, record);
    appear(ports, place, building, id);
    if (shared !== undefined) beside.forEach((other) => joinGroup(ports, other, shared));
  } catch (error) {
    removeQuietly(ports, building);
    removeClaim(ports, place, claim);
    throw error;
  }
}

/** Later than all that is recorded: so that what other calls record meanwhile can be told by its id. */
function idFor(ports: Ports, stores: RootStores): CheckpointId {
  try {
    return nextId(ports, stores.primary);
  } catch {
    const now = ports.now();
    const newest = listIds(ports, stores).find(({ id }) => id <= newCheckpointId(now))?.id;
    return newCheckpointId(now, newest);
  }
}

/** Commands that run at the same time cannot be told apart: they are undone together. */
function groupWith(ports: Ports, beside: readonly OpenSweep[]): string | undefined {
  const [first] = beside;
  if (first === undefined) return undefined;
  return groupOf(ports, first) ?? createHash('sha256').update(first.record.id).digest('hex').slice(0, 32);
}

/** ms */
const patience = 8000;

/** The command must not begin before its other sweep, of another hook for the same call, is done. */
function waitForOther(ports: Ports, stores: RootStores, claim: string): void {
  const begun = performance.now();
  while (performance.now() - begun < patience) {
    if (openSweeps(ports, stores).some(({ record }) => record.claim === claim)) return;
    const isBuilding = sweepPlaces(ports, stores).some((place) => isClaimed(ports, place, claim));
    if (!isBuilding) return;
    sleep(10);
  }
}

/** An agent that never runs two calls at once has left its earlier ones behind, also those it told nothing of. */
function closeBefore(ports: Ports, stores: RootStores, { agent }: WriteRequest): void {
  for (const sweep of openSweeps(ports, stores)) {
    const { record } = sweep;
    const isOwn = record.agent?.session === agent?.session && record.agent?.subagent === agent?.subagent;
    const isSame = record.call !== undefined && record.call === callKey(agent);
    if (isOwn && !isSame && !record.background) closeSweep(ports, sweep);
  }
}

/** A command is over, or was never run. One in the background goes on: it is closed at the turn's end. */
export function afterCommand(ports: Ports, call: CallReference): void {
  const roots = new Set([...rootsOf(ports, call), ...sessionRoots(ports, call.agent?.session ?? '')]);
  for (const root of roots) {
    const open = openSweeps(ports, rootStores(ports, root));
    const key = callKey(call.agent);
    const found =
      key === undefined
        ? open.find(({ record }) => isCall(record, call))
        : open.find(({ record }) => record.call === key);
    if (found !== undefined && !found.record.background) closeSweep(ports, found);
  }
}

/** For agents whose calls have no ids. */
function isCall({ call, agent, command }: SweepRecord, reference: CallReference): boolean {
  if (call !== undefined || agent?.session !== reference.agent?.session) return false;
  if (agent?.tool !== reference.agent?.tool) return false;
  const text = reference.command?.text.slice(0, maxCommand).toWellFormed();
  return text === undefined || text === command;
}

/** Closes those of a root that are over. Never throws. */
export function closeSweeps(ports: Ports, stores: RootStores, isOver: (record: SweepRecord) => boolean): void {
  for (const sweep of openSweeps(ports, stores)) if (isOver(sweep.record)) closeSweep(ports, sweep);
}

/** Real paths: where the agent is, and its project. A whole home or disk is no workspace. */
function rootsOf(ports: Ports, { cwd, projectDir }: Pick<CallReference, 'cwd' | 'projectDir'>): string[] {
  const folders = [cwd, ...(projectDir === undefined ? [] : [projectDir])];
  const roots = folders.map((folder) =>
    rootOfFolder(ports, { cwd: folder, ...(projectDir !== undefined && { projectDir }) }),
  );
  const home = process.env['HOME'] ?? process.env['USERPROFILE'];
  const isAbsurd = (root: string) =>
    root === path.parse(root).root || (home !== undefined && isSameFolder(ports, root, home));
  return [...new Set(roots)].filter((root): root is string => root !== undefined && !isAbsurd(root));
}

function isSameFolder({ fs }: Ports, a: string, b: string): boolean {
  try {
    return a === fs.realpathSync.native(b);
  } catch {
    return false;
  }
}
