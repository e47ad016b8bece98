// What goes for every agent's set-up alike, and where each keeps its configuration.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { agentNames, type AgentName } from '../../src/agents/agent';
import { agentsStatus, install, status, uninstall } from '../../src/agents/registry';
import { trustHash } from '../../src/agents/codex/trust';
import { noteSeen } from '../../src/core/state/lastSeen';
import { fails, place } from '../support/installPlace';

/** The first file of each, in the person's home and in a project. */
const files: Record<AgentName, readonly [user: string, project: string]> = {
  vscode: ['.copilot/hooks/agent-checkpoints.json', '.github/hooks/agent-checkpoints.json'],
  'claude-code': ['.claude/settings.json', '.claude/settings.json'],
  codex: ['.codex/hooks.json', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json', '.gemini/settings.json'],
  qwen: ['.qwen/settings.json', '.qwen/settings.json'],
  opencode: ['.config/opencode/plugin/agent-checkpoints.js', '.opencode/plugin/agent-checkpoints.js'],
  pi: ['.pi/agent/extensions/agent-checkpoints.ts', '.pi/extensions/agent-checkpoints.ts'],
  cline: ['Documents/Cline/Hooks/PreToolUse', '.cline/hooks/PreToolUse'],
  'copilot-cli': [
    '.copilot/hooks/agent-checkpoints-copilot-cli.json',
    '.github/hooks/agent-checkpoints-copilot-cli.json',
  ],
  cursor: ['.cursor/hooks.json', '.cursor/hooks.json'],
  windsurf: ['.codeium/windsurf/hooks.json', '.windsurf/hooks.json'],
};

/** Variables that move a configuration, what they are set to, and the file then. */
const moved: readonly (readonly [AgentName, string, string])[] = [
  ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json'],
  ['codex', 'CODEX_HOME', 'hooks.json'],
  ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['qwen', 'QWEN_HOME', 'settings.json'],
  ['opencode', 'OPENCODE_CONFIG_DIR', 'plugin/agent-checkpoints.js'],
  ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugin/agent-checkpoints.js'],
  ['pi', 'PI_CODING_AGENT_DIR', 'extensions/agent-checkpoints.ts'],
  ['cline', 'CLINE_DIR', 'hooks/PreToolUse'],
  ['copilot-cli', 'COPILOT_HOME', 'hooks/agent-checkpoints-copilot-cli.json'],
];

const ownFileAgents: readonly string[] = ['opencode', 'pi', 'cline'];
const jsonAgents = agentNames.filter((name) => !ownFileAgents.includes(name));
/** Agents that read JSON with comments. */
const withComments: readonly string[] = ['vscode', 'gemini', 'qwen'];

const foreignOf = (name: AgentName) => {
  const grouped = ['claude-code', 'codex', 'gemini', 'qwen'].includes(name);
  const entry = { type: 'command', command: 'lint --fix' };
  const hooks = { PreToolUse: [grouped ? { matcher: 'Bash', hooks: [entry] } : entry], Other: [] };
  return `${JSON.stringify({ $schema: 'x', version: 1, hooks, unknown: { deep: [1, 2] } }, undefined, '    ')}\n`;
};

for (const name of agentNames) {
  describe(`setting up ${name}`, () => {
    it('makes its files for the person, and taking that back leaves nothing', () => {
      const { ports, user, home } = place();
      const { changed } = install(ports, name, user);
      assert.equal(changed[0]!.file, path.join(home, files[name][0]));
      assert.ok(changed.every(({ file, after }) => fs.readFileSync(file, 'utf8') === after));
      const found = status(ports, name, user).user;
      assert.deepEqual([found.installed, found.complete], [true, true]);
      assert.deepEqual(install(ports, name, user).changed, []);
      uninstall(ports, name, user);
      assert.deepEqual(fs.readdirSync(home), []);
      assert.deepEqual(uninstall(ports, name, user).changed, []);
    });

    it('names no path of one person in a project', () => {
      const { ports, project, home, root } = place();
      const { changed } = install(ports, name, project);
      assert.equal(changed[0]!.file, path.join(root, files[name][1]));
      for (const { after } of changed)
        for (const own of [home, root, ports.stateDir]) assert.equal(after!.includes(own), false);
      assert.ok(status(ports, name, project).project.complete);
      uninstall(ports, name, project);
      assert.deepEqual(fs.readdirSync(root), []);
    });

    it('runs commands that exit with 0 and print nothing, also where our program is gone', function () {
      if (process.platform === 'win32') return this.skip();
      const { ports, user, project, home } = place();
      for (const options of [user, project]) {
        for (const { after, file } of install(ports, name, options).changed) {
          for (const command of commandsIn(after!, file)) {
            const output = execFileSync('/bin/sh', ['-c', command], {
              env: { HOME: home, PATH: '/usr/bin:/bin' },
              stdio: ['ignore', 'pipe', 'pipe'],
            });
            assert.equal(output.length, 0, command);
          }
        }
      }
      return undefined;
    });
  });
}

/** Every command in a configuration for a POSIX shell; a program is its own command. */
function commandsIn(text: string, file: string): string[] {
  if (text.startsWith('#!')) return [text];
  if (!file.endsWith('.json')) return [];
  const commands: string[] = [];
  JSON.parse(text, (key, value: unknown) => {
    if ((key === 'command' || key === 'bash') && typeof value === 'string') commands.push(value);
    return value;
  });
  assert.ok(commands.length > 0);
  return commands;
}

for (const name of jsonAgents) {
  describe(`the configuration of ${name}`, () => {
    const foreign = foreignOf(name);
    for (const [what, text] of Object.entries({
      'as it is': foreign,
      'CRLF line ends': foreign.replaceAll('\n', '\r\n'),
      tabs: foreign.replaceAll('    ', '\t'),
      'a byte order mark': `\ufeff${foreign}`,
      'one line': JSON.stringify(JSON.parse(foreign)),
      'no end of line': foreign.trimEnd(),
      'an empty file': '',
      ...(withComments.includes(name)
        ? { comments: foreign.replace('{\n', '{\n    // mine\n').replace('"unknown"', '/* and this */ "unknown"') }
        : {}),
      ...(name === 'vscode' ? { 'trailing commas': foreign.replace(/\n\}\n$/, ',\n}\n') } : {}),
    })) {
      it(`keeps ${what}, other hooks and unknown keys`, () => {
        const { ports, user, home, write, read } = place();
        const file = path.join(home, files[name][0]);
        write(text, file);
        install(ports, name, user);
        const once = read(file);
        for (const kept of ['lint --fix', '"unknown"', '"Other"'])
          assert.equal(once.includes(kept), text.includes(kept));
        for (const comment of ['// mine', '/* and this */'])
          assert.equal(once.includes(comment), text.includes(comment));
        assert.equal(once.startsWith('\ufeff'), text.startsWith('\ufeff'));
        if (text.includes('\r\n')) assert.doesNotMatch(once, /[^\r]\n/);
        assert.deepEqual(install(ports, name, user).changed, []);
        assert.equal(read(file), once);
        uninstall(ports, name, user);
        assert.equal(read(file), text);
      });
    }

    for (const [what, text] of Object.entries({
      'half a file': '{ "hooks": ',
      'a list': '[]',
      'hooks that are no object': '{"hooks": []}',
      'bytes that are not UTF-8': Buffer.from([0x7b, 0xff, 0x7d]),
      ...(withComments.includes(name) ? {} : { comments: '{ // mine\n}' }),
      ...(name === 'vscode' ? {} : { 'a trailing comma': '{ "a": 1, }' }),
    })) {
      it(`is refused unchanged where the agent could not read it: ${what}`, () => {
        const { ports, user, home, write } = place();
        const file = path.join(home, files[name][0]);
        write(text, file);
        fails(() => install(ports, name, user), 'config-unreadable', /was left as it is/);
        assert.ok(fs.readFileSync(file).equals(Buffer.from(text)));
        assert.match(agentsStatus(ports, user).find((row) => row.name === name)!.needs ?? '', /left as it is/);
      });
    }

    it('loses only our entries where somebody wrote there since', () => {
      const { ports, user, home, write, read } = place();
      const file = path.join(home, files[name][0]);
      write(foreign, file);
      install(ports, name, user);
      write(read(file).replace('"x"', '"y"'), file);
      uninstall(ports, name, user);
      assert.deepEqual(JSON.parse(read(file)), JSON.parse(foreign.replace('"x"', '"y"')));
    });
  });
}

describe('a configuration that a variable moves', () => {
  for (const [name, variable, file] of moved) {
    it(`is found for ${name} by ${variable}`, () => {
      const { ports, user, home } = place();
      const dir = path.join(home, 'elsewhere');
      const { changed } = install(ports, name, { ...user, env: { [variable]: dir } });
      assert.equal(changed[0]!.file, path.join(dir, file));
      assert.deepEqual(fs.readdirSync(home), ['elsewhere']);
    });
  }
});

describe('files that are ours alone', () => {
  for (const name of ['opencode', 'pi', 'cline'] as const) {
    it(`do not take the place of somebody else's: ${name}`, () => {
      const { ports, user, home, write, read } = place();
      const file = path.join(home, files[name][0]);
      write('#!/bin/sh\necho mine\n', file);
      fails(() => install(ports, name, user), 'config-unreadable', /not ours/);
      assert.equal(read(file), '#!/bin/sh\necho mine\n');
      // Nor is a part of it set up.
      assert.equal(fs.readdirSync(path.dirname(file)).length, 1);
      uninstall(ports, name, user);
      assert.equal(read(file), '#!/bin/sh\necho mine\n');
    });

    it(`are brought up to date: ${name}`, () => {
      const { ports, user, home, write, read } = place();
      const file = path.join(home, files[name][0]);
      install(ports, name, user);
      const text = read(file);
      write(text.replace(/\n$/, '\n# an older version\n'), file);
      assert.equal(status(ports, name, user).user.complete, false);
      install(ports, name, user);
      assert.equal(read(file), text);
      uninstall(ports, name, user);
      assert.deepEqual(fs.readdirSync(home), []);
    });
  }

  it('are programs where the agent runs them', () => {
    const { ports, user } = place();
    for (const { file } of install(ports, 'cline', user).changed) assert.equal(fs.statSync(file).mode & 0o111, 0o111);
  });
});

describe('what a person must still do', () => {
  it('is to trust the hooks in Codex, until its configuration has the hash of each', () => {
    const { ports, user, home, write, read } = place();
    assert.match(install(ports, 'codex', user).needs ?? '', /\/hooks/);
    const { hooks } = JSON.parse(read(path.join(home, '.codex', 'hooks.json')));
    const hashes = Object.entries<{ matcher?: string; hooks: object[] }[]>(hooks).map(([event, [group]]) =>
      trustHash(event, group!.matcher, group!.hooks[0]!),
    );
    const toml = (list: string[]) =>
      list.map((hash, i) => `[hooks.state."x:${i}"]\ntrusted_hash = "${hash}"\n`).join('');
    const config = path.join(home, '.codex', 'config.toml');
    write(toml(hashes.slice(1)), config);
    assert.match(status(ports, 'codex', user).user.needs ?? '', /\/hooks/);
    write(toml(hashes), config);
    assert.equal(status(ports, 'codex', user).user.needs, undefined);
    write(`${toml(hashes)}[features]\nhooks = false\n`, config);
    assert.match(status(ports, 'codex', user).user.needs ?? '', /off/);
  });

  it('is to turn on hooks in Cline, until it has called', () => {
    const { ports, user } = place();
    assert.match(install(ports, 'cline', user).needs ?? '', /turn on Hooks/);
    noteSeen(ports, 'cline');
    assert.equal(status(ports, 'cline', user).user.needs, undefined);
  });
});
