// The restores that are being decided, so that their results can be shown before anything is written.
import { randomBytes } from 'node:crypto';
import type { RestorePlan } from '../../core/restore/types';
import type { HostRoot } from '../workspaceRoots';

const kept = 8;

export interface PlanShown {
  readonly root: HostRoot;
  readonly plan: RestorePlan;
  /** Unsaved text of editors, by relative path. */
  readonly unsaved: ReadonlyMap<string, Uint8Array>;
}

export class PlanPreviews {
  readonly #plans = new Map<string, PlanShown>();

  /** The token that names the plan in URIs. The oldest plans are forgotten. */
  add(shown: PlanShown): string {
    const token = randomBytes(8).toString('hex');
    this.#plans.set(token, shown);
    if (this.#plans.size > kept) this.#plans.delete(this.#plans.keys().next().value!);
    return token;
  }

  get(token: string): PlanShown | undefined {
    return this.#plans.get(token);
  }
}
