// One tool call is one checkpoint, also when several processes report it: `index/calls/<key>` decides who captures.
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { createFile, removeQuietly } from '../state/atomicFile';
import { isAlive, sleep } from '../state/platform';
import { readJson } from '../state/jsonFile';
import { isCheckpointId, type CheckpointId } from '../store/ids';
import { inStore } from '../store/inStore';
import { metaFile, type StoreLayout } from '../store/layout';
import { isOwn } from '../store/mac';
import type { AgentInfo } from '../store/meta';
import { isThere } from '../store/plainFile';
import { readMeta } from '../store/reader';
import { ensureIndexDir } from '../store/stores';
import type { WriteRequest } from './request';

/**
 * Names one call of one session, 32 hex digits; undefined for a call without an id. VS Code adds a suffix of its own
 * to the model's id, which other hooks of the same call may not see.
 */
export function callKey(agent: Pick<AgentInfo, 'session' | 'toolUse'> | undefined): string | undefined {
  const toolUse = agent?.toolUse?.replace(/__vscode-\d+$/, '');
  if (agent === undefined || !toolUse) return undefined;
  return createHash('sha256').update(`${agent.session}\0${toolUse}`).digest('hex').slice(0, 32);
}

/** What a request is claimed by: its call, or the report of a call without an id. */
export function claimKey({ agent, report }: Pick<WriteRequest, 'agent' | 'report'>): string | undefined {
  return callKey(agent) ?? (report === undefined ? undefined : callKey({ session: '', toolUse: `report ${report}` }));
}

const claimSchema = v.object({ id: v.custom<CheckpointId>(isCheckpointId), pid: v.number(), at: v.number() });

// A claim whose owner died is never reused: the next process makes the next one, so that two that take over at the
// same time cannot both win.
const fileOf = (store: StoreLayout, key: string, generation: number) =>
  path.join(store.index, 'calls', generation === 0 ? key : `${key}~${generation}`);
const maxGenerations = 100;

/** ms that another process may take to capture before it is given up. */
const patience = 5000;

export type Claim =
  | { readonly first: true; readonly release: () => void }
  /** Another process captured the call. */
  | { readonly first: false; readonly id: CheckpointId };

/**
 * Claims a call for the checkpoint `id`, or waits for the one of the process that claimed it before: returning sooner
 * would let the agent write before the bytes are safe.
 * @throws the system's error; CheckpointError `store-refused`
 */
export function claimCall(ports: Ports, store: StoreLayout, key: string, id: CheckpointId): Claim {
  ensureIndexDir(ports, store, 'calls');
  const content = JSON.stringify({ id, pid: process.pid, at: ports.now() });
  // One patience for all: claims that somebody planted must not add up.
  const begun = performance.now();
  for (let generation = 0; generation < maxGenerations; generation++) {
    const file = fileOf(store, key, generation);
    try {
      createFile(ports, file, content, { flush: false });
      return { first: true, release: () => removeQuietly(ports, file) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const other = waitFor(ports, store, file, begun);
    // An agent waits for all its hooks before it writes: a call that is over has a name that is used again.
    if (other !== undefined && isPending(ports, store, other)) return { first: false, id: other };
  }
  // More than anybody counts; two checkpoints of one call are better than none.
  return { first: true, release: () => {} };
}

function isPending(ports: Ports, store: StoreLayout, id: CheckpointId): boolean {
  try {
    return readMeta(ports, store, id).status === 'pending';
  } catch (error) {
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}

function waitFor(ports: Ports, store: StoreLayout, file: string, begun: number): CheckpointId | undefined {
  for (;;) {
    const found = v.safeParse(claimSchema, readJson(ports, file));
    const claim = found.success ? found.output : undefined;
    // Asked before looking: a process that finishes in between has its checkpoint in place.
    const given =
      performance.now() - begun > patience || (claim === undefined ? !isPlain(ports, file) : isOver(ports, claim));
    if (claim !== undefined && hasCheckpoint(ports, store, claim.id)) return claim.id;
    if (given) return undefined;
    sleep(5);
  }
}

function isOver(ports: Ports, { pid, at }: v.InferOutput<typeof claimSchema>): boolean {
  // This process does one thing at a time: a claim of its own is one that failed.
  return pid === process.pid || !isAlive(pid) || Math.abs(ports.now() - at) > 2 * patience;
}

/** One that came with a clone, or is damaged, is no capture of this call, whoever says so. */
function hasCheckpoint(ports: Ports, store: StoreLayout, id: CheckpointId): boolean {
  if (!isThere(ports, metaFile(store, id))) return false;
  try {
    return isOwn(ports, readMeta(ports, store, id));
  } catch (error) {
    if (CheckpointError.is(error)) return false;
    throw error;
  }
}

/** No process of ours is writing what is no plain file. */
const isPlain = ({ fs }: Ports, file: string) => fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The checkpoint of a call in this store. Never throws. */
export function claimedCheckpoint(ports: Ports, store: StoreLayout, key: string): CheckpointId | undefined {
  try {
    return inStore(ports, store, (within) => claimed(within, store, key));
  } catch {
    // A store out of reach has no claim.
    return undefined;
  }
}

/** Of the newest that has this name. */
function claimed(ports: Ports, store: StoreLayout, key: string): CheckpointId | undefined {
  let newest: CheckpointId | undefined;
  for (let generation = 0; generation < maxGenerations; generation++) {
    const content = readJson(ports, fileOf(store, key, generation));
    if (content === undefined && !isThere(ports, fileOf(store, key, generation))) break;
    const found = v.safeParse(claimSchema, content);
    if (found.success && hasCheckpoint(ports, store, found.output.id)) newest = found.output.id;
  }
  return newest;
}
