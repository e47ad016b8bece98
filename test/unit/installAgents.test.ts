// Setting agents up in their own configuration, and taking that back.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { agentsStatus, install, status, uninstall } from '../../src/agents/registry';
import { CheckpointError } from '../../src/core/errors';
import { noteSeen } from '../../src/core/state/lastSeen';
import { temporaryRoot, testPorts } from '../support/ports';

function place() {
  const home = temporaryRoot('home');
  const root = temporaryRoot('project');
  const ports = testPorts();
  const at = { root, home, env: {} as NodeJS.ProcessEnv };
  const user = { ...at, scope: 'user' as const };
  const settings = path.join(home, '.claude', 'settings.json');
  const write = (text: string | Buffer, file = settings) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  const read = (file = settings) => fs.readFileSync(file, 'utf8');
  return { ports, home, root, at, user, project: { ...at, scope: 'project' as const }, settings, write, read };
}

const fails = (act: () => unknown, reason: string, message: RegExp) =>
  assert.throws(act, (error) => CheckpointError.is(error) && error.reason === reason && message.test(error.message));

const claudeEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'SessionEnd',
];

const foreign = `{
    "model": "opus",
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "lint --fix" }]
            }
        ],
        "Notification": []
    },
    "permissions": { "allow": ["Bash(ls:*)"] }
}
`;

describe('setting up Claude Code for the person', () => {
  it('makes a settings file where there is none, and uninstalling removes it with its folder', () => {
    const { ports, user, settings, read, home } = place();
    const { changed } = install(ports, 'claude-code', user);
    assert.deepEqual(
      changed.map(({ file, before }) => [file, before]),
      [[settings, undefined]],
    );
    const value = JSON.parse(read());
    assert.deepEqual(Object.keys(value.hooks), claudeEvents);
    const [group] = value.hooks.PreToolUse;
    assert.equal(group.matcher, 'Write|Edit|MultiEdit|NotebookEdit');
    const program = path.join(ports.stateDir, 'bin', 'agent-checkpoints-hook');
    assert.deepEqual(group.hooks, [
      { type: 'command', command: `[ -x '${program}' ] && '${program}' claude-code; exit 0`, timeout: 30 },
    ]);
    assert.equal(value.hooks.Stop[0].matcher, undefined);
    assert.ok(status(ports, 'claude-code', user).user.complete);

    uninstall(ports, 'claude-code', user);
    assert.equal(fs.existsSync(path.join(home, '.claude')), false);
    assert.deepEqual(fs.readdirSync(path.join(ports.stateDir, 'installs')), []);
  });

  it('keeps order, formatting and other hooks, and uninstalling gives the old bytes back', () => {
    const { ports, user, write, read } = place();
    write(foreign);
    install(ports, 'claude-code', user);
    const text = read();
    assert.ok(text.startsWith(foreign.slice(0, foreign.indexOf('        ],\n        "Notification"')).trimEnd()));
    assert.ok(text.includes('"Notification": []'));
    assert.ok(text.endsWith('"permissions": { "allow": ["Bash(ls:*)"] }\n}\n'));
    const value = JSON.parse(text);
    assert.equal(value.hooks.PreToolUse.length, 2);
    assert.deepEqual(Object.keys(value), ['model', 'hooks', 'permissions']);
    uninstall(ports, 'claude-code', user);
    assert.equal(read(), foreign);
  });

  it('is idempotent', () => {
    const { ports, user, write, read } = place();
    write(foreign);
    install(ports, 'claude-code', user);
    const once = read();
    assert.deepEqual(install(ports, 'claude-code', user), { changed: [] });
    assert.equal(read(), once);
    uninstall(ports, 'claude-code', user);
    assert.equal(read(), foreign);
    assert.deepEqual(uninstall(ports, 'claude-code', user), { changed: [] });
  });

  it('takes only our entries out where somebody wrote there since', () => {
    const { ports, user, write, read } = place();
    write(foreign);
    install(ports, 'claude-code', user);
    write(read().replace('"opus"', '"sonnet"'));
    uninstall(ports, 'claude-code', user);
    assert.deepEqual(JSON.parse(read()), JSON.parse(foreign.replace('opus', 'sonnet')));
    assert.ok(read().includes('    "model": "sonnet",\n    "hooks": {\n        "PreToolUse": [\n'));
  });

  it('leaves no empty containers of ours behind, but those that were there', () => {
    const { ports, user, write, read } = place();
    write('{"a":1}');
    install(ports, 'claude-code', user);
    write(read().replace(/"a": ?1/, '"a": 2'));
    uninstall(ports, 'claude-code', user);
    assert.deepEqual(JSON.parse(read()), { a: 2 });

    write('{"hooks":{"Stop":[]}}');
    install(ports, 'claude-code', user);
    write(`${read()}\n`);
    uninstall(ports, 'claude-code', user);
    assert.deepEqual(JSON.parse(read()), { hooks: { Stop: [] } });
  });

  it('keeps what somebody added to a file that we made', () => {
    const { ports, user, write, read } = place();
    install(ports, 'claude-code', user);
    write(JSON.stringify({ model: 'opus', ...JSON.parse(read()) }));
    uninstall(ports, 'claude-code', user);
    assert.deepEqual(JSON.parse(read()), { model: 'opus' });
  });

  it('does not give back bytes from before somebody else wrote, also after it was set up again', () => {
    const { ports, user, write, read } = place();
    write('{\n  "model": "opus"\n}\n');
    install(ports, 'claude-code', user);
    const changed = JSON.parse(read());
    delete changed.hooks.Stop;
    write(JSON.stringify({ ...changed, theme: 'dark' }));
    install(ports, 'claude-code', user);
    assert.ok(status(ports, 'claude-code', user).user.complete);
    uninstall(ports, 'claude-code', user);
    assert.deepEqual(JSON.parse(read()), { model: 'opus', theme: 'dark' });
  });

  it('replaces entries of an earlier version in place of adding to them', () => {
    const { ports, user, write, read } = place();
    const old = { type: 'command', command: "'/old/bin/agent-checkpoints-hook' claude-code" };
    const other = { type: 'command', command: 'mine' };
    write(
      JSON.stringify({
        hooks: { PreToolUse: [{ matcher: 'Edit', hooks: [other, old] }], PreCompact: [{ hooks: [old] }] },
      }),
    );
    assert.equal(status(ports, 'claude-code', user).user.complete, false);
    install(ports, 'claude-code', user);
    const { hooks } = JSON.parse(read());
    assert.deepEqual(hooks.PreToolUse[0], { matcher: 'Edit', hooks: [other] });
    assert.equal(read().split('agent-checkpoints-hook').length - 1, 2 * claudeEvents.length);
    uninstall(ports, 'claude-code', user);
    assert.equal(read().includes('agent-checkpoints-hook'), false);
    assert.deepEqual(JSON.parse(read()).hooks.PreToolUse, [{ matcher: 'Edit', hooks: [other] }]);
  });

  for (const [name, text] of Object.entries({
    'CRLF line ends': foreign.replaceAll('\n', '\r\n'),
    tabs: foreign.replaceAll('    ', '\t'),
    'two spaces': foreign.replaceAll('    ', '  '),
    'a byte order mark': `\ufeff${foreign}`,
    'one line': '{"model":"opus"}',
    'no end of line': '{\n  "model": "opus"\n}',
    'an empty object': '{}\n',
    'an empty file': '',
  })) {
    it(`keeps ${name}`, () => {
      const { ports, user, write, read } = place();
      write(text);
      install(ports, 'claude-code', user);
      const installed = read();
      assert.equal(installed.startsWith('\ufeff'), text.startsWith('\ufeff'));
      assert.equal(/[^\r]\n/.test(installed), !text.includes('\r\n'));
      assert.equal(/^\t/m.test(installed), text.includes('\t'));
      assert.deepEqual(
        Object.keys(JSON.parse(installed.replace('\ufeff', '')).hooks)
          .sort()
          .includes('Stop'),
        true,
      );
      assert.deepEqual(install(ports, 'claude-code', user).changed, []);
      uninstall(ports, 'claude-code', user);
      assert.equal(read(), text);
    });
  }

  for (const [name, text] of Object.entries({
    comments: '{\n  // mine\n  "model": "opus"\n}\n',
    'a trailing comma': '{ "model": "opus", }',
    'half a file': '{ "model": ',
    'a list': '[]',
    'hooks that are no object': '{"hooks": []}',
    'an event that is no list': '{"hooks": {"Stop": {}}}',
    'a key that is there twice': '{"hooks": {}, "hooks": {}}',
    'bytes that are not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
  })) {
    it(`leaves a file alone that Claude Code could not read: ${name}`, () => {
      const { ports, user, write, settings } = place();
      write(text);
      fails(() => install(ports, 'claude-code', user), 'config-unreadable', /settings\.json was left as it is/);
      assert.ok(fs.readFileSync(settings).equals(Buffer.from(text)));
      assert.equal(status(ports, 'claude-code', user).user.installed, false);
    });
  }

  it('only says what would change in a dry run', () => {
    const { ports, user, write, read } = place();
    write(foreign);
    const { changed } = install(ports, 'claude-code', { ...user, dryRun: true });
    assert.equal(changed[0]!.before, foreign);
    assert.ok(changed[0]!.after!.includes('agent-checkpoints-hook'));
    assert.equal(read(), foreign);
    assert.equal(fs.existsSync(ports.stateDir), false);
    install(ports, 'claude-code', user);
    assert.equal(read(), changed[0]!.after);
    const back = uninstall(ports, 'claude-code', { ...user, dryRun: true });
    assert.deepEqual(back.changed, [{ file: changed[0]!.file, before: read(), after: foreign }]);
    assert.notEqual(read(), foreign);
  });

  it('goes where CLAUDE_CONFIG_DIR says', () => {
    const { ports, user, home } = place();
    const dir = path.join(home, 'elsewhere');
    install(ports, 'claude-code', { ...user, env: { CLAUDE_CONFIG_DIR: dir } });
    assert.ok(fs.existsSync(path.join(dir, 'settings.json')));
    assert.equal(fs.existsSync(path.join(home, '.claude')), false);
  });

  it('keeps the mode', () => {
    const { ports, user, write, settings } = place();
    write(foreign);
    fs.chmodSync(settings, 0o664);
    install(ports, 'claude-code', user);
    assert.equal(fs.statSync(settings).mode & 0o777, 0o664);
  });

  it('writes through a symbolic link, and leaves the link', () => {
    const { ports, user, settings, home, write, read } = place();
    const dotfile = path.join(home, 'dotfiles', 'claude.json');
    write(foreign, dotfile);
    fs.mkdirSync(path.dirname(settings));
    fs.symlinkSync('../dotfiles/claude.json', settings);
    install(ports, 'claude-code', user);
    assert.ok(fs.lstatSync(settings).isSymbolicLink());
    assert.ok(read(dotfile).includes('agent-checkpoints-hook'));
    uninstall(ports, 'claude-code', user);
    assert.ok(fs.lstatSync(settings).isSymbolicLink());
    assert.equal(read(dotfile), foreign);
  });

  it('does not pass over a file that is read-only', () => {
    const { ports, user, write, read, settings } = place();
    write(foreign);
    fs.chmodSync(settings, 0o444);
    fails(() => install(ports, 'claude-code', user), 'failed', /read-only/);
    assert.equal(read(), foreign);
  });

  it('says so where all hooks are switched off', () => {
    const { ports, user, write } = place();
    write('{"disableAllHooks": true}');
    assert.match(install(ports, 'claude-code', user).needs ?? '', /disableAllHooks/);
  });
});

describe('setting up an agent for a project', () => {
  it('names no path of one person', () => {
    for (const agent of ['claude-code', 'vscode']) {
      const { ports, project, home, root } = place();
      const { changed } = install(ports, agent, project);
      const text = changed[0]!.after!;
      for (const own of [home, root, ports.stateDir]) assert.equal(text.includes(own), false);
      assert.ok(changed[0]!.file.startsWith(root));
      assert.ok(status(ports, agent, project).project.complete);
      uninstall(ports, agent, project);
      assert.deepEqual(fs.readdirSync(root), []);
    }
  });

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
    assert.deepEqual(agentsStatus(ports, at), [
      { name: 'vscode', found: false, installed: false },
      { name: 'claude-code', found: false, installed: false },
    ]);
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

  it('is named where an agent is not known, or not yet', () => {
    const { ports, user } = place();
    fails(() => install(ports, 'nobody', user), 'bad-argument', /no agent "nobody"\. Available: vscode, claude-code/);
    fails(() => install(ports, 'codex', user), 'bad-argument', /not.* yet\. Available: vscode, claude-code/);
  });
});
