import { CheckpointError } from '../core/errors';
import { planRestore } from '../core/restore/restore';
import type { RestorePlan } from '../core/restore/types';
import { parseCheckpointId } from '../core/store/ids';
import type { InputOf, InputSchema } from './inputSchema';
import { carryOutPlan, conflictChoices, restoreTarget } from './restore';
import { restoreAnswer } from './restoreAnswer';
import { defineTool, idProperty, rootProperty, type ToolContext } from './tool';

const modes = ['checkpoint', 'file', 'turn', 'rewind'] as const;

const input = {
  type: 'object',
  properties: {
    id: idProperty,
    mode: {
      type: 'string',
      maxLength: 20,
      enum: modes,
      description:
        'checkpoint (default): this action alone, later ones are kept; file: one file of it; turn: the whole turn it ' +
        'belongs to; rewind: everything from it on.',
    },
    file: { type: 'string', maxLength: 4096, description: 'Only this file: relative to the workspace folder.' },
    session: { type: 'string', maxLength: 500, description: "With mode rewind: only this session's actions." },
    onConflict: {
      type: 'string',
      maxLength: 20,
      enum: conflictChoices,
      description:
        'What becomes of paths that were changed since: refuse (default) leaves them alone, merge keeps both sides ' +
        'where they do not overlap, overwrite takes the old state. Only refuse unless the person asked for another.',
    },
    confirm: { type: 'boolean', description: 'true carries it out. Default: false.' },
    dryRun: { type: 'boolean', description: 'false is as confirm: true; true only plans, whatever confirm is.' },
    root: rootProperty,
  },
  required: ['id'],
  additionalProperties: false,
} as const satisfies InputSchema;

export const checkpointRestore = defineTool({
  name: 'checkpoint_restore',
  title: 'Restore Checkpoint',
  description:
    'Takes back what a checkpoint changed. Without `confirm` nothing is written: the answer is the plan, path by path. ' +
    'Look at it, and call again with `confirm: true` to carry it out. What a person changed since is left alone and ' +
    'listed under conflicts. What is replaced is kept in the checkpoint named by `guard`; restoring that one undoes it.',
  readOnly: false,
  input,
  run(context, wish) {
    const isDry = !isConfirmed(wish);
    const { ports, root } = context;
    const makePlan = planner(context, wish);
    try {
      return restoreAnswer(
        carryOutPlan(ports, root, (_ports, _root, readOnly) => makePlan(readOnly), { dryRun: isDry }),
      );
    } catch (error) {
      throw CheckpointError.is(error, 'foreign') ? forThePerson(wish.id) : error;
    }
  },
});

/** The plan of a call that would be carried out, for the person to see first; undefined where it only plans. */
export function planOf(context: ToolContext, checked: Readonly<Record<string, unknown>>): RestorePlan | undefined {
  const wish = checked as Wish;
  return isConfirmed(wish) ? planner(context, wish)(true) : undefined;
}

type Wish = InputOf<typeof input>;

const isConfirmed = ({ confirm = false, dryRun }: Wish): boolean => !(dryRun ?? !confirm);

function planner({ ports, root }: ToolContext, { id, mode = 'checkpoint', file, session, onConflict }: Wish) {
  const wanted = parseCheckpointId(id);
  if (session !== undefined && mode !== 'rewind') {
    throw new CheckpointError('bad-argument', 'session goes with mode rewind only.');
  }
  const target = restoreTarget(ports, root, { id: wanted, mode, file, session });
  return (readOnly: boolean): RestorePlan => {
    const plan = planRestore(ports, root, target, { onConflict, readOnly });
    // The person sees on the timeline who did it.
    return readOnly ? plan : { ...plan, label: `${plan.label} (asked for by an agent)` };
  };
}

/** A model must not decide that a stranger's bytes are written. */
const forThePerson = (id: string) =>
  new CheckpointError(
    'foreign',
    `Checkpoint ${id} was not made by this person on this computer. Only the person can restore from it: in VS Code, ` +
      'or with `agent-checkpoints restore --foreign`.',
  );
