// What our own checkpoints know of the files that a part of a conversation changed: exact, for the digest.
import type { ConversationNode } from '../conversation/model';
import { diffStats } from '../diff/stats';
import type { Ports } from '../ports';
import { Folders } from '../restore/folder';
import { displayPath, pathKey } from '../restore/relativePath';
import { look } from '../restore/snapshot';
import { sameState } from '../restore/states';
import { isWindows } from '../state/platform';
import type { CheckpointId } from '../store/ids';
import type { StoreLayout } from '../store/layout';
import { isForeign } from '../store/mac';
import type { Entry, Meta, State } from '../store/meta';
import { findCheckpoint, listPage } from '../store/reader';
import { readBlob } from '../store/storedBlob';
import type { RootStores } from '../store/stores';
import type { TouchedFile } from './digest';
import { callsOf } from './message';

/** Checkpoints and bytes that are looked at; what is beyond is counted as an edit, its lines are not. */
const maxCheckpoints = 2000;
const maxFileBytes = 2 * 2 ** 20;
const maxCounted = 400;

interface Seen {
  readonly meta: Meta;
  readonly store: StoreLayout;
}

/** In the order of their first change. Never throws: what cannot be read is left out, or its lines are. */
export function touchedFiles(
  ports: Ports,
  stores: RootStores,
  ids: readonly CheckpointId[],
  nodes: readonly ConversationNode[],
): TouchedFile[] {
  const seen = checkpointsOf(ports, stores, ids, nodes);
  const byPath = new Map<string, { entry: Entry; seen: Seen }[]>();
  for (const one of seen) {
    for (const entry of one.meta.entries) {
      if (entry.pre.type === 'directory' || entry.post?.type === 'directory') continue;
      const key = pathKey(entry.path);
      byPath.set(key, [...(byPath.get(key) ?? []), { entry, seen: one }]);
    }
  }
  let left = maxCounted;
  return [...byPath.values()].map((edits) => {
    const counted = edits.map(({ entry, seen: of }) => (left-- > 0 ? linesOf(ports, of, entry) : undefined));
    const known = counted.every((lines) => lines !== undefined) ? counted : undefined;
    const first = edits[0]!.entry;
    return {
      path: displayPath(first.path),
      edits: edits.length,
      now: stateNow(ports, stores, first, edits.at(-1)!.entry),
      ...(known && { added: sum(known, 'added'), removed: sum(known, 'removed') }),
    };
  });
}

const sum = (lines: readonly { added: number; removed: number }[], side: 'added' | 'removed') =>
  lines.reduce((total, one) => total + one[side], 0);

/** Oldest first: those that are named, and those of the calls that the nodes made. */
function checkpointsOf(
  ports: Ports,
  stores: RootStores,
  ids: readonly CheckpointId[],
  nodes: readonly ConversationNode[],
): Seen[] {
  const found = new Map<string, Seen>();
  for (const id of ids.slice(-maxCheckpoints)) {
    try {
      const { store, meta } = findCheckpoint(ports, stores, id);
      if (!isForeign(ports, meta)) found.set(id, { store, meta });
    } catch {
      // Pruned since, or damaged: the digest says what is known.
    }
  }
  const sessions = new Set(nodes.flatMap(({ source }) => (source === undefined ? [] : [source.session])));
  const calls = new Set(
    nodes.flatMap(({ messages }) => messages.flatMap((message) => callsOf(message).map(({ id }) => id))),
  );
  if (sessions.size > 0 && calls.size > 0) {
    const where = ({ agent }: Meta) =>
      agent !== undefined &&
      sessions.has(agent.session) &&
      agent.toolUse !== undefined &&
      calls.has(plainUse(agent.toolUse));
    for (const meta of listPage(ports, stores, { limit: maxCheckpoints, filter: { where } }).checkpoints) {
      if (!found.has(meta.id) && !meta.foreign)
        found.set(meta.id, { meta, store: meta.fallback ? stores.fallback : stores.primary });
    }
  }
  return [...found.values()]
    .filter(({ meta }) => meta.kind !== 'restore' && meta.status !== 'abandoned' && meta.status !== 'unchanged')
    .sort((a, b) => (a.meta.id < b.meta.id ? -1 : 1));
}

/** VS Code numbers a call that it makes again. */
const plainUse = (toolUse: string) => toolUse.replace(/__vscode-\d+$/, '');

function linesOf(
  ports: Ports,
  { meta, store }: Seen,
  { pre, post }: Entry,
): { added: number; removed: number } | undefined {
  try {
    const [before, after] = [pre, post].map((state) => bytesOf(ports, store, meta.id, state));
    if (before === undefined || after === undefined) return undefined;
    const { added, removed, binary } = diffStats(before, after);
    return binary ? undefined : { added, removed };
  } catch {
    return undefined;
  }
}

function bytesOf(ports: Ports, store: StoreLayout, id: CheckpointId, state: State | undefined): Buffer | undefined {
  if (state?.type === 'absent') return Buffer.alloc(0);
  return state?.type === 'file' && state.size <= maxFileBytes ? readBlob(ports, store, id, state) : undefined;
}

function stateNow(ports: Ports, stores: RootStores, first: Entry, last: Entry): TouchedFile['now'] {
  const rules = { windows: isWindows, foreign: false };
  const folders = new Folders(ports, stores.root);
  try {
    const { state, refused } = look(folders, last.path, { rules });
    if (refused !== undefined || state.type === 'unreadable') return 'not known';
    if (last.post !== undefined && sameState(state, last.post))
      return state.type === 'absent' ? 'not there' : 'as left';
    if (sameState(state, first.pre)) return 'as before';
    return state.type === 'absent' ? 'not there' : 'changed since';
  } catch {
    return 'not known';
  } finally {
    folders.close();
  }
}
