import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';
import { AgentWorkspace } from '../support/agentWorkspace';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

describe('a path on which the same changes stand as at an earlier moment is as it was then', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
    work.write('a', before);
  });

  it('also where a change that was taken back had been undone by a later one', () => {
    const first = work.agent({ a: before.replace('two', 'TWO') }, { turn: '1' });
    work.agent({ a: before }, { turn: '2' });
    assert.deepEqual(work.restore(first).unchanged, ['a']);
    work.undo();
    assert.equal(work.read('a'), before);
    assert.throws(
      () => work.undo(),
      (error) => CheckpointError.is(error, 'not-found'),
    );
    assert.equal(work.read('a'), before);
  });

  it('also where the later one had undone a part of it', () => {
    const change = before.replace('two', 'TWO').replace('eight', 'EIGHT');
    const first = work.agent({ a: change }, { turn: '1' });
    work.agent({ a: change.replace('TWO', 'two').replace('five', 'FIVE') }, { turn: '2' });
    work.restore(first);
    assert.equal(work.read('a'), before.replace('five', 'FIVE'));
    work.undo();
    assert.equal(work.read('a'), before);
    work.redo();
    work.redo();
    assert.equal(work.read('a'), change.replace('TWO', 'two').replace('five', 'FIVE'));
  });

  it('also for a rewind', () => {
    const first = work.agent({ a: before.replace('two', 'TWO') }, { turn: '1' });
    const second = work.agent({ a: before }, { turn: '2' });
    work.restore(first);
    work.restore(second);
    work.restore(first, 'rewind');
    assert.equal(work.read('a'), before);
  });

  it('but not over what a person wrote in between', () => {
    const first = work.agent({ a: before.replace('two', 'TWO') }, { turn: '1' });
    const persons = before.replace('two', 'TWO').replace('eight', 'mine');
    work.write('a', persons);
    const second = work.agent({ a: persons.replace('TWO', 'two') }, { turn: '2' });
    work.restore(first, 'checkpoint', { onConflict: 'merge' });
    work.restore(second, 'checkpoint', { onConflict: 'merge' });
    assert.match(work.read('a')!, /mine/);
  });

  it('and not over a part that was taken back alone', () => {
    const change = before.replace('two', 'TWO').replace('eight', 'EIGHT');
    const first = work.agent({ a: change }, { turn: '1' });
    work.agent({ a: change.replace('five', 'FIVE') }, { turn: '2' });
    work.restore(first, 'hunk', { files: ['a'], hunk: { of: 'checkpoint', index: 1 } });
    assert.equal(work.read('a'), before.replace('eight', 'EIGHT').replace('five', 'FIVE'));
    work.undo();
    assert.equal(work.read('a'), before.replace('eight', 'EIGHT'));
  });
});
