// A plan as rows: what will change, what waits for a decision, and what stays, each with its reason. Pure.
import { displayPath, pathKey } from '../../core/restore/relativePath';
import type { Decision, Decisions, PlanStep, RestorePlan } from '../../core/restore/types';
import { actsOn, isFile, verb } from '../restore/planText';
import { counted, withLocalTimes } from '../timeline/words';

export type GroupKind = 'change' | 'yours' | 'refused' | 'notCovered' | 'kept';

export interface PathRow {
  readonly type: 'path';
  readonly id: string;
  readonly group: GroupKind;
  /** {@link pathKey} */
  readonly key: string;
  readonly path: string;
  readonly step: PlanStep;
  /** Place in the plan. */
  readonly index: number;
  /** What will happen, or why nothing does. */
  readonly words: string;
  readonly checked: boolean;
  readonly decision: Decision | undefined;
}

/** Something that has no file of its own in the plan. */
export interface NoteRow {
  readonly type: 'note';
  readonly id: string;
  readonly group: GroupKind;
  readonly path: string;
  readonly words: string;
}

export interface GroupRow {
  readonly type: 'group';
  readonly id: string;
  readonly kind: GroupKind;
  readonly label: string;
  readonly rows: readonly (PathRow | NoteRow)[];
}

/** Runs what is checked. */
export interface RunRow {
  readonly type: 'run';
  readonly id: string;
  readonly label: string;
  readonly count: number;
}

export type Row = RunRow | GroupRow | PathRow | NoteRow;

/** Why a path is left alone, as the plan without decisions says it. */
export type Reasons = ReadonlyMap<string, string>;

/** Folders that are only made for what comes back into them are not shown. */
const isShown = (step: PlanStep) => step.action !== 'mkdir' || step.takes.length > 0;

/**
 * @param plan with all decisions but those to leave a path out
 * @param reasons of the paths that a person has to decide about
 */
export function rowsOf(plan: RestorePlan, decisions: Decisions, reasons: Reasons): Row[] {
  const rows = plan.steps.flatMap((step, index) => (isShown(step) ? [pathRow(step, index, decisions, reasons)] : []));
  const notes = plan.notCovered.map(({ path, reason }, i): NoteRow => {
    const shown = path === undefined ? 'Not covered' : displayPath(path);
    return { type: 'note', id: `note/${i}`, group: 'notCovered', path: shown, words: withLocalTimes(reason) };
  });
  const group = (kind: GroupKind, label: string, all: readonly (PathRow | NoteRow)[] = of(kind)): GroupRow[] =>
    all.length > 0 ? [{ type: 'group', id: `group/${kind}`, kind, label, rows: all }] : [];
  const of = (kind: GroupKind) => rows.filter((row) => row.group === kind);
  const count = countOf(rows);
  const label = count === 0 ? 'Nothing to Restore' : `Restore ${counted(count, 'File')}`;
  return [
    { type: 'run', id: 'run', label, count },
    ...group('change', 'Changes'),
    ...group('yours', 'Changed Since: Decide for Each'),
    ...group('refused', 'Cannot Be Restored'),
    ...group('notCovered', 'Not Covered by the Checkpoint', notes),
    ...group('kept', 'Stays as It Is'),
  ];
}

function countOf(rows: readonly PathRow[]): number {
  const run = rows.filter(({ step, checked }) => actsOn(step) && checked);
  return run.filter(({ step }) => isFile(step)).length || run.length;
}

function pathRow(step: PlanStep, index: number, decisions: Decisions, reasons: Reasons): PathRow {
  const key = pathKey(step.path);
  const decision = decisions.get(key);
  const isDecided = decision !== undefined && decision !== 'leave' && decision !== 'refuse';
  const group: GroupKind =
    step.action === 'conflict' || isDecided
      ? 'yours'
      : step.action === 'refused'
        ? 'refused'
        : step.action === 'keep'
          ? 'kept'
          : 'change';
  const checked = decision !== 'leave' && actsOn(step);
  const reason = withLocalTimes(reasons.get(key) ?? step.reason);
  const words = {
    change: verb(step),
    yours: isDecided && !actsOn(step) ? decidedWords(step, decision) : `${decidedWords(step, decision)} · ${reason}`,
    refused: reason,
    notCovered: reason,
    kept: reason,
  }[group];
  return {
    type: 'path',
    id: `path/${key}`,
    group,
    key,
    path: displayPath(step.path),
    step,
    index,
    words,
    checked,
    decision,
  };
}

/** What a person decided about what was changed since, and what comes of it. */
export function decidedWords(step: PlanStep, decision: Decision | undefined): string {
  if (typeof decision === 'object') return actsOn(step) ? 'merged by you' : `not merged: ${step.reason}`;
  if (decision === 'overwrite') return actsOn(step) ? `overwritten: ${verb(step)}` : `not overwritten: ${step.reason}`;
  if (decision === 'merge') return actsOn(step) ? 'merged' : `not merged: ${step.reason}`;
  return 'keep mine';
}

/** Under the title: the plan in a sentence. */
export function planSentence(what: string, rows: readonly Row[]): string {
  const of = (kind: GroupKind) => rows.find((row) => row.type === 'group' && row.kind === kind);
  const paths = (kind: GroupKind) => {
    const group = of(kind);
    return group?.type === 'group' ? group.rows.filter((row) => row.type === 'path') : [];
  };
  const all = [...paths('change'), ...paths('yours')];
  const run = all.filter(({ checked, step }) => checked && isFile(step));
  const count = (test: (step: PlanStep) => boolean) => run.filter(({ step }) => test(step)).length;
  const isNew = ({ current, action }: PlanStep) => action !== 'delete' && current.type === 'absent';
  const waiting = paths('yours').filter(({ checked }) => !checked).length;
  const left = paths('change').filter(({ checked, step }) => !checked && isFile(step)).length;
  const facts = [
    [count((step) => step.action !== 'delete' && !isNew(step)), 'written'],
    [count(isNew), 'put back'],
    [count(({ action }) => action === 'delete'), 'removed'],
    [left, 'left out'],
    [waiting, 'changed since and kept'],
    [paths('refused').length, 'cannot be restored'],
  ] as const;
  const said = facts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return `${what}: ${said.length > 0 ? said.join(', ') : 'nothing changes'}.`;
}

/** The same for two plans that do the same to the same files. */
export const fingerprint = (plan: RestorePlan): string =>
  JSON.stringify(
    plan.steps.map(({ path, action, current, result, inEditor }) => [
      path,
      action,
      short(current),
      short(result),
      inEditor,
    ]),
  );

const short = (state: PlanStep['current']) => (state.type === 'file' ? [state.sha256, state.mode] : state);
