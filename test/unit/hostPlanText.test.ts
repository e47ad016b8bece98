import assert from 'node:assert/strict';
import { nothingText, outcomeText, planDetail } from '../../src/host/restore/planText';
import { absent, plan, step } from '../support/planSteps';

describe('the question before a restore', () => {
  it('says in words what becomes of each path', () => {
    const detail = planDetail({
      ...plan(
        step('a', 'write'),
        step('b', 'write', { current: absent }),
        step('c', 'delete'),
        step('d', 'write', { inEditor: true }),
        step('e', 'conflict', { reason: 'it was changed since' }),
        step('f', 'keep'),
      ),
      notCovered: [{ path: 'g', reason: 'it is too large' }],
    });
    assert.equal(
      detail,
      [
        '3 files are restored, 1 is removed:\n• a: restored\n• b: put back\n• c: removed\n• d: changed, in its editor and not saved',
        'Left alone, because they were changed since:\n• e: it was changed since',
        'Not covered by the checkpoint:\n• g: it is too large',
        'What is there now is kept in a checkpoint of its own, so this can be undone.',
      ].join('\n\n'),
    );
  });

  it('lists a few paths of many', () => {
    const many = Array.from({ length: 30 }, (_, i) => step(`file${i}`, 'write'));
    const lines = planDetail(plan(...many)).split('\n');
    assert.equal(lines[0], '30 files are restored:');
    assert.ok(lines.includes('and 22 more'));
    assert.ok(lines.length < 14);
  });

  it('promises no guard where nothing is written', () => {
    assert.ok(!planDetail(plan(step('a', 'conflict'))).includes('checkpoint of its own'));
  });

  it('gives the reason where there is nothing to do', () => {
    assert.match(nothingText(plan(step('a', 'keep', { reason: 'it was taken back already' }))), /taken back already/);
    assert.match(nothingText(plan(step('.git/config', 'refused'))), /\.git\/config: a reason/);
  });
});

describe('the message after a restore', () => {
  const outcome = { guard: 'g', restored: [], deleted: [], unchanged: [], skipped: [], conflicts: [], dryRun: false };

  it('counts what was done and what was left', () => {
    assert.equal(
      outcomeText({ ...outcome, restored: ['a', 'b', 'c'] }),
      'Restored 3 files. A guard checkpoint keeps what was there.',
    );
    assert.equal(
      outcomeText({ ...outcome, restored: ['a'], deleted: ['b'], conflicts: [{ path: 'c', reason: '' }] }),
      'Restored 1 file and removed 1 file. 1 file left alone. A guard checkpoint keeps what was there.',
    );
    assert.equal(outcomeText({ ...outcome, guard: null }), 'Nothing was changed.');
  });
});
