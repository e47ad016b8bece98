import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { agentNames } from '../../src/agents/agent';
import { noteSeen } from '../../src/core/state/lastSeen';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { addWarning } from '../../src/core/state/warnings';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { temporaryRoot } from '../support/ports';

describe('agents, install and uninstall on the command line', () => {
  let workspace: CliWorkspace;
  let home: string;
  const run = (...argv: string[]) => workspace.runIn({ env: { HOME: home } }, ...argv);
  const row = async (name: string) => {
    const { json } = await run('agents', '--json');
    return json.agents.find((each: { name: string }) => each.name === name);
  };

  beforeEach(() => {
    workspace = cliWorkspace();
    home = temporaryRoot('home');
  });

  it('agents lists those that can be set up, with the keys of the contract', async () => {
    const { code, json } = await run('agents', '--json');
    assert.equal(code, 0);
    assert.deepEqual(json, {
      agents: agentNames.map((name) => ({ name, found: false, installed: false })),
      warnings: [],
    });
    assert.equal((await run('install', 'claude-code')).code, 0);
    noteSeen(workspace.ports, 'claude-code');
    const claude = await row('claude-code');
    assert.deepEqual(Object.keys(claude), ['name', 'found', 'installed', 'scope', 'lastSeen']);
    assert.match((await run('agents')).stdout, /^claude-code {2}set up \(user\) {2}seen \d{4}-/m);
  });

  it('agents shows each warning once', async () => {
    addWarning(workspace.ports, { key: 'k', text: 'The disk is full.\u001b[2J' });
    const { stdout } = await run('agents');
    assert.match(stdout, /The disk is full\.\\u\{1b\}\[2J/);
    assert.deepEqual((await run('agents', '--json')).json.warnings, []);
    addWarning(workspace.ports, { key: 'other', text: 'Another one.' });
    assert.deepEqual((await run('agents', '--json')).json.warnings, ['Another one.']);
  });

  it('install for a project changes the project, and says what is still to do', async () => {
    const { code, json } = await run('install', 'claude-code', '--scope', 'project', '--json');
    const settings = workspace.file('.claude/settings.json');
    assert.equal(code, 0);
    assert.deepEqual(Object.keys(json), ['agent', 'scope', 'changed', 'needs']);
    assert.deepEqual([json.agent, json.scope, json.changed], ['claude-code', 'project', [settings]]);
    // Another person's paths mean nothing there.
    assert.doesNotMatch(fs.readFileSync(settings, 'utf8'), new RegExp(workspace.ports.stateDir));
    assert.match((await run('install', 'claude-code', '--scope', 'project')).stdout, /Still to do: /);
    assert.equal((await run('uninstall', 'claude-code', '--scope', 'user', '--json')).json.changed.length, 0);
    assert.deepEqual((await run('uninstall', 'claude-code', '--json')).json.changed, [settings]);
    assert.equal(fs.existsSync(settings), false);
  });

  it('install says so where capturing is turned off, and create refuses', async () => {
    writeSettings(workspace.ports, { ...readSettings(workspace.ports), enabled: false });
    const installed = await run('install', 'claude-code', '--json');
    assert.equal(installed.code, 0);
    assert.match(installed.stderr, /turned off/);
    workspace.write('a.txt', '1');
    const created = await run('create', 'a.txt', '--json');
    assert.deepEqual([created.code, created.json.error.reason], [1, 'failed']);
  });

  it('install keeps comments where the agent reads them', async () => {
    const file = path.join(home, '.copilot/hooks/agent-checkpoints.json');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '{\n  // mine\n  "hooks": {},\n}\n');
    assert.equal((await run('install', 'vscode')).code, 0);
    assert.match(fs.readFileSync(file, 'utf8'), /\/\/ mine/);
  });
});
