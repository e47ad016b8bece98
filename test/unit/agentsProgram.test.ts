// The stable program that agents' configurations name, run as agents run it: by a shell, in whatever environment.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { projectCommand, userCommand, windowsProjectCommand, windowsUserCommand } from '../../src/agents/hookCommand';
import { hookBinDir, refreshHookProgram, windowsProgram, type NodeProgram } from '../../src/agents/hookProgram';
import { buildCli, builtCli } from '../support/cliBundle';
import { claudeCall, startProcess } from '../support/hookProcess';
import { temporaryRoot, testPorts } from '../support/ports';

const here: NodeProgram = { path: process.execPath, runAsNode: false };

/** A workspace and a state folder with what shells stumble over in its name. */
function place(node: NodeProgram = here) {
  const root = temporaryRoot('program');
  fs.mkdirSync(path.join(root, '.git'));
  const stateDir = path.join(temporaryRoot('state'), `it's "a" $HOME`, 'agent-checkpoints');
  const ports = testPorts({ stateDir });
  const refresh = (cliSource = builtCli(), other = node) =>
    refreshHookProgram(ports, { cliSource, node: other }, 'linux');
  /** Runs a configured command as agents do, and says how it ended and whether it captured. */
  const run = async (command: string, env: NodeJS.ProcessEnv = {}) => {
    const store = path.join(root, '.system_generated');
    fs.rmSync(store, { recursive: true, force: true });
    const call = claudeCall(root, 'Write', { file_path: path.join(root, 'a.txt'), content: 'x' });
    const { ended } = startProcess('/bin/sh', ['-c', command], JSON.stringify(call('PreToolUse')), { cwd: root, env });
    return { ...(await ended), captured: fs.existsSync(path.join(store, 'checkpoints')) };
  };
  return { root, ports, stateDir, refresh, run, command: userCommand(hookBinDir(stateDir), 'claude-code') };
}

const captured = { code: 0, output: '', captured: true };
const nothing = { code: 0, output: '', captured: false };

describe('the stable program', function () {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('captures in an environment with nothing in it', async () => {
    const { refresh, run, command, stateDir } = place();
    refresh();
    assert.deepEqual(await run(command), captured);
    assert.ok(fs.existsSync(path.join(stateDir, 'key')));
  });

  it('captures without Node on the PATH, and whatever NODE_OPTIONS says', async () => {
    const { refresh, run, command } = place();
    refresh();
    assert.deepEqual(await run(command, { PATH: '/nowhere', NODE_OPTIONS: '--require /not/there.js' }), captured);
  });

  it('runs an Electron binary as Node', async () => {
    const { refresh, run, command, ports } = place();
    const electron = path.join(path.dirname(ports.stateDir), 'electron');
    fs.mkdirSync(path.dirname(electron), { recursive: true });
    const script = `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] || exit 3\nexec '${process.execPath}' "$@"\n`;
    fs.writeFileSync(electron, script, { mode: 0o755 });
    refresh(builtCli(), { path: electron, runAsNode: true });
    assert.deepEqual(await run(command, { PATH: '/nowhere' }), captured);
  });

  it('falls back to earlier ones, then to the PATH, then to nothing', async () => {
    const { refresh, run, command, ports } = place();
    const gone = path.join(path.dirname(ports.stateDir), 'node');
    const bin = path.join(path.dirname(ports.stateDir), 'path');
    refresh(builtCli(), { path: gone, runAsNode: false });
    assert.deepEqual(await run(command, { PATH: '/nowhere' }), nothing);
    fs.mkdirSync(bin, { recursive: true });
    fs.symlinkSync(process.execPath, path.join(bin, 'node'));
    assert.deepEqual(await run(command, { PATH: bin }), captured);
    refresh();
    refresh(builtCli(), { path: gone, runAsNode: false });
    assert.deepEqual(await run(command, { PATH: '/nowhere' }), captured);
  });

  it('leaves the agent in peace when it is gone, whole or in part', async () => {
    const { refresh, run, command, stateDir } = place();
    assert.deepEqual(await run(command), nothing);
    refresh();
    fs.rmSync(path.join(stateDir, 'bin', 'hook.js'));
    assert.deepEqual(await run(command), nothing);
    fs.writeFileSync(path.join(stateDir, 'bin', 'hook.js'), 'throw new Error("broken")');
    assert.deepEqual(await run(command), nothing);
  });

  it('writes only what differs, and keeps the configured command through an update', async () => {
    const { refresh, run, command, stateDir } = place();
    const [part, ...names] = refresh().map((file) => path.basename(file));
    assert.match(part!, /^sweep-[0-9a-f]{16}\.js$/);
    assert.deepEqual(names, ['mcp.js', 'verbs.js', 'hook.js', 'agent-checkpoints-hook', 'agent-checkpoints']);
    assert.deepEqual(refresh(), []);
    const update = path.join(temporaryRoot('update'), 'cli.js');
    fs.writeFileSync(update, `${fs.readFileSync(builtCli(), 'utf8')}\n// newer`);
    fs.copyFileSync(path.join(path.dirname(builtCli()), part!), path.join(path.dirname(update), part!));
    assert.deepEqual(
      refresh(update).map((file) => path.basename(file)),
      ['hook.js'],
    );
    assert.deepEqual(await run(command), captured);
    for (const name of fs.readdirSync(path.join(stateDir, 'bin'))) {
      assert.equal(fs.statSync(path.join(stateDir, 'bin', name)).mode & 0o077, 0);
    }
  });

  it('has what it loads for commands with it through updates, also one that runs meanwhile', async () => {
    const { refresh, stateDir, root, command } = place();
    const bin = path.join(stateDir, 'bin');
    const parts = () => fs.readdirSync(bin).filter((name) => name.startsWith('sweep-'));
    const updates = ['', '// two', '// three'].map((banner) => buildCli(temporaryRoot('update'), banner));
    const seen: string[][] = [];
    for (const update of updates) {
      refresh(update);
      seen.push(parts());
      // A command that one program sweeps before is closed by the next.
      const call = claudeCall(root, 'Bash', { command: 'echo x > made.txt' });
      const hook = (event: 'PreToolUse' | 'PostToolUse') =>
        startProcess('/bin/sh', ['-c', command], JSON.stringify(call(event)), { cwd: root, env: {} }).ended;
      assert.deepEqual(await hook('PreToolUse'), { code: 0, output: '' });
      fs.writeFileSync(path.join(root, 'made.txt'), `${update}\n`);
      refresh(updates.at(-1));
      assert.deepEqual(await hook('PostToolUse'), { code: 0, output: '' });
      refresh(update);
    }
    assert.equal(fs.readdirSync(path.join(root, '.system_generated', 'checkpoints')).length, updates.length);
    assert.deepEqual(
      seen.map((names) => names.length),
      [1, 2, 2],
    );
    assert.equal(new Set(seen.flat()).size, updates.length);
    // Never a program without its part.
    const incomplete = path.join(temporaryRoot('incomplete'), 'cli.js');
    fs.copyFileSync(updates[1]!, incomplete);
    const before = fs.readFileSync(path.join(bin, 'hook.js'));
    assert.throws(() => refresh(incomplete), /ENOENT/);
    assert.deepEqual(fs.readFileSync(path.join(bin, 'hook.js')), before);
  });

  it('is found by the command of a project in each place where user state may be', async () => {
    const command = projectCommand('claude-code');
    const { refresh, run, ports } = place();
    refresh();
    const home = temporaryRoot('home');
    const install = (...under: string[]) => {
      const target = path.join(home, ...under);
      fs.rmSync(home, { recursive: true, force: true });
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.symlinkSync(ports.stateDir, target);
    };
    assert.deepEqual(await run(command, { HOME: home }), nothing);
    assert.deepEqual(await run(command, { HOME: home, AGENT_CHECKPOINTS_HOME: ports.stateDir }), captured);
    install('.local', 'share', 'agent-checkpoints');
    assert.deepEqual(await run(command, { HOME: home }), captured);
    install('data', 'agent-checkpoints');
    assert.deepEqual(await run(command, { HOME: home, XDG_DATA_HOME: path.join(home, 'data') }), captured);
    install('Library', 'Application Support', 'agent-checkpoints');
    assert.deepEqual(await run(command, { HOME: home }), captured);
    assert.deepEqual(await run(command, {}), nothing);
  });

  it('gives the shells valid programs', () => {
    const { refresh, stateDir } = place();
    refresh();
    execFileSync('/bin/sh', ['-n', path.join(stateDir, 'bin', 'agent-checkpoints-hook')]);
    execFileSync('/bin/sh', ['-n', '-c', projectCommand('vscode')]);
  });

  it('comes with the whole command line, which says why it cannot run', () => {
    const { refresh, stateDir, root } = place();
    refresh();
    const program = path.join(stateDir, 'bin', 'agent-checkpoints');
    const run = () =>
      spawnSync(program, ['list', '--json'], { cwd: root, encoding: 'utf8', env: { PATH: '/nowhere' } });
    assert.deepEqual(JSON.parse(run().stdout), { checkpoints: [], damaged: [] });
    fs.rmSync(path.join(stateDir, 'bin', 'hook.js'));
    const { status, stdout, stderr } = run();
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^agent-checkpoints: the program is gone/);
  });
});

describe('the commands for Windows', () => {
  it('mean the same in cmd.exe and in PowerShell, and have no quotes within quotes', () => {
    assert.equal(
      windowsUserCommand('C:\\Users\\Ada L\\AppData\\Local\\agent-checkpoints\\Data\\bin', 'vscode'),
      'cmd /d /c "cd /d C:\\Users\\Ada L\\AppData\\Local\\agent-checkpoints\\Data\\bin 2>nul && call .\\agent-checkpoints-hook.cmd vscode & exit 0"',
    );
    assert.equal(
      windowsProjectCommand('vscode'),
      'cmd /d /c "cd /d %LOCALAPPDATA%\\agent-checkpoints\\Data\\bin 2>nul && call .\\agent-checkpoints-hook.cmd vscode & exit 0"',
    );
    assert.match(
      userCommand('C:\\Users\\Ada\\bin', 'claude-code'),
      /^\[ -x 'C:\/Users\/Ada\/bin\/agent-checkpoints-hook' \]/,
    );
  });

  it('have a program that tries each Node in turn', () => {
    const program = windowsProgram([
      { path: 'C:\\Program Files\\nodejs\\node.exe', runAsNode: false },
      { path: 'C:\\100%\\Code.exe', runAsNode: true },
    ]);
    assert.deepEqual(program.split('\r\n').slice(5), [
      'if not exist "C:\\Program Files\\nodejs\\node.exe" goto next0',
      '"C:\\Program Files\\nodejs\\node.exe" "%~dp0hook.js" hook %* 2>nul',
      'exit /b 0',
      ':next0',
      'if not exist "C:\\100%%\\Code.exe" goto next1',
      'set "ELECTRON_RUN_AS_NODE=1"',
      '"C:\\100%%\\Code.exe" "%~dp0hook.js" hook %* 2>nul',
      'exit /b 0',
      ':next1',
      'node "%~dp0hook.js" hook %* 2>nul',
      'exit /b 0',
      '',
    ]);
  });
});
