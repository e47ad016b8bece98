// A command is over: what it changed becomes a checkpoint.
import path from 'node:path';
import type { Ports } from '../../ports';
import { readSettings } from '../../state/settings';
import { uniqueSuffix } from '../../state/atomicFile';
import { addWarning } from '../../state/warnings';
import type { DraftEntry } from '../../store/draft';
import type { NotCovered } from '../../store/meta';
import { rootStores, type RootStores } from '../../store/stores';
import { updateMeta, writeCheckpoint } from '../../store/writer';
import { closeCheckpoint, openCheckpoints } from '../close';
import { forgetPersonSaves, personSavesSince, type PersonSave } from '../personSaves';
import { compareAfter } from './after';
import { book, nowAt, recordedSince, type Booked, type Recorded } from './booking';
import type { Changes } from './changes';
import { hasOpenSweeps } from './isOpen';
import { defaultLimits } from './limits';
import { claimClosing, endSweep, groupOf, inPlace, noteMade, releaseClosing, type OpenSweep } from './place';
import { partsOf, unclear } from './parts';
import type { SweepRecord } from './record';

/** Never throws: a sweep that cannot be closed now stays open for the next closer. */
export function closeSweep(ports: Ports, sweep: OpenSweep): void {
  const claimed = inPlace(ports, sweep.place, (within) => claimClosing(within, sweep.folder));
  if (claimed === undefined) return;
  try {
    inPlace(ports, sweep.place, (within) => record(within, sweep));
    endSweep(ports, sweep, claimed);
    const { root } = sweep.record;
    if (!hasOpenSweeps(ports, rootStores(ports, root))) forgetPersonSaves(ports, root);
  } catch (error) {
    inPlace(ports, sweep.place, (within) => releaseClosing(within, sweep, claimed));
    const text = error instanceof Error ? error.message : String(error);
    addWarning(ports, {
      key: `sweep:${sweep.record.root}`,
      text: `What a command changed in ${sweep.record.root} could not be recorded: ${text}`,
    });
  }
}

function record(ports: Ports, sweep: OpenSweep): void {
  const { record: before, folder } = sweep;
  const settings = readSettings(ports);
  const limits = defaultLimits(settings.maxFileBytes);
  const stores = rootStores(ports, before.root);
  const { includeIgnored } = settings;
  const changes = compareAfter({ ports, folder, record: before, limits, includeIgnored });
  const paths = new Set(changes.candidates.keys());
  closeEdits(ports, stores, paths);
  const others = recordedSince(ports, stores, before.id, new Set(before.beside));
  const saves = personSavesSince(ports, before.root, before.at);
  const booked = bookAll(ports, changes, others, saves, limits.maxFileBytes);
  const heads = booked.flatMap(({ head }) => head ?? []);
  const tails = withMoves(booked);
  const shared = sharedWith(before, [...heads, ...tails], others);
  const isSplit = heads.length > 0 && tails.length > 0;
  const group =
    groupOf(ports, sweep) ?? shared[0]?.meta.group ?? (shared.length > 0 || isSplit ? uniqueSuffix() : undefined);
  const notCovered = told(changes, before, heads.length + tails.length > 0);
  const write = (entries: readonly DraftEntry[], left: readonly NotCovered[], id?: SweepRecord['id']) => {
    const all = [...left, ...beyond(entries, limits.maxFiles)];
    writeTo(ports, stores, before, { entries: entries.slice(0, limits.maxFiles), notCovered: all, group, id });
  };
  if (heads.length > 0) write(heads, tails.length > 0 ? [] : notCovered, before.id);
  if (tails.length > 0 || (heads.length === 0 && notCovered.length > 0)) write(tails, notCovered);
  noteMade(ports, folder, changes.made);
  if (group !== undefined) for (const each of shared) joinMeta(ports, each, group);
}

/** What calls under way left so far is theirs. */
function closeEdits(ports: Ports, stores: RootStores, paths: ReadonlySet<string>): void {
  for (const open of openCheckpoints(ports, stores)) {
    if (!open.record.entries.some((entry) => paths.has(entry.path))) continue;
    try {
      closeCheckpoint(ports, open, 'next', paths);
    } catch {
      // It stays open: then what is there now is taken to be its own.
    }
  }
}

function bookAll(
  ports: Ports,
  changes: Changes,
  others: ReadonlyMap<string, Recorded[]>,
  saves: ReadonlyMap<string, PersonSave[]>,
  maxFileBytes: number,
): Booked[] {
  const { root, id } = changes.input.record;
  return [...changes.candidates.values()].map((candidate) => {
    const saved = saves.get(candidate.path) ?? [];
    const reason = unclear(saved);
    if (reason !== undefined) {
      changes.leave(candidate.path, reason);
      return {};
    }
    const now = nowAt(ports, path.join(root, candidate.path), maxFileBytes);
    return book(candidate, now, partsOf(others.get(candidate.path) ?? [], saved, id));
  });
}

/** A file that is gone and another one that is new with the same bytes: it was moved. */
function withMoves(booked: readonly Booked[]): DraftEntry[] {
  const gone = new Map<string, DraftEntry['path']>();
  for (const { tail, sha256 } of booked) {
    if (tail?.post?.type === 'absent' && sha256?.before !== undefined) gone.set(sha256.before, tail.path);
  }
  return booked.flatMap(({ tail, sha256 }) => {
    const renamedFrom = tail?.pre.type === 'absent' ? gone.get(sha256?.after ?? '') : undefined;
    if (tail === undefined || renamedFrom === undefined) return tail ?? [];
    gone.delete(sha256!.after!);
    return { ...tail, renamedFrom };
  });
}

/** Calls of the same session that changed a path at the same time. */
function sharedWith(
  { agent }: SweepRecord,
  entries: readonly DraftEntry[],
  others: ReadonlyMap<string, Recorded[]>,
): Recorded[] {
  const metas = new Map<string, Recorded>();
  for (const { path: name } of entries) {
    for (const other of others.get(typeof name === 'string' ? name : '') ?? []) {
      const isSame = other.meta.agent?.session === agent?.session && other.meta.kind !== 'restore';
      if (agent !== undefined && isSame) metas.set(other.meta.id, other);
    }
  }
  return [...metas.values()];
}

function joinMeta(ports: Ports, { meta, store }: Recorded, group: string): void {
  try {
    updateMeta(ports, store, meta.id, (now) => (now.group === undefined ? { ...now, group } : now));
  } catch {
    // It stays a call of its own.
  }
}

const maxNotes = 1000;

/** Bounds that nothing came up against are no news; a root of which nothing is covered is. */
function told({ notCovered, remarks }: Changes, before: SweepRecord, hasEntries: boolean): NotCovered[] {
  const known = before.notCovered.length;
  const isBlind = before.repositories.some(({ top, refused }) => refused !== undefined && top === before.root);
  if (notCovered.length === known && !hasEntries && !isBlind) return [];
  const all = hasEntries ? [...notCovered, ...remarks] : notCovered;
  const unique = new Map(all.map((note) => [JSON.stringify(note), note]));
  const notes = [...unique.values()].map(({ path: name, reason }) => ({
    ...(name !== undefined && { path: name.slice(0, 4096) }),
    reason: reason.slice(0, 1000),
  }));
  if (notes.length <= maxNotes) return notes;
  return [...notes.slice(0, maxNotes), { reason: `${notes.length - maxNotes} more paths are not covered` }];
}

function beyond(entries: readonly DraftEntry[], max: number): NotCovered[] {
  if (entries.length <= max) return [];
  return [{ reason: `${entries.length} paths were changed; only the first ${max} are covered` }];
}

interface Part {
  readonly entries: readonly DraftEntry[];
  readonly notCovered: readonly NotCovered[];
  readonly group: string | undefined;
  readonly id: SweepRecord['id'] | undefined;
}

function writeTo(
  ports: Ports,
  stores: RootStores,
  before: SweepRecord,
  { entries, notCovered, group, id }: Part,
): void {
  const draft = {
    kind: 'command' as const,
    status: 'done' as const,
    ...(id !== undefined && { id }),
    ...(group !== undefined && { group }),
    ...(before.agent && { agent: before.agent }),
    ...(before.prompt !== undefined && { prompt: before.prompt }),
    ...(before.command !== undefined && { label: before.command }),
    entries,
    notCovered,
  };
  try {
    writeCheckpoint(ports, stores.primary, draft);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    writeCheckpoint(ports, stores.fallback, draft);
    addWarning(ports, {
      key: `store:${stores.root}`,
      text: `Checkpoints of ${stores.root} are kept in your user folder, because its own store cannot be used: ${text}`,
    });
  }
}
