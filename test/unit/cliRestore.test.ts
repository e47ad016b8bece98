import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { writeUnsaved } from '../../src/core/state/unsaved';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';

const keys = ['guard', 'restored', 'deleted', 'unchanged', 'skipped', 'conflicts', 'dryRun'];

describe('restore, undo and redo on the command line', () => {
  let workspace: CliWorkspace;
  let first: string;
  let second: string;

  beforeEach(() => {
    workspace = cliWorkspace();
    workspace.write('a.txt', 'a1\n');
    first = workspace.agentWrites({ 'a.txt': 'a2\n', 'new.txt': 'n1\n' });
    second = workspace.agentWrites({ 'b.txt': 'b1\n' }, { turn: 'turn-2' });
  });

  it('restore brings back a checkpoint and prints exactly the keys of the contract', async () => {
    const { code, json } = await workspace.run('restore', first, '--json');
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(json), keys);
    assert.match(json.guard, /^\d{8}T\d{9}Z-[0-9a-z]{10}$/);
    assert.deepEqual(
      { ...json, guard: '' },
      {
        guard: '',
        restored: ['a.txt'],
        deleted: ['new.txt'],
        unchanged: [],
        skipped: [],
        conflicts: [],
        dryRun: false,
      },
    );
    assert.deepEqual(['a.txt', 'new.txt', 'b.txt'].map(workspace.read), ['a1\n', undefined, 'b1\n']);
  });

  it('a dry run says the same and changes nothing', async () => {
    const before = fs.readdirSync(workspace.file('.system_generated/checkpoints'));
    const { code, json } = await workspace.run('restore', first, '--dry-run', '--json');
    assert.equal(code, 0);
    assert.deepEqual([json.guard, json.restored, json.deleted, json.dryRun], [null, ['a.txt'], ['new.txt'], true]);
    assert.equal(workspace.read('a.txt'), 'a2\n');
    assert.deepEqual(fs.readdirSync(workspace.file('.system_generated/checkpoints')), before);
    assert.match((await workspace.run('restore', first, '--dry-run')).stdout, /Would be restored\n {2}a\.txt\n/);
  });

  it('restore takes one file, a turn, or all since', async () => {
    assert.equal((await workspace.run('restore', first, '--mode', 'file', '--file', 'new.txt')).code, 0);
    assert.deepEqual(['a.txt', 'new.txt'].map(workspace.read), ['a2\n', undefined]);
    assert.equal((await workspace.run('restore', second, '--mode', 'turn')).code, 0);
    assert.equal(workspace.read('b.txt'), undefined);
    assert.equal((await workspace.run('redo')).code, 0);
    assert.equal(workspace.read('b.txt'), 'b1\n');
    assert.equal((await workspace.run('restore', first, '--mode', 'rewind')).code, 0);
    assert.deepEqual(['a.txt', 'new.txt', 'b.txt'].map(workspace.read), ['a1\n', undefined, undefined]);
  });

  it('undo and redo walk back and forth', async () => {
    const undo = await workspace.run('undo', '--json');
    assert.deepEqual([undo.code, Object.keys(undo.json), undo.json.deleted], [0, keys, ['b.txt']]);
    await workspace.run('undo');
    assert.deepEqual(['a.txt', 'b.txt'].map(workspace.read), ['a1\n', undefined]);
    const nothing = await workspace.run('undo', '--json');
    assert.deepEqual([nothing.code, nothing.json.error.reason], [1, 'not-found']);
    const redo = await workspace.run('redo', '--json');
    assert.deepEqual([redo.code, Object.keys(redo.json)], [0, keys]);
    await workspace.run('redo');
    assert.deepEqual(['a.txt', 'new.txt', 'b.txt'].map(workspace.read), ['a2\n', 'n1\n', 'b1\n']);
    assert.equal((await workspace.run('redo')).code, 1);
  });

  it('a path that a person changed is a conflict: left alone, exit 3, until it is overwritten', async () => {
    workspace.write('a.txt', 'mine\n');
    const run = await workspace.run('restore', first, '--json');
    assert.equal(run.code, 3);
    assert.deepEqual(run.json.conflicts.map(Object.keys), [['path', 'reason']]);
    assert.deepEqual([run.json.conflicts[0].path, run.json.deleted], ['a.txt', ['new.txt']]);
    assert.equal(workspace.read('a.txt'), 'mine\n');
    const again = await workspace.run('restore', first);
    assert.equal(again.code, 3);
    assert.match(again.stdout, /Conflicts, left alone\n {2}a\.txt: /);
    assert.match(again.stdout, /--on-conflict/);
    assert.equal((await workspace.run('restore', first, '--on-conflict', 'overwrite')).code, 0);
    assert.equal(workspace.read('a.txt'), 'a1\n');
    assert.equal((await workspace.run('redo')).code, 0);
    assert.equal(workspace.read('a.txt'), 'mine\n');
  });

  it('merge keeps a change of a person that does not overlap', async () => {
    const lines = (...text: string[]) => text.map((line) => `${line}\n`).join('');
    workspace.write('long.txt', lines('1', '2', '3', '4', '5', '6'));
    const id = workspace.agentWrites({ 'long.txt': lines('one', '2', '3', '4', '5', '6') }, { turn: 'turn-3' });
    workspace.write('long.txt', lines('one', '2', '3', '4', '5', 'mine'));
    assert.equal((await workspace.run('restore', id)).code, 3);
    assert.equal((await workspace.run('restore', id, '--on-conflict', 'merge')).code, 0);
    assert.equal(workspace.read('long.txt'), lines('1', '2', '3', '4', '5', 'mine'));
  });

  it('a redo tells how to take it back, and that works', async () => {
    await workspace.run('undo');
    const { stdout } = await workspace.run('redo');
    const [, command] = /`(restore \S+)` takes this back/.exec(stdout)!;
    assert.equal(workspace.read('b.txt'), 'b1\n');
    assert.equal((await workspace.run(...command!.split(' '))).code, 0);
    assert.equal(workspace.read('b.txt'), undefined);
  });

  it('a path with unsaved text in an editor is skipped', async () => {
    writeUnsaved(workspace.ports, 'window', [workspace.file('a.txt')]);
    const run = await workspace.run('restore', first, '--json');
    assert.equal(run.code, 1);
    assert.deepEqual(run.json.skipped.map(Object.keys), [['path', 'reason']]);
    assert.equal(run.json.skipped[0].path, 'a.txt');
    assert.match(run.json.skipped[0].reason, /unsaved/);
    assert.deepEqual(['a.txt', 'new.txt'].map(workspace.read), ['a2\n', undefined]);
  });

  it('a checkpoint of somebody else is restored only with --foreign', async () => {
    fs.rmSync(`${workspace.ports.stateDir}/key`);
    const run = await workspace.run('restore', first, '--json');
    assert.deepEqual([run.code, run.json.error.reason], [1, 'foreign']);
    assert.equal(workspace.read('a.txt'), 'a2\n');
    assert.equal((await workspace.run('restore', first, '--foreign')).code, 0);
    assert.equal(workspace.read('a.txt'), 'a1\n');
  });

  it('--mode hunk takes back the change that diff numbers, and keeps the others', async () => {
    workspace.write('h.txt', 'a\nb\nc\nd\ne\nf\n');
    const id = workspace.agentWrites({ 'h.txt': 'A\nb\nc\nd\nE\nf\ng' }, { turn: 'turn-3' });
    const { stdout } = await workspace.run('diff', id, 'h.txt');
    assert.match(
      stdout,
      /@@ -1,4 \+1,4 @@ change 1\n-a\n\+A\n b\n c\n d\n@@ -5,2 \+5,2 @@ change 2\n-e\n\+E\n f\n@@ -6,0 \+7,1 @@ change 3\n\+g\n/,
    );
    const { code, json } = await workspace.run(
      'restore',
      id,
      '--mode',
      'hunk',
      '--file',
      'h.txt',
      '--hunk',
      '2',
      '--json',
    );
    assert.deepEqual([code, Object.keys(json), json.restored], [0, keys, ['h.txt']]);
    assert.equal(workspace.read('h.txt'), 'A\nb\nc\nd\ne\nf\ng');
    assert.equal((await workspace.run('redo')).code, 0);
    assert.equal(workspace.read('h.txt'), 'A\nb\nc\nd\nE\nf\ng');
    workspace.write('h.txt', 'mine\nb\nc\nd\nE\nf\ng');
    const run = await workspace.run('restore', id, '--mode', 'hunk', '--file', 'h.txt', '--hunk', '1');
    assert.equal(run.code, 3);
    assert.doesNotMatch(run.stdout, /--on-conflict/);
  });

  it('--mode hunk needs a file and a number that is there', async () => {
    const hunk = (...more: string[]) => workspace.run('restore', first, '--mode', 'hunk', ...more);
    assert.equal((await hunk('--file', 'a.txt')).code, 2);
    assert.equal((await hunk('--hunk', '1')).code, 2);
    assert.equal((await hunk('--file', 'a.txt', '--hunk', '0')).code, 2);
    assert.equal((await hunk('--file', 'a.txt', '--hunk', '2')).code, 2);
    assert.equal((await hunk('--file', 'a.txt', '--hunk', '1', '--on-conflict', 'merge')).code, 2);
    assert.equal((await workspace.run('restore', first, '--hunk', '1')).code, 2);
    assert.equal((await hunk('--file', 'new.txt', '--hunk', '1')).code, 1);
    assert.equal(workspace.read('a.txt'), 'a2\n');
  });

  it('--mode file without a file is wrong usage where the checkpoint has several', async () => {
    const run = await workspace.run('restore', first, '--mode', 'file', '--json');
    assert.equal(run.code, 2);
    assert.equal((await workspace.run('restore', second, '--mode', 'file')).code, 0);
    assert.equal(workspace.read('b.txt'), undefined);
  });
});
