// Closing open checkpoints: finding what a write left, and saying how sure that is.
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import type { DraftState } from '../store/draft';
import { checkpointTime, type CheckpointId } from '../store/ids';
import { metaFile, type StoreLayout } from '../store/layout';
import { isOwn } from '../store/mac';
import type { Entry, Meta, State } from '../store/meta';
import { isThere, sha256Of } from '../store/plainFile';
import { readMeta } from '../store/reader';
import { readBlob } from '../store/storedBlob';
import type { RootStores } from '../store/stores';
import { updateMeta } from '../store/writer';
import { openIds, readOpenRecord, removeOpenRecord, type OpenEntry, type OpenRecord } from './openRecord';
import { judge, stateNow, type CloseCause, type Verdict } from './postImages';
import { fingerprints, type Recorded } from './recorded';
import { sessionSeen } from './session';
import { hasOpenSweeps } from './sweep/isOpen';
import { onDemand } from './onDemand';

export interface OpenCheckpoint {
  readonly root: string;
  readonly store: StoreLayout;
  readonly record: OpenRecord;
}

/** Of both stores of a root, oldest first. */
export function openCheckpoints(ports: Ports, { root, primary, fallback }: RootStores): OpenCheckpoint[] {
  return [primary, fallback]
    .flatMap((store) => openIds(ports, store).map((id) => ({ root, store, record: readOpenRecord(ports, store, id) })))
    .filter((open): open is OpenCheckpoint => open.record !== undefined)
    .sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
}

/**
 * Finds the post-images of an open checkpoint and, where all are known, its status. A checkpoint that is closed
 * already, or is not this person's, is left as it is.
 * @param paths only these entries (relative paths); default all
 * @param unsaved the texts that editors hold now, as bytes, by relative path: they count instead of what is on disk
 * @returns true where nothing is open any more
 * @throws CheckpointError where the store cannot be read or written
 */
export function closeCheckpoint(
  ports: Ports,
  { root, store, record }: OpenCheckpoint,
  cause: CloseCause,
  paths?: ReadonlySet<string>,
  unsaved?: ReadonlyMap<string, Uint8Array>,
): boolean {
  const before = readMeta(ports, store, record.id);
  if (before.status !== 'pending') {
    removeOpenRecord(ports, store, record.id);
    return true;
  }
  // Rewriting a record that came with a clone would put it into this person's name.
  if (!isOwn(ports, before)) return false;
  const limits = readSettings(ports);
  const opens = new Map(record.entries.map((entry) => [entry.path, entry]));
  const verdicts = before.entries.map((entry): Verdict | undefined => {
    if (entry.post !== undefined || typeof entry.path !== 'string') return undefined;
    if (paths !== undefined && !paths.has(entry.path)) return { post: undefined, same: false };
    const open = opens.get(entry.path);
    const now = stateNow(ports, root, entry, limits, open?.disk);
    const text = unsaved?.get(entry.path);
    if (text !== undefined) return verdictOf(entry, text, now.state);
    return judge(now, expectedOf(ports, store, before, entry, open), cause);
  });
  const waiting = before.entries.some(
    (entry, i) =>
      verdicts[i] !== undefined && verdicts[i].post === undefined && !opens.get(String(entry.path))?.optional,
  );
  const states = verdicts.map((verdict) => settle(verdict, waiting));
  if (states.every((state) => state === undefined) && before.entries.some(({ post }) => post === undefined))
    return false;
  const after = updateMeta(ports, store, record.id, (meta, add) => {
    if (meta.status !== 'pending') return meta;
    const entries = meta.entries.map((entry, i): Entry => {
      const state = states[i];
      if (entry.post !== undefined || state === undefined) return entry;
      if (state === 'pre') return { ...entry, post: entry.pre };
      return { ...entry, post: add('post', i, entry.path, state) };
    });
    return { ...meta, entries, status: statusOf(entries, cause) };
  });
  if (after.status === 'pending') return false;
  removeOpenRecord(ports, store, record.id);
  return true;
}

/** Whoever made the call says itself what it left in the editor. */
function verdictOf({ pre }: Entry, text: Uint8Array, disk: DraftState): Verdict {
  const mode = (disk.type === 'file' ? disk.mode : undefined) ?? (pre.type === 'file' ? pre.mode : 0o644);
  const same = pre.type === 'file' && pre.sha256 === sha256Of(text) && pre.mode === mode;
  return { post: { type: 'file', mode, source: { type: 'bytes', bytes: text } }, same };
}

/** `pre`: as before, whose blob is then named again. Undefined: not known yet. */
function settle(verdict: Verdict | undefined, waiting: boolean) {
  if (verdict === undefined) return undefined;
  if (verdict.same) return verdict.post !== undefined || !waiting ? ('pre' as const) : undefined;
  return verdict.post;
}

/** The states of an entry that count as the call's own. */
export function expectedOf(ports: Ports, store: StoreLayout, meta: Meta, entry: Entry, open?: OpenEntry) {
  const baseName = open?.base ?? entry.renamedFrom ?? entry.path;
  const base = meta.entries.find(({ path }) => path === baseName)?.pre;
  const moved = entry.renamedFrom !== undefined && base?.type === 'file' ? unedited : undefined;
  try {
    return fingerprints(open?.recorded ?? moved, () =>
      base?.type === 'file' ? readBlob(ports, store, meta.id, base) : undefined,
    );
  } catch {
    // The bytes before are damaged: what follows from them is not known.
    return [];
  }
}

/** Of a path whose content came from elsewhere. */
const unedited: Recorded = { type: 'input', input: { type: 'edits', edits: [] } };

/** Closed as a call that wrote nothing. */
export const isUntouched = ({ status }: Meta): boolean => status === 'unchanged' || status === 'abandoned';

function statusOf(entries: readonly Entry[], cause: CloseCause): Meta['status'] {
  if (entries.some(({ post }) => post === undefined)) return 'pending';
  const untouched = entries.every(({ pre, post }) => isEqual(pre, post!));
  if (cause === 'abandon' && untouched) return 'abandoned';
  // Without an entry nothing is known of what the call did.
  return untouched && entries.length > 0 ? 'unchanged' : 'done';
}

function isEqual(a: State, b: State): boolean {
  if (a.type === 'file' && b.type === 'file') return a.sha256 === b.sha256 && a.mode === b.mode;
  if (a.type === 'symlink' && b.type === 'symlink') return a.target === b.target;
  return a.type === b.type;
}

/** ms without any event of the session, after which its open calls are taken to be over. */
const silence = 10 * 60 * 1000;
/** ms after which an open record without its checkpoint is a leftover of a process that ended in between. */
const leftover = 60 * 1000;

/**
 * For readers (list, restore, the editor): closes what is already as the tool's input says, and everything of agents
 * that have been silent for long. One that cannot be closed stays open; never throws.
 * @param pending ids known to be pending, whose open record may have been lost (a power cut)
 */
export function closeStale(ports: Ports, stores: RootStores, pending: readonly CheckpointId[] = []): void {
  const opens = openCheckpoints(ports, stores);
  const recorded = new Set(opens.map(({ record }) => record.id));
  for (const id of pending.filter((one) => !recorded.has(one))) opens.push(...withoutRecord(ports, stores, id));
  for (const open of opens) {
    try {
      const { record, store } = open;
      const seen = Math.max(record.at, sessionSeen(ports, record.session) ?? 0);
      if (!exists(ports, store, record.id)) {
        if (ports.now() - record.at > leftover) removeOpenRecord(ports, store, record.id);
        continue;
      }
      closeCheckpoint(ports, open, ports.now() - seen > silence ? 'over' : 'reader');
    } catch {
      // Damaged or unwritable: the reader says so itself.
    }
  }
  if (hasOpenSweeps(ports, stores)) closeSilentCommands(ports, stores);
}

function closeSilentCommands(ports: Ports, stores: RootStores): void {
  try {
    onDemand().closeSweeps(
      ports,
      stores,
      ({ at, agent }) => ports.now() - Math.max(at, sessionSeen(ports, agent?.session) ?? 0) > silence,
    );
  } catch {
    // The next reader tries again.
  }
}

const exists = (ports: Ports, store: StoreLayout, id: CheckpointId) => isThere(ports, metaFile(store, id));

function withoutRecord(ports: Ports, { root, primary, fallback }: RootStores, id: CheckpointId): OpenCheckpoint[] {
  const store = [primary, fallback].find((each) => exists(ports, each, id));
  if (store === undefined) return [];
  return [{ root, store, record: { id, at: checkpointTime(id), named: [], entries: [] } }];
}
