// A write that is reported when nothing of its call is open: the turn was ended before the report came, or nobody was
// told before the write. What can still be said is said; the bytes before are never guessed.
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import { canReflink } from '../store/blobs';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { isOwn } from '../store/mac';
import type { Entry, Meta, State } from '../store/meta';
import { nextId } from '../store/nextId';
import { listIds, readMeta } from '../store/reader';
import { readBlob } from '../store/storedBlob';
import { ensureStore, rootStores, type RootStores } from '../store/stores';
import { updateMeta, writeCheckpoint } from '../store/writer';
import { describe } from './captureInRoot';
import { claimCall, claimedCheckpoint, claimKey } from './claim';
import { closeCheckpoint, expectedOf, isUntouched } from './close';
import { writeOpenRecord, type OpenEntry, type OpenRecord } from './openRecord';
import { placeWrites, type RootWrites } from './placing';
import { judge, stateNow } from './postImages';
import { preImages } from './preImages';
import { record } from './recorded';
import type { CallReference, WriteRequest } from './request';
import { currentTurn } from './turns';

/** Checkpoints that are looked through for the newest one of a path. */
const maxLooks = 100;

/** @throws CheckpointError where a store cannot be read or written */
export function closeLate(ports: Ports, call: CallReference): void {
  const { writes = [] } = call;
  // What an editor holds unsaved was told before, or it is not known at all.
  if (writes.length === 0 || writes.some(({ unsaved }) => unsaved !== undefined)) return;
  const request: WriteRequest = { kind: 'edit', ...call, writes };
  for (const [root, part] of placeWrites(ports, request)) {
    if (part.writes.length > 0) closeInRoot(ports, rootStores(ports, root), request, part);
  }
}

interface Newest {
  readonly store: StoreLayout;
  readonly meta: Meta;
}

function closeInRoot(ports: Ports, stores: RootStores, request: WriteRequest, part: RootWrites): void {
  const key = claimKey(request);
  const claimed =
    key === undefined
      ? undefined
      : [stores.primary, stores.fallback].map((store) => claimedCheckpoint(ports, store, key)).find((id) => id);
  const newest = newestOf(ports, stores, new Set(part.writes.map(({ place }) => place.relative)));
  const isIt =
    newest !== undefined &&
    (claimed === undefined
      ? isUntouched(newest.meta) && isSameCaller(newest.meta, request)
      : newest.meta.id === claimed);
  if (isIt) return reopen(ports, stores.root, newest, request, part);
  if (claimed === undefined) recordLone(ports, stores, request, part, newest?.meta);
}

const isSameCaller = ({ agent }: Meta, call: WriteRequest) =>
  agent?.session === call.agent?.session && agent?.tool === call.agent?.tool;

/** Of those that name one of the paths. */
function newestOf(ports: Ports, stores: RootStores, paths: ReadonlySet<string>): Newest | undefined {
  for (const { id, store } of listIds(ports, stores).slice(0, maxLooks)) {
    try {
      const meta = readMeta(ports, store, id);
      const names = meta.entries.some((entry) => typeof entry.path === 'string' && paths.has(entry.path));
      if (names && isOwn(ports, meta)) return { store, meta };
    } catch {
      // Damaged: it says nothing.
    }
  }
  return undefined;
}

/** The checkpoint was closed before its write was over, or before it was known whose writing it was. */
function reopen(ports: Ports, root: string, { store, meta }: Newest, call: WriteRequest, part: RootWrites): void {
  if (meta.status === 'pending') return;
  const opens = new Map(meta.entries.flatMap((entry) => openOf(ports, store, meta, entry, part) ?? []));
  if (!isUntouched(meta)) return confirm(ports, root, { store, meta }, opens);
  const limits = readSettings(ports);
  if (meta.entries.every((entry) => stateNow(ports, root, entry, limits).same)) return;
  const open: OpenRecord = {
    id: meta.id,
    at: ports.now(),
    ...(call.agent && { session: call.agent.session }),
    named: part.writes.map(({ place }) => place.absolute).sort(),
    entries: [...opens.values()],
  };
  writeOpenRecord(ports, store, open);
  updateMeta(ports, store, meta.id, (now) =>
    isUntouched(now) ? { ...now, status: 'pending', entries: now.entries.map(({ post: _, ...entry }) => entry) } : now,
  );
  if (!closeCheckpoint(ports, { root, store, record: open }, 'post')) {
    closeCheckpoint(ports, { root, store, record: open }, 'over');
  }
}

/** What was taken for possibly a person's is the agent's after all, where it is still there and fits what it said. */
function confirm(ports: Ports, root: string, { store, meta }: Newest, opens: ReadonlyMap<string, OpenEntry>): void {
  const limits = readSettings(ports);
  const sure = meta.entries.map((entry) => {
    const { post } = entry;
    if (post?.inferred !== true || typeof entry.path !== 'string' || !opens.has(entry.path)) return false;
    if (!stateNow(ports, root, { ...entry, pre: post }, limits).same) return false;
    const prints = expectedOf(ports, store, meta, entry, opens.get(entry.path));
    return judge({ ...stateNow(ports, root, entry, limits), same: false }, prints, 'post').post !== undefined;
  });
  if (!sure.includes(true)) return;
  updateMeta(ports, store, meta.id, (now) => ({
    ...now,
    entries: now.entries.map((entry, i) => (sure[i] && entry.post ? { ...entry, post: certain(entry.post) } : entry)),
  }));
}

function certain({ inferred: _, ...state }: State): State {
  return state as State;
}

/** What the report says about an entry; undefined for what no record can be made of. */
function openOf(
  ports: Ports,
  store: StoreLayout,
  meta: Meta,
  entry: Entry,
  part: RootWrites,
): [[string, OpenEntry]] | undefined {
  const { path: file, pre } = entry;
  if (typeof file !== 'string') return undefined;
  const placed = part.writes.find(({ place }) => place.relative === file);
  if (placed === undefined) return [[file, { path: file, optional: true }]];
  const base = placed.from?.relative;
  const readPre = () => (pre.type === 'file' ? readBlob(ports, store, meta.id, pre) : undefined);
  const recorded = placed.write.expected && record(placed.write.expected, readPre);
  return [[file, { path: file, ...(recorded && { recorded }), ...(base !== undefined && { base }) }]];
}

const tooLate = 'the agent told of this write only when it was done, so the bytes before are not known';

/** Nothing was captured: the record says so, and what the write left. */
function recordLone(
  ports: Ports,
  stores: RootStores,
  request: WriteRequest,
  part: RootWrites,
  newest: Meta | undefined,
): void {
  const { root } = stores;
  const settings = readSettings(ports);
  const known = new Map(newest?.entries.map(({ path: file, pre, post = pre }) => [file, post]));
  const write = (store: StoreLayout) =>
    inStore(ports, store, (within) => {
      ensureStore(within, store);
      const isFreeCopy = (file: string) => canReflink(within, store, file);
      const found = preImages(within, root, part.writes, { maxFileBytes: settings.maxFileBytes, isFreeCopy });
      const images = found.images.filter(({ draft: { path: file, provenance } }) => {
        const last = known.get(file);
        return last === undefined || !stateNow(ports, root, { path: file, pre: last, provenance }, settings).same;
      });
      if (images.length === 0) return;
      const id = nextId(within, store);
      const key = claimKey(request);
      if (key !== undefined && !claimCall(within, store, key, id).first) return;
      const turn = request.agent && currentTurn(within, { ...request, agent: request.agent });
      writeCheckpoint(within, store, {
        ...describe(request, { settings, turn, group: undefined }),
        id,
        status: 'done',
        entries: images.map(({ draft }) => ({
          ...draft,
          pre: { type: 'unreadable', error: tooLate },
          post: draft.pre,
        })),
        notCovered: [...found.notCovered, ...images.map(({ draft }) => ({ path: draft.path, reason: tooLate }))],
      });
    });
  try {
    write(stores.primary);
  } catch {
    write(stores.fallback);
  }
}
