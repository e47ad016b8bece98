// One call's part in one root becomes one checkpoint, in the root's store or, where that fails, in user state.
import type { Ports } from '../ports';
import type { Settings } from '../state/settings';
import { addWarning } from '../state/warnings';
import { canReflink } from '../store/blobs';
import type { CheckpointDraft } from '../store/draft';
import type { CheckpointId } from '../store/ids';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import type { AgentInfo, Entry } from '../store/meta';
import { nextId } from '../store/nextId';
import { readMeta } from '../store/reader';
import { ensureStore, type RootStores } from '../store/stores';
import { updateMeta, writeCheckpoint } from '../store/writer';
import { callKey, claimCall, claimedCheckpoint, claimKey } from './claim';
import { closeCheckpoint, openCheckpoints } from './close';
import { readOpenRecord, removeOpenRecord, writeOpenRecord, type OpenRecord } from './openRecord';
import { absolutePath, type RootWrites } from './placing';
import { preImages, type CaptureLimits, type PreImage } from './preImages';
import type { WriteRequest } from './request';
import type { Turn } from './session';

export interface CaptureContext {
  readonly settings: Settings;
  readonly turn: Turn | undefined;
  readonly group: string | undefined;
}

export interface Captured {
  /** Real path. */
  readonly root: string;
  readonly id: CheckpointId;
  readonly fallback: boolean;
  /** False where the call was captured before; paths that are new are added to that checkpoint. */
  readonly first: boolean;
}

/** Undefined where nothing was to capture, or no store could be written: then the person is told, once a root. */
export function captureInRoot(
  ports: Ports,
  stores: RootStores,
  request: WriteRequest,
  part: RootWrites,
  context: CaptureContext,
): Captured | undefined {
  const { root } = stores;
  const key = claimKey(request);
  // The process that reported the call first may have been driven to user state.
  const isElsewhere = key !== undefined && claimedCheckpoint(ports, stores.fallback, key) !== undefined;
  let failure: unknown;
  for (const store of isElsewhere ? [stores.fallback] : [stores.primary, stores.fallback]) {
    const fallback = store === stores.fallback;
    try {
      const captured = inStore(ports, store, (within) => captureInStore(within, root, store, request, part, context));
      if (failure !== undefined) warnFallback(ports, root, failure);
      if (captured === undefined) return undefined;
      if (captured.first) closeEarlier(ports, stores, captured);
      return { root, fallback, id: captured.id, first: captured.first };
    } catch (error) {
      if (!fallback) failure = error;
      else warnLost(ports, root, failure, error);
    }
  }
  return undefined;
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function warnFallback(ports: Ports, root: string, error: unknown): void {
  addWarning(ports, {
    key: `store:${root}`,
    text: `Checkpoints of ${root} are kept in your user folder, because its own store cannot be used: ${textOf(error)}`,
  });
}

function warnLost(ports: Ports, root: string, primary: unknown, fallback: unknown): void {
  addWarning(ports, {
    key: `lost:${root}`,
    text: `Changes in ${root} have no checkpoints: neither its store nor the one in your user folder can be written. ${textOf(primary)} ${textOf(fallback)}`,
  });
}

interface InStore {
  readonly id: CheckpointId;
  readonly first: boolean;
  readonly paths: ReadonlySet<string>;
}

function captureInStore(
  ports: Ports,
  root: string,
  store: StoreLayout,
  request: WriteRequest,
  part: RootWrites,
  context: CaptureContext,
): InStore | undefined {
  ensureStore(ports, store);
  const limits: CaptureLimits = {
    maxFileBytes: context.settings.maxFileBytes,
    isFreeCopy: (file) => canReflink(ports, store, file),
  };
  const id = nextId(ports, store);
  const key = claimKey(request);
  const claim = key === undefined ? undefined : claimCall(ports, store, key, id);
  if (claim?.first === false) {
    extend(ports, root, store, claim.id, request, part, limits);
    return { id: claim.id, first: false, paths: new Set() };
  }
  try {
    const { images, notCovered } = preImages(ports, root, part.writes, limits);
    const left = [...part.notCovered, ...notCovered];
    const isManual = request.kind === 'manual';
    if (images.length === 0 && left.length === 0 && !isManual) {
      claim?.release();
      return undefined;
    }
    // Before the checkpoint: a record without one is swept, a checkpoint without its record is closed less surely.
    if (!isManual) writeOpenRecord(ports, store, openRecord(ports, id, request, images));
    const entries = images.map(({ draft }) => draft);
    writeCheckpoint(ports, store, {
      ...describe(request, context),
      id,
      status: isManual ? 'done' : 'pending',
      entries,
      notCovered: left,
    });
    return { id, first: true, paths: new Set(images.map(({ open }) => open.path)) };
  } catch (error) {
    removeOpenRecord(ports, store, id);
    claim?.release();
    throw error;
  }
}

function openRecord(ports: Ports, id: CheckpointId, request: WriteRequest, images: readonly PreImage[]): OpenRecord {
  const { agent, writes, cwd } = request;
  const call = callKey(agent);
  return {
    id,
    at: ports.now(),
    ...(call !== undefined && { call }),
    ...(agent && { session: agent.session }),
    ...(agent?.tool !== undefined && { tool: agent.tool }),
    named: namedPaths(cwd, writes),
    entries: images.map(({ open }) => open),
  };
}

/** How a call named its paths: the same before and after the write, unlike what they resolve to. */
export const namedPaths = (cwd: string, writes: WriteRequest['writes']): string[] =>
  [...new Set(writes.map((write) => absolutePath(cwd, write.path)))].sort();

/** Further paths of a call that is captured already. What was captured stays: the first pre-image wins. */
function extend(
  ports: Ports,
  root: string,
  store: StoreLayout,
  id: CheckpointId,
  request: WriteRequest,
  part: RootWrites,
  limits: CaptureLimits,
): void {
  const meta = readMeta(ports, store, id);
  const known = new Set(
    [...meta.entries, ...meta.notCovered].map(({ path }) => path).filter((path) => typeof path === 'string'),
  );
  const { images, notCovered } = preImages(ports, root, part.writes, limits, known);
  if (images.length === 0 && notCovered.length === 0) return;
  const before = readOpenRecord(ports, store, id);
  const added = openRecord(ports, id, request, images);
  const named = [...new Set([...(before?.named ?? []), ...added.named])].sort();
  writeOpenRecord(ports, store, {
    ...added,
    ...before,
    named,
    entries: [...(before?.entries ?? []), ...added.entries],
  });
  updateMeta(ports, store, id, (now, add) => {
    const drafts = images
      .map(({ draft }) => draft)
      .filter(({ path }) => !now.entries.some((entry) => entry.path === path));
    const entries = drafts.map(({ post: _, ...draft }, i): Entry => ({
      ...draft,
      pre: add('pre', now.entries.length + i, draft.path, draft.pre),
    }));
    return {
      ...now,
      status: entries.length > 0 ? 'pending' : now.status,
      entries: [...now.entries, ...entries],
      notCovered: [...now.notCovered, ...notCovered],
    };
  });
}

/** The bytes that this call found are what earlier calls left, as far as those are still open. */
function closeEarlier(ports: Ports, stores: RootStores, { id, paths }: InStore): void {
  for (const open of openCheckpoints(ports, stores)) {
    if (open.record.id === id || !open.record.entries.some(({ path }) => paths.has(path))) continue;
    try {
      closeCheckpoint(ports, open, 'next', paths);
    } catch {
      // It stays open for the next closer.
    }
  }
}

type Description = Pick<CheckpointDraft, 'kind' | 'group' | 'agent' | 'prompt' | 'label'>;

export function describe({ kind, agent, label }: WriteRequest, { turn, group }: CaptureContext): Description {
  const turnId = agent?.turn ?? turn?.id;
  return {
    kind,
    ...(group !== undefined && { group }),
    ...(agent && { agent: clipped({ ...agent, ...(turnId !== undefined && { turn: turnId }) }) }),
    ...(turn?.prompt !== undefined && turn.id === turnId && { prompt: turn.prompt }),
    ...(label !== undefined && { label: clip(label, 1000) }),
  };
}

const clip = (text: string, length: number) => text.slice(0, length).toWellFormed();

/** An over-long id of an agent must not make its checkpoint impossible to record. */
function clipped(agent: AgentInfo): AgentInfo {
  const lengths: Record<keyof AgentInfo, number> = {
    name: 100,
    session: 500,
    turn: 500,
    tool: 200,
    toolUse: 500,
    subagent: 500,
  };
  const entries = Object.entries(lengths).flatMap(([key, length]) => {
    const value = agent[key as keyof AgentInfo];
    return value === undefined ? [] : [[key, clip(value, length)]];
  });
  return Object.fromEntries(entries) as AgentInfo;
}
