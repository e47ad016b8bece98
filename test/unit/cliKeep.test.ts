import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { writeSettings, readSettings } from '../../src/core/state/settings';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';

const idForm = /^\d{8}T\d{9}Z-[0-9a-z]{10}$/;

describe('create, pin, prune, purge and doctor on the command line', () => {
  let workspace: CliWorkspace;
  const ids = async () => {
    const { json } = await workspace.run('list', '--json');
    return json.checkpoints.map(({ id }: { id: string }) => id);
  };

  beforeEach(() => (workspace = cliWorkspace()));

  it('create keeps the named files and folders as they are', async () => {
    workspace.write('a.txt', 'a1');
    workspace.write('dir/b.txt', 'b1');
    workspace.write('dir/.git/config', 'not this');
    const { code, json } = await workspace.run('create', '--label', 'before lunch', 'a.txt', 'dir', '--json');
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(json), ['id']);
    assert.match(json.id, idForm);
    const { json: meta } = await workspace.run('show', json.id, '--json');
    assert.deepEqual([meta.kind, meta.label], ['manual', 'before lunch']);
    assert.deepEqual(
      meta.entries.map(({ path }: { path: string }) => path),
      ['a.txt', 'dir/b.txt'],
    );
    workspace.write('a.txt', 'a2');
    const run = await workspace.run('create', 'a.txt');
    assert.equal(run.code, 0);
    assert.match(run.stdout, /Z-[0-9a-z]{10}/);
  });

  it('create takes paths relative to the current folder', async () => {
    workspace.write('dir/b.txt', 'b1');
    const args = ['create', 'b.txt', '--root', workspace.root, '--json'];
    const { json } = await workspace.runIn({ cwd: workspace.file('dir') }, ...args);
    const { json: meta } = await workspace.run('show', json.id, '--json');
    assert.equal(meta.entries[0].path, 'dir/b.txt');
  });

  it('create without paths takes what the history knows', async () => {
    const nothing = await workspace.run('create');
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /Name the files/);
    workspace.write('a.txt', 'a1');
    workspace.write('gone.txt', 'g1');
    workspace.agentWrites({ 'a.txt': 'a2', 'gone.txt': undefined });
    const { json } = await workspace.run('create', '--json');
    const { json: meta } = await workspace.run('show', json.id, '--json');
    assert.deepEqual(
      meta.entries.map(({ path }: { path: string }) => path),
      ['a.txt'],
    );
  });

  it('pin keeps a checkpoint from pruning; prune removes what is over the limits', async () => {
    workspace.write('a.txt', '0');
    const made = [1, 2, 3, 4].map((n) => workspace.agentWrites({ 'a.txt': String(n) }, { turn: `turn-${n}` }));
    workspace.endTurn();
    const pin = await workspace.run('pin', made[0]!, '--json');
    assert.deepEqual([pin.code, pin.json], [0, { id: made[0], pinned: true }]);
    writeSettings(workspace.ports, {
      ...readSettings(workspace.ports),
      retention: { maxCheckpoints: 2, maxBytes: 2 ** 30 },
    });
    const prune = await workspace.run('prune', '--json');
    assert.equal(prune.code, 0);
    assert.deepEqual(Object.keys(prune.json), ['removed', 'freedBytes']);
    assert.ok(prune.json.freedBytes >= 0);
    const left = await ids();
    assert.ok(left.includes(made[0]) && left.includes(made[3]));
    assert.ok(prune.json.removed.includes(made[1]));
    assert.deepEqual((await workspace.run('unpin', made[0]!, '--json')).json, { id: made[0], pinned: false });
    assert.equal((await workspace.run('prune')).code, 0);
  });

  it('purge removes the history of a path or a session', async () => {
    workspace.write('secret.env', 's1');
    workspace.agentWrites({ 'secret.env': 's2' });
    const other = workspace.agentWrites({ 'b.txt': 'b1' }, { session: 'session-2' });
    workspace.endTurn();
    const purge = await workspace.run('purge', '--path', 'secret.env', '--json');
    assert.equal(purge.code, 0);
    assert.deepEqual(Object.keys(purge.json), ['removed', 'freedBytes']);
    assert.deepEqual(await ids(), [other]);
    assert.equal((await workspace.run('purge', '--session', 'session-2')).code, 0);
    assert.deepEqual(await ids(), []);
  });

  it('doctor verifies every blob', async () => {
    workspace.write('a.txt', 'a1');
    const id = workspace.agentWrites({ 'a.txt': 'a2' });
    const sound = await workspace.run('doctor', '--json');
    assert.deepEqual([sound.code, sound.json], [0, { checkpoints: 1, damaged: [], swept: 0 }]);
    fs.chmodSync(workspace.file(`.system_generated/checkpoints/${id}/pre/0-a.txt`), 0o600);
    fs.writeFileSync(workspace.file(`.system_generated/checkpoints/${id}/pre/0-a.txt`), 'XX');
    const broken = await workspace.run('doctor', '--json');
    assert.equal(broken.code, 0);
    assert.deepEqual(Object.keys(broken.json), ['checkpoints', 'damaged', 'swept']);
    assert.equal(broken.json.damaged[0].id, id);
    assert.match((await workspace.run('doctor')).stdout, /damaged/);
  });
});
