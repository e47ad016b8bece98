// What happened to each path, in the plan's order.
import type { RelativePath } from '../store/meta';
import { displayPath, pathKey } from './relativePath';
import { acts } from './settle';
import type { PlanStep, RestoreOutcome, RestorePlan } from './types';

type Ending = 'done' | 'unchanged' | 'conflict' | 'skipped';

export class Report {
  readonly #endings = new Map<string, { ending: Ending; reason: string }>();

  constructor(readonly plan: RestorePlan) {}

  add(step: PlanStep, ending: Ending, reason = step.reason): void {
    this.#endings.set(pathKey(step.path), { ending, reason });
  }

  outcome(guard: string | null, dryRun = false): RestoreOutcome {
    const steps = this.plan.steps.map((step) => ({
      step,
      path: displayPath(step.path),
      ...(this.#endings.get(pathKey(step.path)) ?? { ending: 'skipped' as const, reason: step.reason }),
    }));
    const paths = (wanted: (step: PlanStep, ending: Ending) => boolean) =>
      steps.filter(({ step, ending }) => wanted(step, ending)).map(({ path }) => path);
    const reasons = (wanted: Ending) =>
      steps.filter(({ ending }) => ending === wanted).map(({ path, reason }) => ({ path, reason }));
    const goes = ({ result }: PlanStep) => result.type === 'absent';
    // Folders that were only made for what is in them are nobody's request.
    const meant = ({ action, takes }: PlanStep) => action !== 'mkdir' || takes.length > 0;
    const named = new Set(steps.map(({ path }) => path));
    const notCovered = this.plan.notCovered.flatMap(({ path, reason }) => {
      const shown = path === undefined ? undefined : displayPath(path);
      return shown === undefined || named.has(shown) ? [] : [{ path: shown, reason: `not covered: ${reason}` }];
    });
    return {
      guard,
      restored: paths((step, ending) => ending === 'done' && !goes(step) && meant(step)),
      deleted: paths((step, ending) => ending === 'done' && goes(step)),
      unchanged: paths((_, ending) => ending === 'unchanged'),
      skipped: [...reasons('skipped'), ...notCovered],
      conflicts: reasons('conflict'),
      dryRun,
    };
  }
}

/** What would happen if nothing changes until then. */
export function predicted(plan: RestorePlan): RestoreOutcome {
  const report = new Report(plan);
  for (const step of plan.steps) {
    if (acts(step)) report.add(step, 'done');
    else report.add(step, step.action === 'keep' ? 'unchanged' : step.action === 'conflict' ? 'conflict' : 'skipped');
  }
  return report.outcome(null, true);
}

/** An error that says at which path it was. */
export const withPath = (path: RelativePath, error: unknown): Error =>
  new Error(`${displayPath(path)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
