import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { temporaryRoot } from '../support/ports';

const metaKeys = ['version', 'id', 'createdAt', 'kind', 'status', 'agent', 'prompt', 'entries', 'notCovered', 'mac'];
const listedKeys = [...metaKeys, 'root', 'pinned', 'bytes'];
const sorted = (value: object | readonly string[]) => (Array.isArray(value) ? [...value] : Object.keys(value)).sort();

describe('list, show and diff', () => {
  let workspace: CliWorkspace;
  let first: string;
  let second: string;

  beforeEach(() => {
    workspace = cliWorkspace();
    workspace.write('src/a.ts', 'one\ntwo\n');
    workspace.prompt('Add a third line\nand more');
    first = workspace.agentWrites({ 'src/a.ts': 'one\ntwo\nthree\n', 'new.txt': 'new\n' });
    workspace.prompt('Remove it again', { turn: 'turn-2', session: 'session-2' });
    second = workspace.agentWrites({ 'src/a.ts': 'one\n' }, { turn: 'turn-2', session: 'session-2' });
  });

  it('list prints the checkpoints with exactly the keys of the contract, newest first', async () => {
    const { code, json, stderr } = await workspace.run('list', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(sorted(json), ['checkpoints', 'damaged']);
    assert.deepEqual(
      json.checkpoints.map(({ id }: { id: string }) => id),
      [second, first],
    );
    assert.deepEqual(sorted(json.checkpoints[1]), sorted(listedKeys));
    assert.equal(json.checkpoints[1].root, workspace.root);
    assert.equal(json.checkpoints[1].pinned, false);
    assert.equal(json.checkpoints[1].prompt, 'Add a third line\nand more');
    assert.ok(json.checkpoints[1].bytes > 0);
  });

  it('list filters by file, folder and session, and stops at the limit', async () => {
    const ids = async (...options: string[]) => {
      const { json } = await workspace.run('list', '--json', ...options);
      return json.checkpoints.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await ids('--file', 'new.txt'), [first]);
    assert.deepEqual(await ids('--file', path.join(workspace.root, 'new.txt')), [first]);
    assert.deepEqual(await ids('--file', 'src'), [second, first]);
    assert.deepEqual(await ids('--file', 'other'), []);
    assert.deepEqual(await ids('--session', 'session-2'), [second]);
    assert.deepEqual(await ids('--session', 'session-1', '--file', 'src/a.ts'), [first]);
    assert.deepEqual(await ids('--limit', '1'), [second]);
  });

  it('list names damaged checkpoints and goes on', async () => {
    fs.writeFileSync(workspace.file(`.system_generated/checkpoints/${second}/meta.json`), '{"version": 1');
    const { code, json } = await workspace.run('list', '--json');
    assert.equal(code, 0);
    assert.deepEqual(
      json.checkpoints.map(({ id }: { id: string }) => id),
      [first],
    );
    assert.deepEqual(json.damaged.map(sorted), [['id', 'reason']]);
    assert.equal(json.damaged[0].id, second);
    const { stdout } = await workspace.run('list');
    assert.match(stdout, new RegExp(`${second}  damaged: `));
  });

  it('show, diff and restore of a damaged checkpoint say which one', async () => {
    fs.writeFileSync(workspace.file(`.system_generated/checkpoints/${second}/meta.json`), '[]');
    for (const verb of ['show', 'diff', 'restore']) {
      const { code, json } = await workspace.run(verb, second, '--json');
      assert.deepEqual([code, json.error.reason], [1, 'damaged'], verb);
      assert.match(json.error.message, new RegExp(second));
    }
  });

  it('a store that is a link is refused, and nothing of it is shown', async () => {
    const elsewhere = temporaryRoot('elsewhere');
    fs.renameSync(workspace.file('.system_generated'), path.join(elsewhere, 'store'));
    fs.symlinkSync(path.join(elsewhere, 'store'), workspace.file('.system_generated'));
    for (const verb of ['show', 'diff', 'restore']) {
      const { code, json } = await workspace.run(verb, second, '--json');
      assert.equal(code, 1, verb);
      assert.deepEqual(Object.keys(json), ['error'], verb);
    }
    const { json } = await workspace.run('list', '--json');
    assert.deepEqual([json.checkpoints, json.damaged.length], [[], 1]);
  });

  it('diff compares with the disk where the state after is not known yet, and says so', async () => {
    const observer = createObserver(workspace.ports);
    const request = {
      kind: 'edit' as const,
      agent: { name: 'claude-code', session: 'session-3', tool: 'Write', toolUse: 'open' },
      cwd: workspace.root,
      writes: [{ path: workspace.file('src/a.ts') }],
    };
    const { checkpoints } = observer.beforeWrite(request);
    workspace.write('src/a.ts', 'one\nmore\n');
    const { json, stderr } = await workspace.run('diff', checkpoints[0]!.id, '--json');
    assert.match(json.files[0].patch, /\n\+more\n/);
    assert.match(stderr, /src\/a\.ts: the state after is not known/);
  });

  it('list shows turns with their prompts, files and line counts to a person', async () => {
    const { code, stdout } = await workspace.run('list');
    assert.equal(code, 0);
    assert.match(stdout, /claude-code {2}Remove it again\n {2}\S+ {2}Write {7}src\/a\.ts -2\n\n/);
    assert.match(stdout, /claude-code {2}Add a third line\n {2}\S+ {2}Write {7}src\/a\.ts \+1, new\.txt new \+1\n/);
    assert.doesNotMatch(stdout, /and more/);
  });

  it('list says what to do where there is nothing', async () => {
    const empty = cliWorkspace();
    assert.deepEqual((await empty.run('list', '--json')).json, { checkpoints: [], damaged: [] });
    assert.match((await empty.run('list')).stdout, /No checkpoints .* yet/);
    assert.equal(fs.existsSync(empty.file('.system_generated')), false);
  });

  it('human output neutralises hostile names and prompts', async () => {
    workspace.prompt('\u001b]0;owned\u0007 \u202eevil', { turn: 'turn-3' });
    workspace.write('a\u001b[2Jb\nc.txt', 'x');
    const id = workspace.agentWrites({ 'a\u001b[2Jb\nc.txt': 'y\u001b[31m\n' }, { turn: 'turn-3' });
    for (const argv of [
      ['list'],
      ['show', id],
      ['diff', id],
      ['restore', id, '--dry-run'],
      ['restore', id],
      ['redo'],
    ]) {
      const { stdout, stderr } = await workspace.run(...argv);
      // Line ends stay where they belong; nothing else that acts on a terminal does.
      assert.doesNotMatch(stdout + stderr, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/, argv.join(' '));
      assert.doesNotMatch(stdout, /b\nc\.txt/, argv.join(' '));
    }
    const { json } = await workspace.run('show', id, '--json');
    assert.equal(json.entries[0].path, 'a\u001b[2Jb\nc.txt');
  });

  it('show prints the metadata', async () => {
    const { code, json } = await workspace.run('show', first, '--json');
    assert.equal(code, 0);
    assert.deepEqual(sorted(json), sorted(metaKeys));
    assert.deepEqual(
      json.entries.map((entry: object) => sorted(entry)),
      [
        ['path', 'post', 'pre', 'provenance'],
        ['path', 'post', 'pre', 'provenance'],
      ],
    );
    const { stdout } = await workspace.run('show', first);
    assert.match(stdout, new RegExp(`^Checkpoint +${first}\n`));
    assert.match(stdout, /new\.txt\n +before: absent \(before-write\)\n +after: {2}file, 4 bytes/);
  });

  it('show marks a checkpoint of somebody else', async () => {
    fs.rmSync(path.join(workspace.ports.stateDir, 'key'));
    const { code, stderr } = await workspace.run('show', first, '--json');
    assert.equal(code, 0);
    assert.match(stderr, /not made by you/);
    assert.match((await workspace.run('list')).stdout, /\[foreign\]/);
  });

  it('diff compares before and after, one file or all', async () => {
    const { code, json, stderr } = await workspace.run('diff', first, '--json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(sorted(json), ['files', 'id']);
    assert.deepEqual(json.files.map(sorted), [
      ['added', 'binary', 'patch', 'path', 'removed'],
      ['added', 'binary', 'patch', 'path', 'removed'],
    ]);
    const [a, created] = json.files;
    assert.deepEqual([a.path, a.added, a.removed, a.binary], ['src/a.ts', 1, 0, false]);
    assert.match(a.patch, /\n\+three\n/);
    assert.deepEqual([created.path, created.added, created.removed], ['new.txt', 1, 0]);
    const one = await workspace.run('diff', first, 'new.txt', '--json');
    assert.deepEqual(
      one.json.files.map((file: { path: string }) => file.path),
      ['new.txt'],
    );
    const human = await workspace.run('diff', first);
    assert.match(human.stdout, /\n\+three\n/);
  });

  it('diff of a binary file has no patch', async () => {
    fs.writeFileSync(workspace.file('b.bin'), Buffer.from([0, 1, 2, 0]));
    const id = workspace.agentWrites({ 'b.bin': 'text now' });
    const { json } = await workspace.run('diff', id, '--json');
    assert.deepEqual(json.files, [{ path: 'b.bin', added: 0, removed: 0, binary: true }]);
    assert.match((await workspace.run('diff', id)).stdout, /binary/i);
  });

  it('diff of a path that the checkpoint does not have fails', async () => {
    const { code, json } = await workspace.run('diff', first, 'other.txt', '--json');
    assert.equal(code, 1);
    assert.equal(json.error.reason, 'not-found');
  });
});
