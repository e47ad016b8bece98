// Setting Claude Code up in the person's own settings, and taking that back.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { install, status, uninstall } from '../../src/agents/registry';
import { fails, foreign, place } from '../support/installPlace';

const claudeEvents = [
  'SessionStart',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'SessionEnd',
];

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
    const matcher = new RegExp(group.matcher);
    for (const tool of ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash', 'PowerShell', 'mcp__files__write_file'])
      assert.match(tool, matcher);
    for (const tool of ['Read', 'NotebookRead', 'BashOutput', 'mcp__files__read_file'])
      assert.doesNotMatch(tool, matcher);
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
