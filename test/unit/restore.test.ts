import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { CheckpointError } from '../../src/core/errors';
import { planRestore, runPlan } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { AgentWorkspace } from '../support/agentWorkspace';

const lines = (...changes: [number, string][]) => {
  const all = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`);
  for (const [at, text] of changes) all[at - 1] = `${text}\n`;
  return all.join('');
};

describe('restore', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });

  it('gives back the bytes and mode before a change, and removes what did not exist', () => {
    work.write('a.sh', { text: '#!/bin/sh\r\n', mode: 0o755 });
    const before = work.tree();
    const id = work.agent({ 'a.sh': { text: 'echo\n', mode: 0o644 }, 'new.txt': 'x' });
    const outcome = work.restore(id);
    assert.deepEqual(work.tree(), before);
    assert.deepEqual(outcome.restored, ['a.sh']);
    assert.deepEqual(outcome.deleted, ['new.txt']);
    assert.equal(work.bytesBefore(outcome.guard!, 'a.sh'), 'echo\n');
  });

  it('takes back one action and keeps later ones of the same file by merging', () => {
    work.write('a', lines());
    const first = work.agent({ a: lines([2, 'two']) });
    work.agent({ a: lines([2, 'two'], [15, 'fifteen']) });
    work.restore(first);
    assert.equal(work.read('a'), lines([15, 'fifteen']));
  });

  it('takes back a middle turn of three, and redo brings it back', () => {
    work.write('a', lines());
    work.agent({ a: lines([2, 'one']) }, { turn: '1' });
    const middle = work.agent({ a: lines([2, 'one'], [10, 'two']) }, { turn: '2' });
    work.agent({ a: lines([2, 'one'], [10, 'two'], [18, 'three']) }, { turn: '3' });
    work.restore(middle, 'turn');
    assert.equal(work.read('a'), lines([2, 'one'], [18, 'three']));
    work.redo();
    assert.equal(work.read('a'), lines([2, 'one'], [10, 'two'], [18, 'three']));
  });

  it('rewinds to before a point, for all agents or for one session', () => {
    work.write('a', lines());
    work.write('b', 'b\n');
    const point = work.agent({ a: lines([2, 'one']) }, { session: 'x' });
    work.agent({ a: lines([2, 'one'], [12, 'other']), b: 'other\n' }, { session: 'y' });
    work.agent({ a: lines([2, 'one'], [12, 'other'], [18, 'three']) }, { session: 'x' });
    const session = work.restore(point, 'rewind', { session: 'x' });
    assert.deepEqual(session.conflicts, []);
    assert.equal(work.read('a'), lines([12, 'other']));
    assert.equal(work.read('b'), 'other\n');
    work.redo();
    work.restore(point, 'rewind');
    assert.equal(work.read('a'), lines());
    assert.equal(work.read('b'), 'b\n');
  });

  it('rewinds to the state of the point also where restores came since', () => {
    work.write('a', '0\n');
    work.agent({ a: '1\n' }, { turn: '1' });
    const second = work.agent({ a: '2\n' }, { turn: '2' });
    work.undo();
    work.undo();
    assert.equal(work.read('a'), '0\n');
    work.restore(second, 'rewind');
    assert.equal(work.read('a'), '1\n');
    work.undo();
    assert.equal(work.read('a'), '0\n');
  });

  it('restores one file of a checkpoint', () => {
    work.write('a', 'a\n');
    work.write('b', 'b\n');
    const id = work.agent({ a: 'x\n', b: 'x\n' });
    assert.throws(
      () => work.restore(id, 'file'),
      (error) => CheckpointError.is(error, 'bad-argument'),
    );
    work.restore(id, 'file', { files: ['b'] });
    assert.equal(work.read('a'), 'x\n');
    assert.equal(work.read('b'), 'b\n');
    assert.throws(
      () => work.restore(id, 'file', { files: ['c'] }),
      (error) => CheckpointError.is(error, 'not-found'),
    );
  });

  it('puts the paths of a manual checkpoint back to how they were noted', () => {
    work.write('a', 'noted\n');
    const id = work.mark('a');
    work.agent({ a: 'one\n' });
    work.agent({ a: 'two\n', b: 'b\n' });
    work.restore(id);
    assert.equal(work.read('a'), 'noted\n');
    assert.equal(work.read('b'), 'b\n');
    work.write('a', 'mine\n');
    assert.equal(work.restore(id).conflicts.length, 1);
    work.restore(id, 'checkpoint', { onConflict: 'overwrite' });
    assert.equal(work.read('a'), 'noted\n');
    work.redo();
    assert.equal(work.read('a'), 'mine\n');
  });

  it('says that it was taken back already, and writes nothing', () => {
    work.write('a', '0\n');
    const id = work.agent({ a: '1\n' });
    work.restore(id);
    const count = work.metas().length;
    const outcome = work.restore(id);
    assert.deepEqual([outcome.guard, outcome.unchanged, work.metas().length], [null, ['a'], count]);
  });

  it('a path that already is as before is kept, and counts as taken back', () => {
    work.write('a', '0\n');
    work.write('b', '0\n');
    work.agent({ b: '1\n' }, { turn: '0' });
    work.agent({ a: '1\n' }, { turn: '1' });
    work.write('a', '0\n');
    assert.deepEqual(work.undo().unchanged, ['a']);
    work.undo();
    assert.equal(work.read('b'), '0\n');
  });

  it('changes nothing at all in a dry run', () => {
    work.write('a', '0\n');
    const id = work.agent({ a: '1\n', b: 'new\n' });
    const everything = () => [tree(work.root), tree(work.ports.stateDir)];
    const before = everything();
    const plan = planRestore(work.ports, work.root, { mode: 'checkpoint', id }, { readOnly: true });
    const outcome = runPlan(work.ports, work.root, plan, { dryRun: true });
    assert.deepEqual(everything(), before);
    assert.deepEqual([outcome.restored, outcome.deleted, outcome.guard, outcome.dryRun], [['a'], ['b'], null, true]);
  });

  it('leaves untouched files and their times alone', () => {
    work.write('other', 'x');
    work.write('a', '0\n');
    fs.utimesSync(work.at('other'), 1000, 1000);
    const id = work.agent({ a: '1\n' });
    work.restore(id);
    assert.equal(fs.statSync(work.at('other')).mtimeMs, 1_000_000);
  });

  it('refuses what is not there, or is not an id of here', () => {
    const id = '20261130T110501028Z-k3v9x2m4qa' as CheckpointId;
    assert.throws(
      () => work.restore(id),
      (error) => CheckpointError.is(error, 'not-found'),
    );
    assert.throws(
      () => work.undo(),
      (error) => CheckpointError.is(error, 'not-found'),
    );
    assert.throws(
      () => work.redo(),
      (error) => CheckpointError.is(error, 'not-found'),
    );
  });

  it('refuses a plan that another restore has overtaken', () => {
    work.write('a', '0\n');
    const id = work.agent({ a: '1\n' });
    const plan = work.plan({ mode: 'checkpoint', id });
    work.undo();
    work.redo();
    assert.throws(
      () => runPlan(work.ports, work.root, plan),
      (error) => CheckpointError.is(error, 'changed-meanwhile'),
    );
    assert.equal(work.read('a'), '1\n');
  });

  it('does not offer an earlier state that is damaged in the store', () => {
    work.write('a', '0\n');
    work.write('b', 'other\n');
    const id = work.agent({ a: '1\n', b: '1\n' });
    const { checkpoints } = work.stores.primary;
    fs.writeFileSync(`${checkpoints}/${id}/pre/0-a`, 'X\n');
    const outcome = work.restore(id);
    assert.deepEqual(
      outcome.skipped.map(({ path }) => path),
      ['a'],
    );
    assert.deepEqual([work.read('a'), work.read('b')], ['1\n', 'other\n']);
  });

  it('asks for a word before it restores from a store that came with a clone', () => {
    work.write('a', '0\n');
    const id = work.agent({ a: '1\n' });
    fs.writeFileSync(`${work.ports.stateDir}/key`, Buffer.alloc(32, 7));
    assert.throws(
      () => work.restore(id),
      (error) => CheckpointError.is(error, 'foreign'),
    );
    assert.throws(
      () => work.undo(),
      (error) => CheckpointError.is(error, 'not-found'),
    );
    work.restore(id, 'checkpoint', { foreign: true });
    assert.equal(work.read('a'), '0\n');
  });
});

function tree(dir: string): string[] {
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { mtimeMs, size, ino } = fs.lstatSync(`${dir}/${name}`);
    return `${name} ${ino} ${size} ${mtimeMs}`;
  });
}
