import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';
import { runPlan } from '../../src/core/restore/restore';
import { AgentWorkspace, stepOf } from '../support/agentWorkspace';

const lines = (...changes: [number, string][]) => {
  const all = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`);
  for (const [at, text] of changes) all[at - 1] = `${text}\n`;
  return all.join('');
};

describe('a person’s work under a restore', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });

  it('leaves a path alone where later changes overlap, unless overwriting is asked for', () => {
    work.write('a', lines());
    const first = work.agent({ a: lines([2, 'two']) });
    work.agent({ a: lines([2, 'two again']) });
    const refused = work.restore(first);
    assert.deepEqual(
      refused.conflicts.map(({ path }) => path),
      ['a'],
    );
    assert.equal(refused.guard, null);
    assert.equal(work.read('a'), lines([2, 'two again']));
    const outcome = work.restore(first, 'checkpoint', { onConflict: 'overwrite' });
    assert.equal(work.read('a'), lines());
    assert.equal(work.bytesBefore(outcome.guard!, 'a'), lines([2, 'two again']));
  });

  it('never takes a person’s later edit without being told to, and keeps it in the guard', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'two']) });
    work.write('a', lines([2, 'two'], [12, 'mine']));
    assert.match(work.restore(id).conflicts[0]!.reason, /changed after the last recorded write/);
    assert.equal(work.read('a'), lines([2, 'two'], [12, 'mine']));
    work.restore(id, 'checkpoint', { onConflict: 'merge' });
    assert.equal(work.read('a'), lines([12, 'mine']));
  });

  it('overwrites a person’s edit only guarded, and redo brings it back', () => {
    work.write('a', 'old\n');
    const id = work.agent({ a: 'agent\n' });
    work.write('a', 'mine\n');
    assert.equal(work.restore(id, 'checkpoint', { onConflict: 'merge' }).conflicts.length, 1);
    const { guard } = work.restore(id, 'checkpoint', { onConflict: 'overwrite' });
    assert.equal(work.read('a'), 'old\n');
    assert.equal(work.bytesBefore(guard!, 'a'), 'mine\n');
    work.redo();
    assert.equal(work.read('a'), 'mine\n');
  });

  it('finds a person’s edit between two agent edits', () => {
    work.write('a', lines());
    const first = work.agent({ a: lines([2, 'two']) }, { turn: '1' });
    work.write('a', lines([2, 'two'], [9, 'mine']));
    work.agent({ a: lines([2, 'two'], [9, 'mine'], [16, 'more']) }, { turn: '1' });
    assert.equal(work.restore(first, 'turn').conflicts.length, 1);
    work.restore(first, 'turn', { onConflict: 'merge' });
    assert.equal(work.read('a'), lines([9, 'mine']));
  });

  it('counts a state that was seen late as possibly a person’s, also when merging', () => {
    work.write('a', 'old\n');
    const id = work.agent({ a: 'who\n' }, { inferred: true });
    assert.equal(work.restore(id).conflicts.length, 1);
    assert.equal(work.restore(id, 'checkpoint', { onConflict: 'merge' }).conflicts.length, 1);
    work.restore(id, 'checkpoint', { onConflict: 'overwrite' });
    assert.equal(work.read('a'), 'old\n');
  });

  it('a manual checkpoint of a person’s edit does not make it the agent’s', () => {
    work.write('a', 'old\n');
    const id = work.agent({ a: 'agent\n' });
    work.write('a', 'mine\n');
    work.mark('a');
    assert.equal(work.restore(id).conflicts.length, 1);
    assert.equal(work.read('a'), 'mine\n');
  });

  it('leaves a path that changes between plan and run', () => {
    work.write('a', '0\n');
    work.write('b', '0\n');
    const id = work.agent({ a: '1\n', b: '1\n' });
    const plan = work.plan({ mode: 'checkpoint', id });
    work.write('a', 'mine\n');
    const outcome = runPlan(work.ports, work.root, plan);
    assert.deepEqual(
      outcome.conflicts.map(({ path }) => path),
      ['a'],
    );
    assert.deepEqual(outcome.restored, ['b']);
    assert.equal(work.read('a'), 'mine\n');
    // It was not taken back: it still can be.
    assert.equal(stepOf(work.plan({ mode: 'checkpoint', id }).steps, 'a').action, 'conflict');
  });

  it('undoes calls that ran at the same time on a path as one', () => {
    work.write('a', '0\n');
    const first = work.agent({ a: '1\n' });
    work.write('a', '0\n');
    work.agent({ a: '2\n' });
    work.restore(first);
    assert.equal(work.read('a'), '0\n');
    assert.throws(
      () => work.undo(),
      (error) => CheckpointError.is(error, 'not-found'),
    );
  });

  it('takes back a call that is still open only as a conflict', () => {
    work.write('a', '0\n');
    const id = work.agent({ a: '1\n' }, { pending: true });
    assert.equal(work.restore(id).conflicts.length, 1);
    work.restore(id, 'checkpoint', { onConflict: 'overwrite' });
    assert.equal(work.read('a'), '0\n');
  });

  it('keeps what an agent moved where the place it came from is left alone', () => {
    work.write('old', 'start\n');
    const id = work.agent({ old: 'agent\n' }, { turn: '1' });
    work.write('old', 'agent\nmine\n');
    work.agent({ new: 'agent\nmine\n', old: undefined }, { turn: '1' });
    work.agent({ new: 'agent\nmine\nmore\n' }, { turn: '1' });
    const { conflicts } = work.restore(id, 'turn');
    assert.deepEqual(
      conflicts.map(({ path }) => path),
      ['new', 'old'],
    );
    assert.equal(work.read('new'), 'agent\nmine\nmore\n');
    work.restore(id, 'turn', { onConflict: 'overwrite' });
    assert.deepEqual([work.read('new'), work.read('old')], [undefined, 'start\n']);
  });
});
