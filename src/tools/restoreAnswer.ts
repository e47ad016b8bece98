// A plan, or what was done, for a model: in words, then as the command line's JSON within bounds.
import { displayPath } from '../core/restore/relativePath';
import type { RestoreOutcome } from '../core/restore/types';
import { cutRows } from './bounds';
import type { CarriedOut } from './restore';

export function restoreAnswer({ plan, outcome, recovered }: CarriedOut): string[] {
  const uncovered = cutRows(plan.notCovered);
  const notCovered = uncovered.rows.map(({ path, reason }) => ({ ...(path && { path: displayPath(path) }), reason }));
  const { json, cut } = bounded(outcome);
  return [
    words(plan.label, outcome),
    JSON.stringify({
      ...json,
      ...(notCovered.length > 0 && { notCovered }),
      ...(recovered.length > 0 && { recovered }),
      ...(cut + uncovered.more > 0 && { cut: `${cut + uncovered.more} paths are not listed` }),
    }),
  ];
}

function words(
  label: string,
  { restored, deleted, unchanged, skipped, conflicts, dryRun, guard }: RestoreOutcome,
): string {
  const would = dryRun ? 'would be ' : '';
  const counts = [
    [restored.length, `${would}restored`],
    [deleted.length, `${would}removed`],
    [unchanged.length, 'already as wanted'],
    [skipped.length, 'refused'],
    [conflicts.length, 'changed since, left alone'],
  ] as const;
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const acts = restored.length + deleted.length > 0;
  const end = dryRun
    ? acts
      ? 'This is a plan: nothing was changed. Call again with confirm: true to carry it out.'
      : 'There is nothing to do.'
    : guard === null
      ? 'Nothing was changed.'
      : `What was there is in checkpoint ${guard}: restoring that one takes this back.`;
  return `${label}: ${parts.length > 0 ? `${parts.join(', ')}.` : 'no paths.'} ${end}`;
}

function bounded(outcome: RestoreOutcome): { json: object; cut: number } {
  const { guard, dryRun, ...lists } = outcome;
  let cut = 0;
  const shown = Object.entries(lists).map(([name, rows]: [string, readonly unknown[]]) => {
    const kept = cutRows(rows);
    cut += kept.more;
    return [name, kept.rows];
  });
  return { json: { guard, ...Object.fromEntries(shown), dryRun }, cut };
}
