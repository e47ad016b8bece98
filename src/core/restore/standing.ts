// Which agents' entries stand, and which restores are in force. Pure.
//
// Every restore switches entries of agents off or, where it takes a restore back, on again; an entry's state is what
// the last restore made of it, as its bytes are. (Going by references alone, "taken back by a restore that nobody
// took back", an older restore could come into force again behind a newer one, and bytes and record would part.)
import type { CheckpointId } from '../store/ids';
import type { Entry, Meta } from '../store/meta';
import { pathKey } from './relativePath';

/** Entry `entry` of checkpoint `id`. */
export interface Ref {
  readonly id: CheckpointId;
  readonly entry: number;
}

export const refKey = ({ id, entry }: Ref): string => `${id}/${entry}`;

/** What stands and what is in force, given all restores, and `extra` entries taken back on top of them. */
export interface Standing {
  /** Not taken back: an agent's entry stands, a restore's entry is in force. */
  has(ref: Ref): boolean;
}

interface Effect {
  readonly ref: Ref;
  readonly on: boolean;
}

/** What a restore switches, by path key; the last one of an entry counts. */
type Effects = ReadonlyMap<string, readonly Effect[]>;

export class Restores {
  readonly #effects = new Map<string, Effects>();

  /**
   * @param restores finished ones, oldest first
   * @param entryOf undefined for what is not there any more
   */
  constructor(
    readonly restores: readonly Meta[],
    readonly entryOf: (ref: Ref) => Entry | undefined,
  ) {
    for (const meta of restores) {
      const paths = new Set(meta.entries.map(({ path }) => pathKey(path)));
      // A restore cannot take back what came after it, or what it has no bytes of, whatever its record claims.
      const refs = (meta.restores ?? []).filter((ref) => ref.id < meta.id && paths.has(this.#pathOf(ref)));
      this.#effects.set(meta.id, this.#effectsOf(refs));
    }
  }

  #pathOf(ref: Ref): string {
    const entry = this.entryOf(ref);
    return entry === undefined ? '' : pathKey(entry.path);
  }

  /** Restores are reversed newest first; agents' entries that are named themselves are off in any case. */
  #effectsOf(refs: readonly Ref[]): Effects {
    const byPath = new Map<string, Effect[]>();
    const add = (effect: Effect) => {
      const path = this.#pathOf(effect.ref);
      const effects = byPath.get(path);
      if (effects) effects.push(effect);
      else byPath.set(path, [effect]);
    };
    for (const ref of [...refs].sort((a, b) => (a.id < b.id ? 1 : -1))) {
      for (const { ref: switched, on } of this.effects(ref)) add({ ref: switched, on: !on });
    }
    for (const ref of refs) if (!this.#effects.has(ref.id)) add({ ref, on: false });
    return byPath;
  }

  /** What a restore's entry switched on its path, in that order; nothing for other entries. */
  effects(ref: Ref): readonly Effect[] {
    return this.#effects.get(ref.id)?.get(this.#pathOf(ref)) ?? [];
  }

  /** With `before`, only agents' entries are told, as they were right before that checkpoint. */
  standing(extra: readonly Ref[], before?: CheckpointId): Standing {
    const state = new Map<string, boolean>();
    const all = [...this.#effects].filter(([id]) => before === undefined || id < before).map(([, effects]) => effects);
    for (const effects of [...all, this.#effectsOf(extra)]) {
      for (const { ref, on } of [...effects.values()].flat()) state.set(refKey(ref), on);
    }
    const taken = this.#takenRestores(extra);
    const stands = (ref: Ref) => state.get(refKey(ref)) ?? true;
    return {
      has: (ref) => {
        if (!this.#effects.has(ref.id)) return stands(ref);
        if (taken.has(refKey(ref))) return false;
        // One that later restores have overtaken entirely has nothing left to be taken back.
        const effects = this.effects(ref);
        return effects.length === 0 || effects.some((effect) => stands(effect.ref) === effect.on);
      },
    };
  }

  /** The entries of restores that a restore took back that was not taken back itself. */
  #takenRestores(extra: readonly Ref[]): ReadonlySet<string> {
    const taken = new Set(extra.map(refKey));
    for (const meta of [...this.restores].reverse()) {
      // Path by path: a later redo may have reversed this restore for some of its paths only.
      const inForce = new Set(
        meta.entries.filter((_, entry) => !taken.has(refKey({ id: meta.id, entry }))).map(({ path }) => pathKey(path)),
      );
      for (const ref of meta.restores ?? []) {
        if (ref.id < meta.id && inForce.has(this.#pathOf(ref))) taken.add(refKey(ref));
      }
    }
    return taken;
  }
}
