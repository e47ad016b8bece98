// What a sweep after a command gathers.
import path from 'node:path';
import type { Ports } from '../../ports';
import { readIgnoreRules, ignoreFileName } from '../ignoreRules';
import { isSameNow, nowAt } from './booking';
import type { SweepLimits } from './limits';
import type { SweepRecord } from './record';

/** What was at a path. */
export type Earlier =
  /** `mode`: permission bits, undefined where they were not noted. */
  | {
      readonly type: 'file';
      readonly mode: number | undefined;
      readonly program?: boolean;
      readonly bytes: () => Buffer;
    }
  | { readonly type: 'absent' | 'directory' }
  | { readonly type: 'symlink'; readonly target: string };

/** A path that may have been changed. */
export interface Candidate {
  /** Relative to the root. */
  readonly path: string;
  readonly earlier: Earlier;
  readonly provenance: 'before-write' | 'git';
}

export interface AfterInput {
  readonly ports: Ports;
  /** Of the sweep before. */
  readonly folder: string;
  readonly record: SweepRecord;
  readonly limits: SweepLimits;
  readonly includeIgnored: readonly string[];
}

export class Changes {
  readonly candidates = new Map<string, Candidate>();
  readonly notCovered: SweepRecord['notCovered'];
  /** To be told beside changes, and no news without them. */
  readonly remarks: SweepRecord['notCovered'] = [];
  /** As rules of Git leave it out now; folders end in `/`. */
  readonly ignoredNow = new Set<string>();
  /** Paths in the indexes of before, relative to the root. */
  readonly tracked = new Set<string>();
  /** Ignored paths that are new and covered. */
  readonly made: string[] = [];
  /** Some part could not be looked at again. */
  isPartial = false;
  readonly #known: ReadonlySet<string>;
  readonly #leftOut: (relative: string) => boolean;

  constructor(readonly input: AfterInput) {
    const { ports, record } = input;
    this.notCovered = [...record.notCovered];
    this.#known = new Set([...Object.keys(record.files), ...record.names]);
    this.#leftOut = readIgnoreRules(ports, record.root);
  }

  /** Whether it was there, untracked, before; or is looked at one by one for another reason. */
  wasNoted(relative: string): boolean {
    return this.#known.has(relative);
  }

  add(candidate: Candidate): void {
    if (!this.candidates.has(candidate.path)) this.candidates.set(candidate.path, candidate);
  }

  leave(relative: string | undefined, reason: string): void {
    this.notCovered.push({ ...(relative !== undefined && { path: relative }), reason });
  }

  /**
   * A path that is there now and was not among the known ones.
   * @param top relative: the work tree that lists it, which may itself be in a folder that another one ignores
   */
  addNew(relative: string, top = ''): void {
    if (this.wasNoted(relative) || this.tracked.has(relative)) return;
    // Rules may have changed: what they left out before was there, and is not to be removed by an undo.
    if (this.wasIgnored(relative, top)) this.leave(relative, 'Git ignored it before the command, so it was not copied');
    else if (!this.input.record.complete) this.leave(relative, 'whether it was there before is not known');
    else this.add({ path: relative, earlier: { type: 'absent' }, provenance: 'before-write' });
  }

  wasIgnored(relative: string, top = ''): boolean {
    const { ignored } = this.input.record;
    if (relative in ignored || `${relative}/` in ignored) return true;
    for (let at = relative.indexOf('/', top === '' ? 0 : top.length + 1); at >= 0; at = relative.indexOf('/', at + 1)) {
      if (relative.slice(0, at + 1) in ignored) return true;
    }
    return false;
  }

  /** Takes out what a person's rules leave out. A command that writes rules does not hide what else it does. */
  leaveOut(): void {
    const { ports, record, limits } = this.input;
    const rules = this.candidates.get(ignoreFileName);
    const now = rules && nowAt(ports, path.join(record.root, ignoreFileName), limits.maxFileBytes);
    if (rules && now && !isSameNow(rules.earlier, now)) return;
    for (const relative of [...this.candidates.keys()]) {
      if (!this.#leftOut(relative)) continue;
      this.candidates.delete(relative);
      this.leave(relative, `it is matched by ${ignoreFileName}`);
    }
  }
}
