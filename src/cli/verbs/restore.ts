// restore, undo, redo: plan, apply, and say what happened to each path.
import { displayPath } from '../../core/restore/relativePath';
import type { Ports } from '../../core/ports';
import { planRedo, planRestore, planUndo } from '../../core/restore/restore';
import type { OnConflict, RestoreOutcome, RestorePlan, RestoreTarget } from '../../core/restore/types';
import { parseCheckpointId } from '../../core/store/ids';
import { carryOutPlan, conflictChoices, modes, restoreTarget } from '../../tools/restore';
import { counted, safeLine } from './screen';
import { UsageError } from '../../tools/usage';
import { choiceOption, flag, textOption, type OptionSpecs, type Verb, type VerbCall, type VerbResult } from './verb';

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
  usage: '<id> [--mode checkpoint|file|turn|rewind|hunk] [--file P] [--session S] [--hunk N]',
  summary: 'bring back what was there before',
  details: [
    '--mode M          checkpoint (default): take back this action, keep later ones',
    '                  file: one file of it; turn: the whole turn; rewind: everything from it on',
    '                  hunk: one change of one file, all else in it stays as it is',
    '--file P          only this file (relative to the root, or absolute)',
    "--session S       with rewind: only this session's actions",
    '--hunk N          with hunk: the number of the change, as `diff <id> P` shows it',
    '--foreign         restore from a checkpoint that was not made by you on this computer',
    ...sharedDetails,
  ],
  options: {
    ...sharedOptions,
    mode: { type: 'string' },
    file: { type: 'string' },
    session: { type: 'string' },
    hunk: { type: 'string' },
    foreign: { type: 'boolean' },
  },
  arguments: { min: 1, max: 1 },
  run(call) {
    const target = targetOf(call);
    const options = { onConflict: onConflictOf(call), foreign: flag(call, 'foreign') };
    return carryOut(call, redoIt, (ports, root, readOnly) =>
      planRestore(ports, root, target, { ...options, readOnly }),
    );
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
    return carryOut(call, redoIt, (ports, root, readOnly) => planUndo(ports, root, { onConflict, readOnly }));
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
    return carryOut(call, restoreIt, (ports, root, readOnly) => planRedo(ports, root, { onConflict, readOnly }));
  },
};

const redoIt = () => 'redo';
/** `undo` takes back a turn of an agent, which need not be what was redone. */
const restoreIt = (guard: string) => `restore ${guard}`;

const onConflictOf = (call: VerbCall): OnConflict => choiceOption(call, 'on-conflict', conflictChoices) ?? 'refuse';

function targetOf(call: VerbCall): RestoreTarget {
  const mode = choiceOption(call, 'mode', modes) ?? 'checkpoint';
  const file = textOption(call, 'file');
  const session = textOption(call, 'session');
  if (session !== undefined && mode !== 'rewind') throw new UsageError('--session goes with --mode rewind only.');
  const hunk = hunkOf(call, mode);
  const id = parseCheckpointId(call.positionals[0]!);
  return restoreTarget(call.io.ports, call.root(), { id, mode, ...hunk, file, session });
}

function hunkOf(call: VerbCall, mode: RestoreTarget['mode']): { hunk?: number } {
  const number = textOption(call, 'hunk');
  if (mode !== 'hunk') {
    if (number !== undefined) throw new UsageError('--hunk goes with --mode hunk only.');
    return {};
  }
  if (number === undefined || textOption(call, 'file') === undefined) {
    throw new UsageError('--mode hunk needs --file P and --hunk N; `diff <id> P` shows the numbers.');
  }
  if (!/^[1-9]\d{0,6}$/.test(number))
    throw new UsageError(`--hunk takes a number from 1, not ${JSON.stringify(number)}.`);
  if (textOption(call, 'on-conflict') !== undefined) {
    throw new UsageError('--on-conflict does not go with --mode hunk: nothing but that change is touched.');
  }
  return { hunk: Number(number) };
}

function carryOut(
  call: VerbCall,
  takesItBack: (guard: string) => string,
  makePlan: (ports: Ports, root: string, readOnly: boolean) => RestorePlan,
): VerbResult {
  const { ports } = call.io;
  const root = call.root();
  const { plan, outcome, recovered } = carryOutPlan(ports, root, makePlan, { dryRun: flag(call, 'dry-run') });
  for (const message of recovered) call.say(message);
  for (const { path: file, reason } of plan.notCovered) {
    call.say(`not covered: ${file === undefined ? '' : `${safeLine(displayPath(file))}: `}${safeLine(reason)}`);
  }
  return { json: outcome, human: () => outcomeText(plan, outcome, takesItBack), exit: exitOf(outcome) };
}

const exitOf = ({ skipped, conflicts }: RestoreOutcome) => (skipped.length > 0 ? 1 : conflicts.length > 0 ? 3 : 0);

const whatToDo =
  'They hold what no agent wrote. --on-conflict merge keeps both sides where they do not overlap; --on-conflict ' +
  'overwrite takes the old state, and keeps what is there now in a checkpoint.';

function outcomeText(plan: RestorePlan, outcome: RestoreOutcome, takesItBack: (guard: string) => string): string {
  const { restored, deleted, unchanged, skipped, conflicts, dryRun } = outcome;
  const reasons = ({ path: file, reason }: { path: string; reason: string }) =>
    `${safeLine(file)}: ${safeLine(reason)}`;
  const group = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  return [
    safeLine(plan.label),
    ...group(dryRun ? 'Would be restored' : 'Restored', restored.map(safeLine)),
    ...group(dryRun ? 'Would be removed' : 'Removed', deleted.map(safeLine)),
    ...group('Already as wanted', unchanged.map(safeLine)),
    ...group('Refused or failed', skipped.map(reasons)),
    ...group('Conflicts, left alone', conflicts.map(reasons)),
    ...(conflicts.length === 0 || isOneHunk(plan) ? [] : [whatToDo]),
    closing(outcome, takesItBack),
  ].join('\n');
}

const isOneHunk = ({ steps }: RestorePlan) => steps.every(({ takes }) => takes.length === 0);

function closing({ guard, restored, deleted, dryRun }: RestoreOutcome, takesItBack: (guard: string) => string): string {
  const done = restored.length + deleted.length;
  if (dryRun) return 'Dry run: nothing was changed.';
  if (done === 0) return 'Nothing was changed.';
  const changed = `${counted(done, 'path')} changed.`;
  if (guard === null) return changed;
  return `${changed} What was there is in checkpoint ${guard}; \`${takesItBack(guard)}\` takes this back.`;
}
