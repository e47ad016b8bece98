import assert from 'node:assert/strict';
import { isEdited, sameNotebook } from '../../src/core/capture/notebook';

const cell = (source: string, more: object = {}) => ({
  cell_type: 'code',
  metadata: {},
  execution_count: null,
  outputs: [],
  source: [source],
  ...more,
});
const notebook = (cells: object[], metadata: object = {}, indent = 1) =>
  Buffer.from(JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, undefined, indent));

describe('notebooks', () => {
  it('are the same whatever a save adds: layout, ids, the language', () => {
    const before = notebook([cell('print(1)\n', { id: 'c1' })]);
    const saved = notebook([cell('print(1)', { id: 'other' })], { language_info: { name: 'python' } }, 2);
    assert.ok(sameNotebook(before, saved));
  });

  it('are not the same where a person could have written or run something', () => {
    const before = notebook([cell('print(1)')]);
    assert.ok(!sameNotebook(before, notebook([cell('print(2)')])));
    assert.ok(
      !sameNotebook(before, notebook([cell('print(1)', { outputs: [{ output_type: 'stream', text: ['1'] }] })])),
    );
    assert.ok(!sameNotebook(before, notebook([cell('print(1)', { metadata: { tags: ['mine'] } })])));
    assert.ok(!sameNotebook(before, notebook([cell('print(1)')], { kernelspec: { name: 'julia' } })));
    assert.ok(!sameNotebook(before, notebook([cell('print(1)'), cell('')])));
    assert.ok(!sameNotebook(Buffer.from('{'), Buffer.from('{')));
  });

  it('explain an edit of one cell, and no other change', () => {
    const before = notebook([cell('a'), cell('b'), cell('c')]);
    const inserted = notebook([cell('a'), cell('new', { id: 'x' }), cell('b'), cell('c')]);
    assert.ok(isEdited(before, inserted, { mode: 'insert', source: 'new' }));
    assert.ok(!isEdited(before, inserted, { mode: 'insert', source: 'other' }));
    assert.ok(!isEdited(before, inserted, { mode: 'delete', source: '' }));
    assert.ok(isEdited(before, notebook([cell('a'), cell('c')]), { mode: 'delete', source: '' }));
    const edited = notebook([cell('a'), cell('B'), cell('c')]);
    assert.ok(isEdited(before, edited, { mode: 'edit', source: 'B\n' }));
    assert.ok(!isEdited(before, notebook([cell('A'), cell('B'), cell('c')]), { mode: 'edit', source: 'B' }));
    assert.ok(!isEdited(before, Buffer.alloc(0), { mode: 'edit', source: 'B' }));
  });

  it('explain the first cell of a notebook that was not there', () => {
    assert.ok(isEdited(undefined, notebook([cell('first')]), { mode: 'insert', source: 'first' }));
  });
});
