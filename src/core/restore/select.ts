// From what a person names to the entries that are taken back. Pure.
import { CheckpointError } from '../errors';
import type { CheckpointId } from '../store/ids';
import type { Meta, State } from '../store/meta';
import { refKey, roleOf, turnKey, type History, type Ref } from './history';
import { pathKey } from './relativePath';
import type { RestoreTarget } from './types';

/** A state that a path is put back to whatever came since. */
export interface Goal {
  readonly state: State;
  readonly of: CheckpointId;
}

export interface Selection {
  readonly label: string;
  readonly takes: readonly Ref[];
  /** Named too, but taken back already. */
  readonly already: readonly Ref[];
  /** Everything from here on is taken back, whoever did it. */
  readonly since?: CheckpointId;
  /** By path key: what a manual checkpoint noted. */
  readonly goals?: ReadonlyMap<string, Goal>;
  /** The checkpoints meant, for what they say is not covered. */
  readonly metas: readonly Meta[];
}

/** @throws CheckpointError `not-found`, `bad-argument` */
export function select(history: History, target: RestoreTarget): Selection {
  const meta = history.meta(target.id);
  if (!meta) throw new CheckpointError('not-found', `There is no checkpoint ${target.id} here. \`list\` shows them.`);
  return narrow(history, selectAll(history, target, meta), target, meta);
}

function selectAll(history: History, { mode, session }: RestoreTarget, meta: Meta): Selection {
  switch (mode) {
    case 'rewind':
      return session === undefined ? rewind(history, meta) : rewindSession(history, meta, session);
    case 'turn': {
      const turn = turnKey(meta);
      if (turn === undefined || roleOf(meta) === 'mark' || roleOf(meta) === 'restore') return one(history, meta);
      return some(
        history,
        turnLabel(meta),
        history.metas.filter((other) => turnKey(other) === turn),
      );
    }
    default:
      return one(history, meta);
  }
}

function one(history: History, meta: Meta): Selection {
  if (meta.kind === 'manual') return manual(history, meta);
  return some(
    history,
    `Undo ${meta.agent?.tool ?? meta.label ?? meta.kind} of ${meta.createdAt}`,
    history.overlapping(meta),
  );
}

function some(history: History, label: string, metas: readonly Meta[]): Selection {
  const standing = history.standing();
  const refs = metas.flatMap((meta) => (roleOf(meta) === 'mark' ? [] : refsOf(meta)));
  const takes = refs.filter((ref) => standing.has(ref));
  return {
    label,
    metas,
    takes: [...takes, ...partsOf(history, takes).filter((ref) => standing.has(ref))],
    already: refs.filter((ref) => !standing.has(ref)),
  };
}

/**
 * The restores that took back parts of these entries and of nothing else. They go with them: together with them they
 * lead from the state before to the state now, and nothing has to be merged.
 */
function partsOf(history: History, taken: readonly Ref[]): Ref[] {
  const keys = new Set(taken.map(refKey));
  const parts: Ref[] = [];
  for (const meta of history.metas) {
    const { id, restoresPart = [] } = meta;
    if (roleOf(meta) !== 'restore' || restoresPart.length === 0 || keys.has(refKey({ id, entry: 0 }))) continue;
    if (!restoresPart.every((ref) => ref.id < id && keys.has(refKey(ref)))) continue;
    for (const ref of refsOf(meta)) {
      keys.add(refKey(ref));
      parts.push(ref);
    }
  }
  return parts;
}

const refsOf = ({ id, entries }: Meta): Ref[] => entries.map((_, entry) => ({ id, entry }));

/** Puts the noted paths back to how they were: takes back what was done to them since. */
function manual(history: History, meta: Meta): Selection {
  const goals = new Map(meta.entries.map(({ path, pre }) => [pathKey(path), { state: pre, of: meta.id }]));
  const { takes } = rewind(history, meta);
  const label = `Back to ${meta.label === undefined ? 'the checkpoint' : JSON.stringify(meta.label)} of ${meta.createdAt}`;
  return { label, metas: [meta], takes: takes.filter((ref) => goals.has(keyOf(history, ref))), already: [], goals };
}

/**
 * To the state before a checkpoint: the agents' entries from it on, and those restores since which switched older
 * entries; these are then as they were at that time.
 */
function rewind(history: History, from: Meta): Selection {
  const metas = history.metas.filter(({ id }) => id >= from.id);
  const restores = metas.filter((meta) => roleOf(meta) === 'restore');
  const takes = new Map<string, Ref>();
  // Without a reference it put back a state over a person's writing, or took back a part of an entry.
  for (const meta of restores.filter((each) => (each.restores ?? []).length === 0)) {
    const standing = history.standing();
    for (const ref of refsOf(meta)) if (standing.has(ref)) takes.set(refKey(ref), ref);
  }
  for (let next: Ref | undefined = undefined; ; takes.set(refKey(next), next)) {
    next = newestSwitch(history, from, restores, takes);
    if (next === undefined) break;
  }
  const standing = history.standing([...takes.values()]);
  for (const ref of metas.filter((meta) => roleOf(meta) === 'agent').flatMap(refsOf)) {
    if (standing.has(ref)) takes.set(refKey(ref), ref);
  }
  return {
    label: `Rewind to before ${from.createdAt}`,
    takes: [...takes.values()],
    already: [],
    since: from.id,
    metas,
  };
}

/** The newest restore, among those not taken yet, that made an older entry other than it was at that time. */
function newestSwitch(
  history: History,
  from: Meta,
  restores: readonly Meta[],
  takes: ReadonlyMap<string, Ref>,
): Ref | undefined {
  const now = history.standing([...takes.values()]);
  const then = history.standingBefore(from.id);
  for (const ref of [...restores].reverse().flatMap(refsOf)) {
    if (takes.has(refKey(ref))) continue;
    const older = history.restores.effects(ref).filter((effect) => effect.ref.id < from.id);
    if (older.some((effect) => now.has(effect.ref) !== then.has(effect.ref))) return ref;
  }
  return undefined;
}

function rewindSession(history: History, from: Meta, session: string): Selection {
  const metas = history.metas.filter(
    (meta) => meta.id >= from.id && meta.agent?.session === session && roleOf(meta) === 'agent',
  );
  return { ...some(history, `Rewind the session to before ${from.createdAt}`, metas), already: [] };
}

function narrow(history: History, selection: Selection, { mode, files }: RestoreTarget, meta: Meta): Selection {
  if (files === undefined) {
    if (mode !== 'file' || meta.entries.length === 1) return selection;
    throw new CheckpointError(
      'bad-argument',
      `Checkpoint ${meta.id} has ${meta.entries.length} paths: say which with --file.`,
    );
  }
  const wanted = (key: string) => files.some((file) => key === file || key.startsWith(`${file}/`));
  const keep = (refs: readonly Ref[]) => refs.filter((ref) => wanted(keyOf(history, ref)));
  const narrowed: Selection = {
    ...selection,
    takes: keep(selection.takes),
    already: keep(selection.already),
    metas: selection.metas.map((each) => ({
      ...each,
      notCovered: each.notCovered.filter(({ path }) => path === undefined || wanted(pathKey(path))),
    })),
    ...(selection.goals && { goals: new Map([...selection.goals].filter(([key]) => wanted(key))) }),
  };
  const found = narrowed.takes.length + narrowed.already.length + (narrowed.goals?.size ?? 0);
  if (found > 0 || narrowed.metas.some(({ notCovered }) => notCovered.some(({ path }) => path !== undefined))) {
    return narrowed;
  }
  throw new CheckpointError(
    'not-found',
    `${files.map((file) => JSON.stringify(file)).join(', ')} is not among the paths of this restore; \`show\` lists them.`,
  );
}

export function keyOf(history: History, ref: Ref): string {
  const entry = history.entry(ref);
  return entry === undefined ? '' : pathKey(entry.path);
}

export function turnLabel({ prompt, createdAt }: Meta): string {
  const words = prompt?.trim().split('\n')[0]?.slice(0, 80);
  return words ? `Undo the turn "${words}"` : `Undo the turn of ${createdAt}`;
}

/**
 * The newest turn with an entry that stands and can be taken back; undefined where there is none.
 */
export function newestTurn(history: History): Selection | undefined {
  const standing = history.standing();
  for (let i = history.metas.length - 1; i >= 0; i--) {
    const meta = history.metas[i]!;
    if (roleOf(meta) !== 'agent') continue;
    // What can never be taken back must not keep the older turns out of reach.
    const possible = refsOf(meta).some((ref) => {
      const change = standing.has(ref) ? history.change(ref) : undefined;
      return change !== undefined && change.pre.type !== 'unreadable';
    });
    if (!possible) continue;
    const turn = turnKey(meta);
    const metas = turn === undefined ? history.overlapping(meta) : history.metas.filter((m) => turnKey(m) === turn);
    return { ...some(history, turnLabel(meta), metas), already: [] };
  }
  return undefined;
}

/** The newest restore in force that is no redo; undefined where there is none. */
export function newestRestore(history: History): Selection | undefined {
  const standing = history.standing();
  for (let i = history.metas.length - 1; i >= 0; i--) {
    const meta = history.metas[i]!;
    if (roleOf(meta) !== 'restore' || history.isRedo(meta)) continue;
    const takes = refsOf(meta).filter((ref) => standing.has(ref));
    if (takes.length === 0) continue;
    return { label: `Redo what "${meta.label ?? 'a restore'}" took back`, takes, already: [], metas: [meta] };
  }
  return undefined;
}
