import assert from 'node:assert/strict';
import { AgentWorkspace } from '../support/agentWorkspace';

describe('a folder that an agent made', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });

  it('goes with the file that kept it, also when that was a conflict at first', () => {
    work.agent({ 'd/e/a': '1\n' }, { turn: '1' });
    work.write('d/e/a', 'mine\n');
    const { guard, conflicts } = work.undo();
    assert.deepEqual([guard, conflicts.map(({ path }) => path)], [null, ['d/e/a']]);
    work.undo({ onConflict: 'overwrite' });
    assert.deepEqual(work.tree(), {});
    work.redo();
    assert.equal(work.read('d/e/a'), 'mine\n');
  });

  it('goes with what another turn has in it', () => {
    const first = work.agent({ 'd/a': '1\n' }, { turn: '1' });
    work.agent({ 'd/b': '1\n' }, { turn: '2', session: 's2' });
    assert.deepEqual(work.restore(first).deleted, ['d/a']);
    assert.deepEqual(Object.keys(work.tree()), ['d', 'd/b']);
    work.undo();
    work.undo();
    assert.deepEqual(work.tree(), {});
  });

  it('goes when everything since is rewound, also after a part was taken back', () => {
    const first = work.agent({ 'd/a': '1\n' }, { turn: '1' });
    work.agent({ 'd/b': '1\n' }, { turn: '2' });
    work.restore(first);
    work.restore(first, 'rewind');
    assert.deepEqual(work.tree(), {});
  });

  it('stays where a person has something in it, and older turns stay in reach', () => {
    work.write('x', '0\n');
    work.agent({ x: '1\n' }, { turn: '1' });
    work.agent({ 'd/a': '1\n' }, { turn: '2' });
    work.write('d/mine', 'mine\n');
    work.undo();
    assert.deepEqual(Object.keys(work.tree()), ['d', 'd/mine', 'x']);
    work.undo();
    assert.equal(work.read('x'), '0\n');
  });
});
