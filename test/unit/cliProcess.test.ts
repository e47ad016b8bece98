import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { builtCli, runCliProcess } from '../support/cliBundle';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { temporaryRoot } from '../support/ports';

describe('the command line as a process', () => {
  let workspace: CliWorkspace;
  let env: NodeJS.ProcessEnv;
  const run = (...argv: string[]) => runCliProcess(argv, { cwd: workspace.root, env });

  before(() => void builtCli());

  beforeEach(() => {
    workspace = cliWorkspace();
    env = { PATH: process.env['PATH'], HOME: temporaryRoot('home'), AGENT_CHECKPOINTS_HOME: workspace.ports.stateDir };
  });

  it('answers, and exits with the code of what happened', async () => {
    workspace.write('a.txt', '1\n');
    const id = workspace.agentWrites({ 'a.txt': '2\n' });
    assert.deepEqual(await run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
    assert.equal((await run('nothing')).code, 2);
    assert.equal((await run('show', '../../x')).code, 1);
    const listed = await run('list', '--json');
    assert.deepEqual([listed.code, JSON.parse(listed.stdout).checkpoints[0].id], [0, id]);
    workspace.write('a.txt', 'mine\n');
    assert.equal((await run('restore', id)).code, 3);
    assert.equal((await run('restore', id, '--on-conflict', 'overwrite')).code, 0);
    assert.equal(workspace.read('a.txt'), '1\n');
  });

  it('writes out all of a long answer, and is quiet when its reader has enough', async () => {
    const id = workspace.agentWrites({ 'long.txt': 'a long line of text\n'.repeat(100_000) });
    const whole = await run('diff', id, '--json');
    assert.equal(whole.code, 0);
    assert.equal(JSON.parse(whole.stdout).files[0].added, 100_000);
    const cut = await runCliProcess(['diff', id], { cwd: workspace.root, env, readAtMost: 1000 });
    assert.equal(cut.stderr, '');
  });

  it('install sets an agent up with this very program, uninstall gives the old bytes back', async () => {
    const home = env['HOME']!;
    const settings = path.join(home, '.claude', 'settings.json');
    fs.mkdirSync(path.dirname(settings));
    fs.writeFileSync(settings, '{ "model": "x" }\n');

    const dry = await run('install', 'claude-code', '--dry-run', '--json');
    assert.deepEqual(JSON.parse(dry.stdout), { agent: 'claude-code', scope: 'user', changed: [settings] });
    const shown = await run('install', 'claude-code', '--dry-run');
    assert.match(shown.stdout, /\n\+.*agent-checkpoints-hook/);
    assert.match(shown.stdout, /Dry run/);
    assert.equal(fs.readFileSync(settings, 'utf8'), '{ "model": "x" }\n');
    assert.equal(fs.existsSync(path.join(workspace.ports.stateDir, 'bin')), false);

    const installed = await run('install', 'claude-code', '--json');
    assert.deepEqual([installed.code, JSON.parse(installed.stdout).changed], [0, [settings]]);
    const program = path.join(workspace.ports.stateDir, 'bin', 'hook.js');
    assert.deepEqual(fs.readFileSync(program), fs.readFileSync(builtCli()));
    const again = await run('install', 'claude-code', '--json');
    assert.deepEqual(JSON.parse(again.stdout), { agent: 'claude-code', scope: 'user', changed: [] });

    const { agents } = JSON.parse((await run('agents', '--json')).stdout);
    const claude = agents.find(({ name }: { name: string }) => name === 'claude-code');
    assert.deepEqual([claude.found, claude.installed, claude.scope], [true, true, 'user']);

    const removed = await run('uninstall', 'claude-code', '--json');
    assert.deepEqual(JSON.parse(removed.stdout), { agent: 'claude-code', scope: 'all', changed: [settings] });
    assert.equal(fs.readFileSync(settings, 'utf8'), '{ "model": "x" }\n');
  });

  it('install leaves a file alone that the agent itself could not read', async () => {
    const settings = path.join(env['HOME']!, '.claude', 'settings.json');
    fs.mkdirSync(path.dirname(settings));
    fs.writeFileSync(settings, '{ "model": ');
    const { code, stdout, stderr } = await run('install', 'claude-code', '--json');
    assert.deepEqual([code, JSON.parse(stdout).error.reason], [1, 'config-unreadable']);
    assert.match(stderr, /settings\.json/);
    assert.equal(fs.readFileSync(settings, 'utf8'), '{ "model": ');
    assert.equal(fs.existsSync(path.join(workspace.ports.stateDir, 'bin')), false);
  });
});
