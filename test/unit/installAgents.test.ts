// Setting agents up for projects, VS Code's agent, and the list of agents.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { agentNames } from '../../src/agents/agent';
import { agentsStatus, install, uninstall } from '../../src/agents/registry';
import { noteSeen } from '../../src/core/state/lastSeen';
import { fails, foreign, place } from '../support/installPlace';

describe('setting up an agent for a project', () => {
  it('does not follow a link out of the project', () => {
    const { ports, project, root, home, write, read } = place();
    write(foreign);
    fs.symlinkSync(path.join(home, '.claude'), path.join(root, '.claude'));
    fails(() => install(ports, 'claude-code', project), 'refused-path', /leads out of the project/);
    assert.equal(read(), foreign);
  });

  it("is refused where the project is the person's home", () => {
    const { ports, project, home } = place();
    fails(() => install(ports, 'claude-code', { ...project, root: home }), 'bad-argument', /--scope user/);
  });

  it('is taken back together with that of the person when no scope is named', () => {
    const { ports, at, user, project, root, home } = place();
    install(ports, 'claude-code', user);
    install(ports, 'claude-code', project);
    assert.equal(uninstall(ports, 'claude-code', at).changed.length, 2);
    assert.deepEqual([fs.readdirSync(root), fs.readdirSync(home)], [[], []]);
  });
});

describe("setting up VS Code's agent", () => {
  it('has a hook file of its own, with a command for Windows', () => {
    const { ports, user, home } = place();
    install(ports, 'vscode', user);
    const file = path.join(home, '.copilot', 'hooks', 'agent-checkpoints.json');
    const { hooks } = JSON.parse(fs.readFileSync(file, 'utf8'));
    assert.deepEqual(Object.keys(hooks), ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'SubagentStop', 'Stop']);
    for (const [entry] of Object.values<Record<string, unknown>[]>(hooks)) {
      assert.deepEqual(Object.keys(entry!), ['type', 'command', 'windows', 'timeout']);
    }
    uninstall(ports, 'vscode', user);
    assert.deepEqual(fs.readdirSync(home), []);
  });

  it('keeps comments and other entries in that file', () => {
    const { ports, user, home, write, read } = place();
    const file = path.join(home, '.copilot', 'hooks', 'agent-checkpoints.json');
    const text =
      '{\n  // mine\n  "hooks": {\n    "Stop": [\n      { "type": "command", "command": "say done" },\n    ],\n  },\n}\n';
    write(text, file);
    install(ports, 'vscode', user);
    assert.ok(read(file).includes('// mine'));
    assert.ok(read(file).includes('say done'));
    assert.deepEqual(install(ports, 'vscode', user).changed, []);
    uninstall(ports, 'vscode', user);
    assert.equal(read(file), text);
  });
});

describe('the list of agents', () => {
  it('has a row for each that can be set up', () => {
    const { ports, at, user, home } = place();
    assert.deepEqual(
      agentsStatus(ports, at),
      agentNames.map((name) => ({ name, found: false, installed: false })),
    );
    fs.mkdirSync(path.join(home, '.claude'));
    install(ports, 'vscode', user);
    noteSeen(ports, 'vscode');
    const [vscode, claude] = agentsStatus(ports, at);
    assert.deepEqual([vscode!.found, vscode!.installed, vscode!.scope], [true, true, 'user']);
    assert.ok(Date.parse(vscode!.lastSeen!) > 0);
    assert.deepEqual(claude, { name: 'claude-code', found: true, installed: false });
  });

  it('finds a program on the PATH', () => {
    const { ports, at, home } = place();
    const bin = path.join(home, 'bin');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, process.platform === 'win32' ? 'claude.exe' : 'claude'), '');
    const rows = agentsStatus(ports, { ...at, env: { PATH: `relative${path.delimiter}${bin}` } });
    assert.deepEqual(
      rows.filter(({ found }) => found).map(({ name }) => name),
      ['claude-code'],
    );
  });

  it('says what stands in the way', () => {
    const { ports, at, write } = place();
    write('{ // no JSON\n}');
    assert.match(agentsStatus(ports, at)[1]!.needs ?? '', /not valid JSON/);
  });

  it("has nothing to say of a project in the person's home", () => {
    const { ports, at, home } = place();
    assert.ok(agentsStatus(ports, { ...at, root: home }).every(({ needs }) => needs === undefined));
  });

  it('is named where an agent is not known', () => {
    const { ports, user } = place();
    fails(() => install(ports, 'nobody', user), 'bad-argument', /no agent "nobody"\. Available: vscode, claude-code/);
  });
});
