// The restores that are being decided, so that their results can be shown before anything is written.
import { randomBytes } from 'node:crypto';
import type { RestorePlan } from '../../core/restore/types';
import type { HostRoot } from '../workspaceRoots';

const kept = 8;

export class PlanPreviews {
  readonly #plans = new Map<string, { root: HostRoot; plan: RestorePlan }>();

  /** The token that names the plan in URIs. The oldest plans are forgotten. */
  add(root: HostRoot, plan: RestorePlan): string {
    const token = randomBytes(8).toString('hex');
    this.#plans.set(token, { root, plan });
    if (this.#plans.size > kept) this.#plans.delete(this.#plans.keys().next().value!);
    return token;
  }

  get(token: string) {
    return this.#plans.get(token);
  }
}
