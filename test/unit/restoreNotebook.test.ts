import assert from 'node:assert/strict';
import { AgentWorkspace } from '../support/agentWorkspace';

const notebook = (sources: readonly string[], ids = false) =>
  JSON.stringify({
    cells: sources.map((source, i) => ({
      cell_type: 'code',
      ...(ids && { id: `c${i}` }),
      source: [source],
      outputs: [],
    })),
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

describe('restoring a notebook', () => {
  it('takes an edit back though the editor saved the notebook once more in its own way', () => {
    const work = new AgentWorkspace();
    work.write('plan.ipynb', notebook(['a']));
    const id = work.agent({ 'plan.ipynb': notebook(['a', 'b']) });
    work.write('plan.ipynb', notebook(['a', 'b'], true));
    assert.deepEqual(work.restore(id).conflicts, []);
    assert.equal(work.read('plan.ipynb'), notebook(['a']));
  });

  it('leaves it alone where a person wrote in a cell since', () => {
    const work = new AgentWorkspace();
    work.write('plan.ipynb', notebook(['a']));
    const id = work.agent({ 'plan.ipynb': notebook(['a', 'b']) });
    work.write('plan.ipynb', notebook(['a', 'b, and mine'], true));
    assert.equal(work.restore(id).conflicts.length, 1);
    assert.equal(work.read('plan.ipynb'), notebook(['a', 'b, and mine'], true));
  });

  it('does not take a save between two edits for a person’s work', () => {
    const work = new AgentWorkspace();
    work.write('plan.ipynb', notebook(['a']));
    const id = work.agent({ 'plan.ipynb': notebook(['a', 'b']) }, { turn: '1' });
    work.write('plan.ipynb', notebook(['a', 'b'], true));
    work.agent({ 'plan.ipynb': notebook(['a', 'b', 'c']) }, { turn: '1' });
    assert.deepEqual(work.restore(id, 'turn').conflicts, []);
    assert.equal(work.read('plan.ipynb'), notebook(['a']));
  });
});
