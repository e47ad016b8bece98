import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';
import { AgentWorkspace } from '../support/agentWorkspace';

describe('undo and redo', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
    work.write('a', '0\n');
  });

  const nothing = (call: () => unknown) => assert.throws(call, (error) => CheckpointError.is(error, 'not-found'));

  it('walk back and forth over any number of turns, and again', () => {
    for (let turn = 1; turn <= 4; turn++) work.agent({ a: `${turn}\n` }, { turn: `${turn}` });
    for (let round = 0; round < 2; round++) {
      for (let turn = 3; turn >= 0; turn--) {
        work.undo();
        assert.equal(work.read('a'), `${turn}\n`);
      }
      nothing(() => work.undo());
      for (let turn = 1; turn <= 4; turn++) {
        work.redo();
        assert.equal(work.read('a'), `${turn}\n`);
      }
      nothing(() => work.redo());
    }
  });

  it('can turn round at any point', () => {
    for (let turn = 1; turn <= 3; turn++) work.agent({ a: `${turn}\n` }, { turn: `${turn}` });
    work.undo();
    work.undo();
    work.redo();
    assert.equal(work.read('a'), '2\n');
    work.undo();
    work.undo();
    assert.equal(work.read('a'), '0\n');
    work.redo();
    work.redo();
    work.redo();
    assert.equal(work.read('a'), '3\n');
  });

  it('take whole turns, over several calls and files', () => {
    work.agent({ a: '1\n', b: 'b\n' }, { turn: '1' });
    work.agent({ a: '2\n' }, { turn: '1' });
    work.agent({ c: 'c\n' }, { turn: '2' });
    work.undo();
    assert.deepEqual([work.read('a'), work.read('b'), work.read('c')], ['2\n', 'b\n', undefined]);
    work.undo();
    assert.deepEqual([work.read('a'), work.read('b')], ['0\n', undefined]);
    work.redo();
    assert.deepEqual([work.read('a'), work.read('b'), work.read('c')], ['2\n', 'b\n', undefined]);
  });

  it('know turns by agent and session, not by the number alone', () => {
    work.agent({ a: '1\n' }, { turn: '1', session: 'x' });
    work.agent({ b: '1\n' }, { turn: '1', session: 'y' });
    work.undo();
    assert.deepEqual([work.read('a'), work.read('b')], ['1\n', undefined]);
  });

  it('lose nothing to new work after an undo: it stays listed and can be reached', () => {
    const first = work.agent({ a: '1\n' }, { turn: '1' });
    work.undo();
    work.agent({ a: 'branch\n' }, { turn: '2' });
    assert.ok(work.metas().some(({ id }) => id === first));
    work.undo();
    assert.equal(work.read('a'), '0\n');
    work.redo();
    assert.equal(work.read('a'), 'branch\n');
    // The first undo is still in force; what it took back overlaps the branch.
    assert.deepEqual(work.redo().conflicts.length, 1);
    assert.equal(work.read('a'), 'branch\n');
  });

  it('skip marks, calls that changed nothing, and what can never be taken back', () => {
    work.agent({ a: '1\n' }, { turn: '1' });
    work.agent({ a: '1\n' }, { turn: '2' });
    work.mark('a');
    work.undo();
    assert.equal(work.read('a'), '0\n');
  });

  it('take a turn back in part where a path is a conflict, and say so', () => {
    work.agent({ a: '1\n', b: '1\n' }, { turn: '1' });
    work.write('b', 'mine\n');
    const outcome = work.undo();
    assert.deepEqual(outcome.restored, ['a']);
    assert.deepEqual(
      outcome.conflicts.map(({ path }) => path),
      ['b'],
    );
    assert.equal(work.read('b'), 'mine\n');
    const again = work.undo({ onConflict: 'overwrite' });
    assert.deepEqual([again.deleted, work.bytesBefore(again.guard!, 'b')], [['b'], 'mine\n']);
    work.redo();
    assert.equal(work.read('b'), 'mine\n');
    work.redo();
    assert.equal(work.read('a'), '1\n');
  });

  it('redo also brings back what a restore of another mode took', () => {
    work.agent({ a: '1\n' }, { turn: '1' });
    const second = work.agent({ a: '2\n', b: 'b\n' }, { turn: '2' });
    work.agent({ a: '3\n' }, { turn: '3' });
    work.restore(second, 'rewind');
    assert.deepEqual([work.read('a'), work.read('b')], ['1\n', undefined]);
    work.redo();
    assert.deepEqual([work.read('a'), work.read('b')], ['3\n', 'b\n']);
    work.undo();
    assert.equal(work.read('a'), '2\n');
  });

  it('a restore can itself be named and taken back', () => {
    work.agent({ a: '1\n' }, { turn: '1' });
    const { guard } = work.undo();
    work.restore(guard!);
    assert.equal(work.read('a'), '1\n');
    work.undo();
    assert.equal(work.read('a'), '0\n');
  });

  it('bring back folders that an agent removed, and remove them again', () => {
    work.write('d/e/f', 'x\n');
    const before = work.tree();
    work.agent({ 'd/e/f': undefined, 'd/e': undefined, d: undefined }, { turn: '1' });
    const after = work.tree();
    work.undo();
    assert.deepEqual(work.tree(), before);
    work.redo();
    assert.deepEqual(work.tree(), after);
  });

  it('make folders that no record names, and remove them again', () => {
    work.write('d/e/f', 'x\n');
    work.agent({ 'd/e/f': undefined }, { turn: '1' });
    work.write('d', undefined);
    work.undo();
    assert.equal(work.read('d/e/f'), 'x\n');
    work.redo();
    assert.deepEqual(Object.keys(work.tree()), ['a']);
  });

  it('a redo that a later undo has overtaken has nothing left to be taken back', () => {
    const point = work.agent({ a: '1\n' }, { turn: '1' });
    const { guard: first } = work.undo();
    const { guard: redo } = work.restore(first!);
    work.undo();
    assert.equal(work.restore(redo!).guard, null);
    work.redo();
    assert.equal(work.read('a'), '1\n');
    work.restore(point, 'rewind');
    assert.equal(work.read('a'), '0\n');
  });
});
