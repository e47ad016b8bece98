// A restore plan in plain words: what the person confirms. Pure.
import { displayPath } from '../../core/restore/relativePath';
import type { PlanStep, RestoreOutcome, RestorePlan } from '../../core/restore/types';
import { counted, withLocalTimes } from '../timeline/words';

const maxListed = 8;

export interface PlanSummary {
  /** Steps that change a file, a link or a folder, in the file system or an editor. */
  readonly acting: readonly PlanStep[];
  readonly conflicts: readonly PlanStep[];
  readonly refused: readonly PlanStep[];
}

export const actsOn = ({ action }: PlanStep): boolean =>
  action === 'write' || action === 'delete' || action === 'relink' || action === 'mkdir';

export function summaryOf({ steps }: RestorePlan): PlanSummary {
  return {
    acting: steps.filter(actsOn),
    conflicts: steps.filter(({ action }) => action === 'conflict'),
    refused: steps.filter(({ action }) => action === 'refused'),
  };
}

/** Folders that come and go with their files are not counted as files. */
export const isFile = ({ result, current }: PlanStep): boolean =>
  result.type !== 'directory' && current.type !== 'directory';

export const fileCount = (steps: readonly PlanStep[]): number => steps.filter(isFile).length || steps.length;

/** What will happen to a path. */
export function verb(step: PlanStep): string {
  const merged = step.merged && 'merged with what came later';
  if (step.inEditor) return `${merged ?? 'changed'}, in its editor and not saved`;
  if (step.action === 'mkdir') return 'made again';
  if (step.action === 'delete') return 'removed';
  return merged ?? (step.current.type === 'absent' ? 'put back' : 'restored');
}

/** The body of the confirmation. */
export function planDetail(plan: RestorePlan): string {
  const { acting, conflicts, refused } = summaryOf(plan);
  const paragraphs = [
    list(
      countsText(acting.filter(isFile)),
      acting.filter(isFile),
      (step) => `${displayPath(step.path)}: ${verb(step)}`,
    ),
    list('Left alone, because they were changed since:', conflicts, reasonLine),
    list('Cannot be restored:', refused, reasonLine),
    list('Not covered by the checkpoint:', plan.notCovered, ({ path, reason }) =>
      path === undefined ? reason : `${displayPath(path)}: ${reason}`,
    ),
    acting.length > 0 ? 'What is there now is kept in a checkpoint of its own, so this can be undone.' : '',
  ];
  return paragraphs.filter((text) => text !== '').join('\n\n');
}

function reasonLine({ path, reason, inEditor }: PlanStep): string {
  return `${displayPath(path)}: ${withLocalTimes(reason)}${inEditor ? ' (unsaved, in an editor)' : ''}`;
}

/** “2 files are restored, 1 is removed:” */
function countsText(steps: readonly PlanStep[]): string {
  const removed = steps.filter(({ action }) => action === 'delete').length;
  const restored = steps.length - removed;
  const be = (count: number) => (count === 1 ? 'is' : 'are');
  const parts = [
    restored > 0 && `${counted(restored, 'file')} ${be(restored)} restored`,
    removed > 0 && `${restored > 0 ? removed : counted(removed, 'file')} ${be(removed)} removed`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(', ')}:` : '';
}

function list<T>(heading: string, items: readonly T[], line: (item: T) => string): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, maxListed).map((item) => `• ${line(item)}`);
  const rest = items.length - shown.length;
  return [...(heading ? [heading] : []), ...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

/** What is told after it ran. */
export function outcomeText({ restored, deleted, conflicts, skipped }: RestoreOutcome): string {
  const done = [
    restored.length > 0 && `Restored ${counted(restored.length, 'file')}`,
    deleted.length > 0 && `${restored.length > 0 ? 'removed' : 'Removed'} ${counted(deleted.length, 'file')}`,
  ].filter(Boolean);
  const left = conflicts.length + skipped.length;
  const sentences = [
    done.length > 0 ? `${done.join(' and ')}.` : 'Nothing was changed.',
    left > 0 && `${counted(left, 'file')} left alone.`,
    done.length > 0 && 'A guard checkpoint keeps what was there.',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Why nothing happens, where the plan changes nothing. */
export function nothingText(plan: RestorePlan): string {
  const { refused, conflicts } = summaryOf(plan);
  const first = refused[0] ?? conflicts[0];
  if (first) return `Nothing can be restored: ${reasonLine(first)}`;
  if (plan.steps.length > 0) return `There is nothing to restore: ${plan.steps[0]!.reason}.`;
  return 'There is nothing to restore.';
}
