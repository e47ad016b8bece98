// restore, undo, redo: plan, apply, and say what happened to each path.
import path from 'node:path';
import type { Ports } from '../../core/ports';
import { recoverJournal } from '../../core/restore/journal';
import { planRedo, planRestore, planUndo, runPlan } from '../../core/restore/restore';
import type { OnConflict, PlanStep, RestoreOutcome, RestorePlan, RestoreTarget } from '../../core/restore/types';
import { unsavedPaths } from '../../core/state/unsaved';
import { parseCheckpointId } from '../../core/store/ids';
import { pathInRoot } from './paths';
import { storesToRead } from './reading';
import { counted, pathText, safeLine } from './screen';
import {
  choiceOption,
  flag,
  textOption,
  UsageError,
  type OptionSpecs,
  type Verb,
  type VerbCall,
  type VerbResult,
} from './verb';

const modes = ['checkpoint', 'file', 'turn', 'rewind'] as const;
const conflictChoices = ['refuse', 'merge', 'overwrite'] as const;

const sharedOptions = {
  'on-conflict': { type: 'string' },
  'dry-run': { type: 'boolean' },
} satisfies OptionSpecs;

const sharedDetails = [
  '--on-conflict C   what to do with a path that was changed since:',
  '                  refuse (default) leaves it alone, merge keeps both sides where they do not overlap,',
  '                  overwrite takes the old state; what was there is in the guard checkpoint',
  '--dry-run         only say what would happen',
  'Exit code 3: conflicts are left. 1: a path was refused or failed.',
  'JSON: {guard, restored: [path], deleted: [path], unchanged: [path], skipped: [{path, reason}],',
  '       conflicts: [{path, reason}], dryRun}.',
];

export const restore: Verb = {
  name: 'restore',
  usage: '<id> [--mode checkpoint|file|turn|rewind] [--file P] [--session S]',
  summary: 'bring back what was there before',
  details: [
    '--mode M          checkpoint (default): take back this action, keep later ones',
    '                  file: one file of it; turn: the whole turn; rewind: everything from it on',
    '--file P          only this file (relative to the root, or absolute)',
    "--session S       with rewind: only this session's actions",
    '--foreign         restore from a checkpoint that was not made by you on this computer',
    ...sharedDetails,
  ],
  options: {
    ...sharedOptions,
    mode: { type: 'string' },
    file: { type: 'string' },
    session: { type: 'string' },
    foreign: { type: 'boolean' },
  },
  arguments: { min: 1, max: 1 },
  run(call) {
    const target = targetOf(call);
    const options = { onConflict: onConflictOf(call), foreign: flag(call, 'foreign') };
    return carryOut(call, (ports, root) => planRestore(ports, root, target, options));
  },
};

export const undo: Verb = {
  name: 'undo',
  usage: '',
  summary: 'take back the newest turn that still stands',
  details: ['Repeat it to go further back; `redo` goes forward again.', ...sharedDetails],
  options: sharedOptions,
  run: (call) => {
    const onConflict = onConflictOf(call);
    return carryOut(call, (ports, root) => planUndo(ports, root, { onConflict }));
  },
};

export const redo: Verb = {
  name: 'redo',
  usage: '',
  summary: 'take back the newest undo or restore',
  details: sharedDetails,
  options: sharedOptions,
  run: (call) => {
    const onConflict = onConflictOf(call);
    return carryOut(call, (ports, root) => planRedo(ports, root, { onConflict }));
  },
};

const onConflictOf = (call: VerbCall): OnConflict => choiceOption(call, 'on-conflict', conflictChoices) ?? 'refuse';

function targetOf(call: VerbCall): RestoreTarget {
  const mode = choiceOption(call, 'mode', modes) ?? 'checkpoint';
  const file = textOption(call, 'file');
  const session = textOption(call, 'session');
  if (session !== undefined && mode !== 'rewind') throw new UsageError('--session goes with --mode rewind only.');
  const id = parseCheckpointId(call.positionals[0]!);
  const root = call.root();
  return {
    mode,
    id,
    ...(file === undefined ? {} : { files: [pathInRoot(call.io.ports.fs, root, root, file)] }),
    ...(session === undefined ? {} : { session }),
  };
}

function carryOut(call: VerbCall, makePlan: (ports: Ports, root: string) => RestorePlan): VerbResult {
  const { ports } = call.io;
  const root = call.root();
  const dryRun = flag(call, 'dry-run');
  if (!dryRun) for (const recovered of recoverJournal(ports)) call.say(recoveredText(recovered));
  storesToRead(call);
  const plan = withoutUnsaved(makePlan(ports, root), unsavedPaths(ports));
  const outcome = runPlan(ports, root, plan, { dryRun });
  for (const { path: file, reason } of plan.notCovered) {
    call.say(`not covered: ${file === undefined ? '' : `${pathText(file)}: `}${reason}`);
  }
  return { json: printed(outcome), human: () => outcomeText(plan, outcome), exit: exitOf(outcome) };
}

/** A path with unsaved text in an editor is never written under. */
export function withoutUnsaved(plan: RestorePlan, unsaved: ReadonlySet<string>): RestorePlan {
  if (unsaved.size === 0) return plan;
  const steps = plan.steps.map((step): PlanStep => {
    const idle = step.action === 'keep' || step.action === 'refused' || step.action === 'conflict';
    if (idle || !unsaved.has(path.join(plan.root, pathText(step.path)))) return step;
    return { ...step, action: 'refused', reason: 'has unsaved text in an editor; save it there, then restore again' };
  });
  return { ...plan, steps };
}

function printed(outcome: RestoreOutcome): RestoreOutcome {
  const { guard, restored, deleted, unchanged, skipped, conflicts, dryRun } = outcome;
  return { guard, restored, deleted, unchanged, skipped, conflicts, dryRun };
}

const exitOf = ({ skipped, conflicts }: RestoreOutcome) => (skipped.length > 0 ? 1 : conflicts.length > 0 ? 3 : 0);

function outcomeText(plan: RestorePlan, outcome: RestoreOutcome): string {
  const { guard, restored, deleted, unchanged, skipped, conflicts, dryRun } = outcome;
  const reasons = ({ path: file, reason }: { path: string; reason: string }) =>
    `${safeLine(file)}: ${safeLine(reason)}`;
  const group = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  const done = restored.length + deleted.length;
  return [
    safeLine(plan.label),
    ...group(dryRun ? 'Would be restored' : 'Restored', restored.map(safeLine)),
    ...group(dryRun ? 'Would be removed' : 'Removed', deleted.map(safeLine)),
    ...group('Already as wanted', unchanged.map(safeLine)),
    ...group('Refused or failed', skipped.map(reasons)),
    ...group('Conflicts, left alone', conflicts.map(reasons)),
    ...(conflicts.length === 0
      ? []
      : [
          'Look at them with `diff`. Then --on-conflict merge keeps both sides where it can, overwrite takes the old state.',
        ]),
    dryRun
      ? 'Dry run: nothing was changed.'
      : done === 0
        ? 'Nothing was changed.'
        : `${counted(done, 'path')} changed.${guard === null ? '' : ` What was there is in checkpoint ${guard}; \`redo\` goes back to it.`}`,
  ].join('\n');
}

function recoveredText(recovered: unknown): string {
  return `A restore that was interrupted: ${JSON.stringify(recovered)}`;
}
