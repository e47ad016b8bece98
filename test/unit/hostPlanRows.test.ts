import assert from 'node:assert/strict';
import type { Decision, RestorePlan } from '../../src/core/restore/types';
import { fingerprint, planSentence, rowsOf, type Row } from '../../src/host/restorePreview/rows';
import { absent, file, plan, step } from '../support/planSteps';
const shown = (rows: readonly Row[]) =>
  rows.flatMap((row) =>
    row.type === 'run'
      ? [row.label]
      : row.type === 'group'
        ? [row.label, ...row.rows.map((each) => `  ${each.path}: ${each.words}`)]
        : [],
  );

describe('the rows of a preview', () => {
  const whole: RestorePlan = {
    ...plan(
      step('a', 'write'),
      step('b', 'write', { current: absent }),
      step('c', 'delete'),
      step('d', 'conflict', { reason: 'it was changed since' }),
      step('e', 'refused'),
      step('f', 'keep', { reason: 'it already is as it was before' }),
      step('dir', 'mkdir', { current: absent, result: { type: 'directory' } }),
    ),
    notCovered: [{ path: 'g', reason: 'it is too large' }, { reason: 'a checkpoint is damaged' }],
  };

  it('say what becomes of each path, in groups, folders that only come along left out', () => {
    assert.deepEqual(shown(rowsOf(whole, new Map(), new Map())), [
      'Restore 3 Files',
      'Changes',
      '  a: restored',
      '  b: put back',
      '  c: removed',
      'Changed Since: Decide for Each',
      '  d: keep mine · it was changed since',
      'Cannot Be Restored',
      '  e: a reason',
      'Not Covered by the Checkpoint',
      '  g: it is too large',
      '  Not covered: a checkpoint is damaged',
      'Stays as It Is',
      '  f: it already is as it was before',
    ]);
  });

  it('say the plan in a sentence', () => {
    const decisions = new Map<string, Decision>([['a', 'leave']]);
    const sentence = planSentence('Undo it', rowsOf(whole, decisions, new Map()));
    assert.equal(
      sentence,
      'Undo it: 1 put back, 1 removed, 1 left out, 1 changed since and kept, 1 cannot be restored.',
    );
    assert.equal(planSentence('Undo it', rowsOf(plan(), new Map(), new Map())), 'Undo it: nothing changes.');
  });

  it('count what is checked, and keep what was decided among what was changed since', () => {
    const decisions = new Map<string, Decision>([
      ['a', 'leave'],
      ['b', 'overwrite'],
      ['c', { merged: Buffer.from('x'), over: '' }],
      ['d', 'merge'],
    ]);
    const steps = plan(step('a', 'write'), step('b', 'write'), step('c', 'write'), step('d', 'conflict'));
    assert.deepEqual(shown(rowsOf(steps, decisions, new Map([['b', 'since then']]))), [
      'Restore 2 Files',
      'Changes',
      '  a: restored',
      'Changed Since: Decide for Each',
      '  b: overwritten: restored · since then',
      '  c: merged by you · a reason',
      '  d: not merged: a reason',
    ]);
  });

  it('offer nothing to run where nothing is checked', () => {
    const [run] = rowsOf(plan(step('a', 'write')), new Map([['a', 'leave' as const]]), new Map());
    assert.ok(run?.type === 'run' && run.count === 0 && run.label === 'Nothing to Restore');
  });

  it('belong to another plan once a file, what is done to it, or its editor is another', () => {
    const one = fingerprint(plan(step('a', 'write')));
    assert.equal(fingerprint(plan(step('a', 'write', { reason: 'said otherwise' }))), one);
    assert.notEqual(fingerprint(plan(step('a', 'delete'))), one);
    assert.notEqual(fingerprint(plan(step('a', 'write', { current: { ...file, sha256: '1'.repeat(64) } }))), one);
    assert.notEqual(fingerprint(plan(step('a', 'write', { inEditor: true }))), one);
  });
});
