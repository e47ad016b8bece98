import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { registerRoots } from '../../src/core/state/roots';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot } from '../support/ports';

const absent = '20261130T110501028Z-k3v9x2m4qa';

describe('usage of the command line', () => {
  let workspace: CliWorkspace;
  beforeEach(() => (workspace = cliWorkspace()));

  it('wrong usage exits with 2, says why on stderr, and is one JSON document with --json', async () => {
    for (const argv of [
      ['nothing'],
      ['list', 'extra'],
      ['list', '--limit'],
      ['list', '--limit', '0'],
      ['list', '--limit', '-3'],
      ['list', '--limit', 'many'],
      ['list', '--limit', '1e3'],
      ['list', '--file', ''],
      ['list', '--file', '../outside'],
      ['list', '--file', '/etc/passwd'],
      ['list', '--file', 'a\0b'],
      ['list', '--frob'],
      ['list', '--root', 'missing'],
      ['list', '--root', ''],
      ['show'],
      ['show', absent, absent],
      ['diff'],
      ['diff', absent, 'a', 'b'],
      ['restore'],
      ['restore', absent, '--mode', 'hunk'],
      ['restore', absent, '--on-conflict', 'ask'],
      ['restore', absent, '--session', 's'],
      ['restore', absent, '--file', '../x'],
      ['undo', 'x'],
      ['redo', '--foreign'],
      ['create'],
      ['create', 'missing.txt'],
      ['create', '/etc/passwd'],
      ['pin'],
      ['unpin', absent, absent],
      ['prune', 'x'],
      ['purge'],
      ['purge', '--path', 'a', '--session', 'b'],
      ['purge', '--path', '..'],
      ['doctor', '--fix'],
      ['install'],
      ['install', 'nobody'],
      ['install', 'claude-code', '--scope', 'world'],
      ['uninstall'],
      ['uninstall', 'nobody'],
      ['agents', 'x'],
    ]) {
      const run = await workspace.run(...argv, '--json');
      assert.equal(run.code, 2, argv.join(' '));
      assert.deepEqual(Object.keys(run.json), ['error'], argv.join(' '));
      assert.deepEqual(Object.keys(run.json.error), ['reason', 'message']);
      assert.match(run.stderr, /^agent-checkpoints: ./);
      const human = await workspace.run(...argv);
      assert.deepEqual([human.code, human.stdout], [2, ''], argv.join(' '));
    }
  });

  it('explains itself and tells its version', async () => {
    const help = await workspace.run('--help');
    assert.equal(help.code, 0);
    const verbs = ['list', 'show', 'diff', 'restore', 'undo', 'redo', 'create', 'pin', 'unpin', 'prune', 'purge'];
    for (const verb of [...verbs, 'doctor', 'install', 'uninstall', 'agents', 'rebuild', 'mcp']) {
      assert.match(help.stdout, new RegExp(`^  ${verb} `, 'm'));
      const own = await workspace.run(verb, '--help');
      assert.equal(own.code, 0);
      assert.match(own.stdout, new RegExp(`^Usage: agent-checkpoints ${verb}`));
      assert.equal((await workspace.run('help', verb)).stdout, own.stdout);
    }
    assert.equal((await workspace.run('--version')).stdout, `${version}\n`);
    const nothing = await workspace.run();
    assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
    assert.match(nothing.stderr, /Usage:/);
  });

  it('refuses what is no id before it touches a file', async () => {
    const { fs: watched, counts } = faultyFs({ failAt: 1, mode: 'kill' });
    const ports = { ...workspace.ports, fs: watched };
    for (const verb of ['show', 'diff', 'restore', 'pin', 'unpin']) {
      for (const id of ['../../x', 'x', `${absent}/..`, absent.toUpperCase(), `${absent}\n`, '..', '/etc']) {
        const run = await workspace.runIn({ ports }, verb, id, '--json');
        assert.equal(run.code, 1, `${verb} ${id}`);
        assert.equal(run.json.error.reason, 'bad-id');
        assert.notEqual(run.stderr, '');
      }
    }
    assert.equal(counts.calls, 0);
  });

  it('an id of the right form that is not there is a clear error', async () => {
    workspace.write('a.txt', '1');
    workspace.agentWrites({ 'a.txt': '2' });
    for (const verb of ['show', 'diff', 'restore', 'pin', 'unpin']) {
      const run = await workspace.run(verb, absent, '--json');
      assert.equal(run.code, 1, verb);
      assert.equal(run.json.error.reason, 'not-found', verb);
      const human = await workspace.run(verb, absent);
      assert.deepEqual([human.code, human.stdout], [1, '']);
      assert.match(human.stderr, new RegExp(absent));
    }
  });

  it('takes --root and --json before the verb too', async () => {
    const elsewhere = temporaryRoot('elsewhere');
    workspace.write('a.txt', '1');
    const id = workspace.agentWrites({ 'a.txt': '2' });
    const run = await workspace.runIn({ cwd: elsewhere }, '--root', workspace.root, '--json', 'list');
    assert.equal(run.json.checkpoints[0].id, id);
    const relative = path.relative(elsewhere, workspace.root);
    assert.equal((await workspace.runIn({ cwd: elsewhere }, `--root=${relative}`, 'show', id)).code, 0);
  });
});

describe('the default root', () => {
  const rootOf = async (workspace: CliWorkspace, cwd: string, home?: string) => {
    const env = { HOME: home ?? path.dirname(workspace.root) };
    const { json } = await workspace.runIn({ cwd, env }, 'list', '--json');
    return json.checkpoints[0]?.root;
  };
  const deep = (workspace: CliWorkspace, relative: string) => {
    fs.mkdirSync(workspace.file(relative), { recursive: true });
    return workspace.file(relative);
  };
  let workspace: CliWorkspace;

  beforeEach(() => {
    workspace = cliWorkspace();
    workspace.write('a.txt', '1');
    workspace.agentWrites({ 'a.txt': '2' });
  });

  it('is the nearest folder upward with a store', async () => {
    assert.equal(await rootOf(workspace, deep(workspace, 'x/y/z')), workspace.root);
  });

  it('is not looked for above the Git top level', async () => {
    fs.mkdirSync(workspace.file('.git'));
    assert.equal(await rootOf(workspace, deep(workspace, 'x')), workspace.root);
    deep(workspace, 'inner/.git');
    assert.equal(await rootOf(workspace, deep(workspace, 'inner/src')), undefined);
  });

  it('is not looked for above the home folder', async () => {
    const home = deep(workspace, 'home');
    assert.equal(await rootOf(workspace, deep(workspace, 'home/src'), home), undefined);
  });

  it('is a registered folder, or one with a store in user state', async () => {
    const inner = deep(workspace, 'inner');
    registerRoots(workspace.ports, [inner]);
    assert.equal(await rootOf(workspace, deep(workspace, 'inner/src')), undefined);
  });

  it('has to be named where the current folder was removed', async () => {
    const gone = await workspace.runIn({ cwd: '' }, 'list');
    assert.deepEqual([gone.code, gone.stdout], [2, '']);
    assert.match(gone.stderr, /current folder is gone.*--root/);
    assert.equal((await workspace.runIn({ cwd: '' }, 'list', '--root', workspace.root)).code, 0);
  });

  it('is found through a link', async () => {
    const link = path.join(temporaryRoot('link'), 'project');
    fs.symlinkSync(workspace.root, link);
    assert.equal(await rootOf(workspace, link), workspace.root);
  });

  it('is not taken from a folder of somebody else', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const inner = deep(workspace, 'theirs/mine');
    fs.chownSync(inner, 12345, 12345);
    assert.equal(await rootOf(workspace, inner), undefined);
    fs.chownSync(inner, 0, 0);
    assert.equal(await rootOf(workspace, inner), workspace.root);
    fs.chownSync(workspace.file('.system_generated/checkpoints'), 12345, 12345);
    assert.equal(await rootOf(workspace, inner), undefined);
  });
});
