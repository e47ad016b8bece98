// What a person decides for single paths of a restore: left out, overwritten, merged by hand.
import assert from 'node:assert/strict';
import { hasMarkers } from '../../src/core/restore/conflictMarkers';
import { mergeSides } from '../../src/core/restore/restore';
import type { Decision } from '../../src/core/restore/types';
import { AgentWorkspace, folder, stepOf } from '../support/agentWorkspace';

const decide = (...decisions: [string, Decision][]) => ({ decisions: new Map(decisions) });
const lines = (...changes: [number, string][]) => {
  const all = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`);
  for (const [at, text] of changes) all[at - 1] = `${text}\n`;
  return all.join('');
};

describe('decisions for single paths', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });

  const sidesOf = (id: ReturnType<AgentWorkspace['agent']>, path: string) => {
    const step = stepOf(work.plan({ mode: 'checkpoint', id }).steps, path);
    return mergeSides(work.ports, work.root, step);
  };
  const merged = (id: ReturnType<AgentWorkspace['agent']>, path: string) => {
    const sides = sidesOf(id, path);
    if (typeof sides === 'string') assert.fail(sides);
    return sides;
  };

  it('leave out what is not wanted: it still stands and is taken back later', () => {
    work.write('a', 'a\n');
    work.write('b', 'b\n');
    const id = work.agent({ a: 'A\n', b: 'B\n', c: 'C\n' }, { turn: '1' });
    const first = work.restore(id, 'turn', decide(['a', 'leave'], ['c', 'leave']));
    assert.deepEqual([first.restored, first.deleted, first.unchanged], [['b'], [], ['a', 'c']]);
    assert.deepEqual([work.read('a'), work.read('b'), work.read('c')], ['A\n', 'b\n', 'C\n']);
    const rest = work.undo();
    assert.deepEqual([rest.restored, rest.deleted], [['a'], ['c']]);
    work.redo();
    work.redo();
    assert.deepEqual([work.read('a'), work.read('b'), work.read('c')], ['A\n', 'B\n', 'C\n']);
  });

  it('hold for undo and redo, a part at a time', () => {
    work.agent({ a: 'A\n', b: 'B\n' }, { turn: '1' });
    work.undo(decide(['a', 'leave']));
    assert.deepEqual([work.read('a'), work.read('b')], ['A\n', undefined]);
    work.undo();
    work.redo(decide(['a', 'leave']));
    assert.deepEqual([work.read('a'), work.read('b')], [undefined, undefined], 'the newest restore has only a');
    work.redo();
    work.redo();
    assert.deepEqual([work.read('a'), work.read('b')], ['A\n', 'B\n']);
  });

  it('keep a folder as long as something left out is in it', () => {
    const id = work.agent({ 'dir/a': 'a', 'dir/b': 'b' });
    work.restore(id, 'checkpoint', decide(['dir/a', 'leave']));
    assert.deepEqual([work.read('dir/a'), work.read('dir/b')], ['a', undefined]);
    work.undo();
    assert.deepEqual(work.tree(), {});
  });

  it('do not lose bytes that were moved: the place they came from is left out', () => {
    work.write('from', 'precious\n');
    const id = work.agent({ from: undefined, to: 'precious\n' });
    const { conflicts } = work.restore(id, 'checkpoint', decide(['from', 'leave']));
    assert.match(conflicts[0]!.reason, /its bytes came from "from"/);
    assert.equal(work.read('to'), 'precious\n');
  });

  it('go before the choice for all', () => {
    work.write('a', 'a\n');
    work.write('b', 'b\n');
    const id = work.agent({ a: 'A\n', b: 'B\n' });
    work.write('a', 'mine\n');
    work.write('b', 'mine too\n');
    const outcome = work.restore(id, 'checkpoint', { onConflict: 'refuse', ...decide(['b', 'overwrite']) });
    assert.deepEqual([work.read('a'), work.read('b')], ['mine\n', 'b\n']);
    assert.equal(work.bytesBefore(outcome.guard!, 'b'), 'mine too\n');
    assert.deepEqual(
      outcome.conflicts.map(({ path }) => path),
      ['a'],
    );
  });

  it('put a person’s own merge there, guarded, and take the change back with it', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'agent']) });
    const mine = lines([2, 'mine']);
    work.write('a', mine);
    const { over } = merged(id, 'a');
    const bytes = Buffer.from(lines([2, 'both']));
    const { guard } = work.restore(id, 'checkpoint', decide(['a', { merged: bytes, over }]));
    assert.equal(work.read('a'), lines([2, 'both']));
    assert.equal(work.bytesBefore(guard!, 'a'), mine);
    assert.deepEqual(work.metas()[0]!.restores, [{ id, entry: 0 }]);
    work.redo();
    assert.equal(work.read('a'), mine);
  });

  it('are void for a merge of what has changed since', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'agent']) });
    work.write('a', lines([2, 'mine']));
    const { over } = merged(id, 'a');
    work.write('a', lines([2, 'mine again']));
    const outcome = work.restore(id, 'checkpoint', decide(['a', { merged: Buffer.from('old'), over }]));
    assert.match(outcome.conflicts[0]!.reason, /changed since you merged it/);
    assert.equal(work.read('a'), lines([2, 'mine again']));
  });
});

describe('the sides of a merge by hand', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });
  const sides = (id: ReturnType<AgentWorkspace['agent']>, mode: 'checkpoint' | 'turn' = 'checkpoint') => {
    const found = mergeSides(work.ports, work.root, stepOf(work.plan({ mode, id }).steps, 'a'));
    return typeof found === 'string' ? found : { ...found, text: found.text.toString() };
  };
  const of = (found: ReturnType<typeof sides>) => (typeof found === 'string' ? assert.fail(found) : found);

  it('are what the agent left, what is there, and what was before; only what overlaps is open', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'agent'], [9, 'agent too']) });
    work.write('a', lines([2, 'mine'], [9, 'agent too'], [15, 'mine too']));
    const { base, ours, theirs, text } = of(sides(id));
    assert.equal(base.toString(), lines([2, 'agent'], [9, 'agent too']));
    assert.equal(ours.toString(), work.read('a'));
    assert.equal(theirs.toString(), lines());
    const open = '<<<<<<< Now\nmine\n=======\nline 2\n>>>>>>> Before the agent';
    assert.equal(text, lines([2, open], [15, 'mine too']));
    assert.ok(hasMarkers(Buffer.from(text)) && !hasMarkers(ours));
  });

  it('keep what a person wrote between two edits of the agent', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'agent']) }, { turn: '1' });
    work.write('a', lines([2, 'agent'], [9, 'mine']));
    work.agent({ a: lines([2, 'agent'], [9, 'mine'], [16, 'more']) }, { turn: '1' });
    work.write('a', lines([2, 'agent'], [9, 'mine'], [16, 'mine']));
    const { theirs, text } = of(sides(id, 'turn'));
    assert.equal(theirs.toString(), lines([9, 'mine']));
    assert.match(text, /^mine\n(?:.*\n)+<<<<<<< Now\nmine\n=======\nline 16\n>>>>>>> /m);
  });

  it('leave every difference open where nobody saw what the agent left', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'somebody'], [9, 'somebody']) }, { inferred: true });
    const { base, text } = of(sides(id));
    assert.equal(base.toString().split('\n').length, 19);
    assert.equal(text.match(/^<<<<<<< /gm)?.length, 2);
  });

  it('keep line breaks, and end lines that have none', () => {
    work.write('a', 'one\r\ntwo');
    const id = work.agent({ a: 'one\r\nagent' });
    work.write('a', 'one\r\nmine');
    assert.equal(of(sides(id)).text, 'one\r\n<<<<<<< Now\r\nmine\r\n=======\r\ntwo\r\n>>>>>>> Before the agent\r\n');
  });

  it('are none where there is no text on both sides, and it is said why', () => {
    const made = work.agent({ a: 'A\n' });
    work.write('a', 'mine\n');
    assert.equal(sides(made), 'there was no file before');
    work.write('a', undefined);
    assert.equal(sides(made), 'there is no file to merge with');
    work.write('a', 'text\n');
    const binary = work.agent({ a: Buffer.from([1, 0, 2]) });
    work.write('a', Buffer.from([1, 0, 3]));
    assert.equal(sides(binary), 'the file is binary');
    work.write('a', folder);
    assert.equal(sides(binary), 'there is no file to merge with');
  });

  it('write nothing', () => {
    work.write('a', lines());
    const id = work.agent({ a: lines([2, 'agent']) });
    work.write('a', lines([2, 'mine']));
    const before = work.metas().length;
    of(sides(id));
    assert.equal(work.metas().length, before);
    assert.equal(work.read('a'), lines([2, 'mine']));
  });
});
