// What the checkpoints of a root say together: which entries still stand, which restores are in force, and what
// was recorded of each path in which order. Pure.
import type { CheckpointId } from '../store/ids';
import type { Entry, Meta, RelativePath, State } from '../store/meta';
import { pathKey } from './relativePath';
import { Restores, type Ref, type Standing } from './standing';
import { sameState } from './states';

export { refKey, type Ref, type Standing } from './standing';

/**
 * `agent`: its changes can be taken back. `restore`: a finished restore. `mark`: notes a state, changes nothing
 * (manual checkpoints, calls that were denied, restores that were rolled back). `recovered`: made later from
 * transcripts, so its place in the order of ids says nothing about when it happened.
 */
export type Role = 'agent' | 'restore' | 'mark' | 'recovered';

export function roleOf({ kind, status }: Meta): Role {
  if (kind === 'manual' || status === 'unchanged' || status === 'abandoned') return 'mark';
  if (kind === 'restore') return status === 'done' ? 'restore' : 'mark';
  return kind === 'recovered' ? 'recovered' : 'agent';
}

/** One change of one path. */
export interface Change extends Ref {
  readonly key: string;
  readonly meta: Meta;
  readonly role: Role;
  readonly pre: State;
  /** As recorded; else the next record's pre-image, or undefined where that is still the present state. */
  readonly post?: State | undefined;
  /** The checkpoint that holds the blob of `post`. */
  readonly postOf: CheckpointId;
  /** The state after may hold a person's writing as well. */
  readonly inferred: boolean;
}

export class History {
  readonly #byId: ReadonlyMap<string, Meta>;
  readonly #changes = new Map<string, Change[]>();
  readonly restores: Restores;

  /** @param metas oldest first; none that is not trusted */
  constructor(readonly metas: readonly Meta[]) {
    this.#byId = new Map(metas.map((meta) => [meta.id, meta]));
    for (const meta of metas) if (roleOf(meta) !== 'mark') for (const change of changesOf(meta)) this.#add(change);
    for (const changes of this.#changes.values()) fillPosts(changes);
    this.restores = new Restores(
      metas.filter((meta) => roleOf(meta) === 'restore'),
      (ref) => this.entry(ref),
    );
  }

  #add(change: Change): void {
    // What has no fixed place in time would look like a person's write between two others.
    if (change.role === 'recovered') return;
    const changes = this.#changes.get(change.key);
    if (changes) changes.push(change);
    else this.#changes.set(change.key, [change]);
  }

  meta(id: string): Meta | undefined {
    return this.#byId.get(id);
  }

  entry({ id, entry }: Ref): Entry | undefined {
    return this.#byId.get(id)?.entries[entry];
  }

  /** The recorded changes of a path, oldest first; those that changed nothing are left out. */
  changes(key: string): readonly Change[] {
    return this.#changes.get(key) ?? [];
  }

  /** The change of an entry; undefined where it changed nothing. */
  change(ref: Ref): Change | undefined {
    const meta = this.#byId.get(ref.id);
    const entry = this.entry(ref);
    if (!meta || !entry) return undefined;
    if (roleOf(meta) === 'recovered') return changesOf(meta).find((change) => change.entry === ref.entry);
    return this.changes(pathKey(entry.path)).find((change) => change.id === ref.id && change.entry === ref.entry);
  }

  /** Given all restores, and `extra` entries taken back on top of them. */
  standing(extra: readonly Ref[] = []): Standing {
    return this.restores.standing(extra);
  }

  /** As it was right before a checkpoint. */
  standingBefore(id: CheckpointId): Standing {
    return this.restores.standing([], id);
  }

  /** A redo takes back restores only. */
  isRedo({ restores = [] }: Meta): boolean {
    return (
      restores.length > 0 &&
      restores.every(({ id }) => {
        const meta = this.#byId.get(id);
        return meta !== undefined && meta.kind === 'restore';
      })
    );
  }

  /**
   * The checkpoints that are taken back together with this one: parts of one call, and calls of one session that ran
   * at the same time on a path. (Between sessions the merge keeps them apart: nobody's undo takes another's work.)
   */
  overlapping(meta: Meta): Meta[] {
    const group = new Set([meta]);
    for (const member of group) {
      if (roleOf(member) !== 'agent') continue;
      for (const other of this.metas) {
        if (member.group !== undefined && member.group === other.group && roleOf(other) === 'agent') group.add(other);
      }
      for (const entry of member.entries.keys()) {
        for (const other of this.#together({ id: member.id, entry })) group.add(other.meta);
      }
    }
    return [...group];
  }

  /** Writes of a path that overlapped: the later one found what the earlier one had found, not what it had left. */
  #together(ref: Ref): Change[] {
    const change = this.change(ref);
    if (!change) return [];
    const changes = this.changes(change.key);
    const at = changes.indexOf(change);
    return [changes[at - 1], changes[at + 1]].filter(
      (other): other is Change =>
        other?.role === 'agent' &&
        other.meta.agent?.name === change.meta.agent?.name &&
        other.meta.agent?.session === change.meta.agent?.session &&
        sameState(other.pre, change.pre),
    );
  }
}

/** The key of the turn a checkpoint belongs to; undefined where its agent named none. */
export const turnKey = ({ agent }: Meta): string | undefined =>
  agent?.turn === undefined ? undefined : JSON.stringify([agent.name, agent.session, agent.turn]);

function changesOf(meta: Meta): Change[] {
  const role = roleOf(meta);
  return meta.entries.flatMap(({ path, pre, post: recorded }, entry) => {
    const post = recorded?.type === 'unreadable' ? undefined : recorded;
    if (post && sameState(pre, post)) return [];
    const inferred = post === undefined || post.inferred === true;
    return [{ id: meta.id, entry, key: pathKey(path), meta, role, pre, post, postOf: meta.id, inferred }];
  });
}

/** A state after that nobody saw is at least what the next record found. */
function fillPosts(changes: Change[]): void {
  for (let i = changes.length - 2; i >= 0; i--) {
    const change = changes[i]!;
    const next = changes[i + 1]!;
    if (change.post !== undefined) continue;
    if (sameState(change.pre, next.pre)) changes.splice(i, 1);
    else changes[i] = { ...change, ...unseenPost(change, next), postOf: next.id };
  }
}

/** What could not be read then (its folder was a link, say) and is nothing now holds no bytes of a person. */
function unseenPost({ meta, entry, inferred }: Change, { pre }: Change): Pick<Change, 'post' | 'inferred'> {
  const unread = meta.entries[entry]!.post?.type === 'unreadable';
  return { post: pre, inferred: inferred && !(unread && pre.type === 'absent') };
}

const twice = new WeakMap<Meta, ReadonlySet<string>>();

/** Whether a path is named more than once by a checkpoint, which no capture does. */
export function namesTwice(meta: Meta, path: RelativePath): boolean {
  let known = twice.get(meta);
  if (known === undefined) {
    const keys = meta.entries.map((entry) => pathKey(entry.path));
    const seen = new Set<string>();
    known = new Set(keys.filter((key) => seen.has(key) || !seen.add(key)));
    twice.set(meta, known);
  }
  return known.has(pathKey(path));
}
