// What agents send, what the command line shows of it, and user state that is damaged.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { runHook } from '../../src/agents/runHook';
import { runCli } from '../../src/cli/verbs';
import { unifiedPatch } from '../../src/core/diff/patch';
import { readSettings } from '../../src/core/state/settings';
import { readWarnings } from '../../src/core/state/warnings';
import type { CheckpointId } from '../../src/core/store/ids';
import { runCliProcess } from '../support/cliBundle';
import { Attacked, entry, evilId, longAttacks, metaOf, secret } from '../support/attackKit';

const terminal = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2066\u200b\r\nfake line';
const acts = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]/;

function hook(area: Attacked, payload: unknown, agent = 'claude-code'): void {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  runHook(area.ports, agent, text, { env: {}, cwd: area.root, home: path.join(area.base, 'home') });
}

const call = (area: Attacked, tool: string, input: unknown, more: object = {}) => ({
  hook_event_name: 'PreToolUse',
  session_id: 's1',
  cwd: area.root,
  tool_name: tool,
  tool_input: input,
  tool_use_id: `toolu_${Math.random()}`,
  ...more,
});

describe('a payload that was made to harm', () => {
  const texts: Record<string, string> = {
    'no JSON': '{"hook_event_name": "PreToolUse"',
    'nested deeply': `{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":${'['.repeat(1e6)}${']'.repeat(1e6)}}`,
    'no object': '[null]',
    'of wrong types': JSON.stringify({ hook_event_name: 7, tool_name: {}, cwd: [], session_id: null, tool_input: 'x' }),
    'with keys of every object':
      '{"hook_event_name":"PreToolUse","tool_name":"Write","__proto__":{"cwd":"/"},"tool_input":{"__proto__":{"file_path":"/etc/x"}}}',
    'with a tool of every object':
      '{"hook_event_name":"PreToolUse","tool_name":"constructor","tool_input":{"file_path":"/etc/x"}}',
    'of an unknown agent': '{}',
  };
  for (const [what, text] of Object.entries(texts)) {
    it(`is ${what}: nothing happens, and nothing is thrown`, () => {
      const area = new Attacked();
      for (const agent of ['claude-code', 'vscode', '../../outside', terminal]) hook(area, text, agent);
      assert.deepEqual(area.list().ids, []);
      area.verify();
    });
  }

  it('names folders and ids that are paths, or escapes: they stay text', () => {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    for (const text of ['../../outside', '/etc', terminal, 'x'.repeat(1e5), '\ud800', '\0', '']) {
      const ids = { session_id: text, tool_use_id: text, prompt_id: text, agent_id: text, tool_name: 'Write' };
      hook(area, call(area, 'Write', { file_path: area.at('a.txt'), content: text }, ids));
      hook(area, { hook_event_name: 'UserPromptSubmit', ...ids, cwd: area.root, prompt: text });
      hook(area, call(area, 'Write', { file_path: area.at('a.txt') }, { ...ids, hook_event_name: 'PostToolUse' }));
      hook(area, { hook_event_name: 'Stop', ...ids, cwd: area.root });
    }
    assert.ok(area.list().checkpoints.length > 0);
    assert.deepEqual(area.list().damaged, []);
    area.verify();
  });

  it('removes a folder outside: what is in it is not even listed', () => {
    const area = new Attacked();
    for (const target of [area.outside, '/etc', '/', area.base]) {
      hook(area, call(area, 'Delete', { file_path: target }));
      hook(area, call(area, 'move_file', { source: target, destination: area.at('moved') }));
    }
    assert.ok(!JSON.stringify(area.list()).includes('checkpoints/sub'));
    area.verify();
  });

  const slow: Record<string, (area: Attacked) => unknown> = {
    'many blank lines where a patch may be': () => ({ input: '\n'.repeat(1e6), file_path: 'a.txt' }),
    'many carriage returns there': () => ({ input: '\r'.repeat(1e6), file_path: 'a.txt' }),
    'a header of a patch that is mostly blanks': () => ({ input: `*** Update File: a.txt${' '.repeat(1e6)}y\n` }),
    'a hundred thousand edits of one file': () => ({
      file_path: 'a.txt',
      edits: Array.from({ length: 1e5 }, () => ({ old_string: 'a', new_string: 'b' })),
    }),
    'a hundred thousand files': () => ({
      input: Array.from({ length: 1e5 }, (_, i) => `*** Delete File: f${i}`).join('\n'),
    }),
    'text that multiplies': () => ({
      file_path: 'a.txt',
      edits: Array.from({ length: 40 }, () => ({
        old_string: 'a',
        new_string: 'aaaa'.repeat(2000),
        replace_all: true,
      })),
    }),
  };
  for (const [what, input] of Object.entries(slow)) {
    if (what.endsWith('files') && !longAttacks) continue;
    it(`has ${what}: the agent does not wait, and the bytes before are kept`, () => {
      const area = new Attacked();
      area.write('a.txt', 'aaaa\n');
      const begun = performance.now();
      const tool = what.includes('patch') || what.includes('files') || what.includes('there') ? 'apply_patch' : 'Edit';
      hook(area, call(area, tool, input(area)));
      assert.ok(performance.now() - begun < 30_000, `${performance.now() - begun} ms`);
      const captured = area.list().checkpoints.flatMap(({ entries }) => entries);
      if (tool === 'Edit') assert.ok(captured.length > 0);
      area.verify();
    });
  }
});

describe('what a terminal is shown', () => {
  function hostile() {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    const entries = [
      entry(`a${terminal}`),
      entry('link', { type: 'symlink', target: terminal }),
      entry('lost', { type: 'unreadable', error: terminal }),
    ];
    const agent = { name: terminal, session: terminal, turn: terminal, tool: terminal, toolUse: terminal };
    const notCovered = [{ path: terminal, reason: terminal }];
    area.plant(metaOf(entries, { agent, label: terminal, prompt: terminal, group: terminal.slice(0, 50), notCovered }));
    area.plant(metaOf([], { kind: terminal }, '20261130T120000001Z-evil000000'), '20261130T120000001Z-evil000000');
    fs.symlinkSync(area.outside, area.at('sub'));
    area.plant(
      metaOf([{ ...entry('sub/secret'), post: undefined }], {}, '20261130T120000002Z-evil000000'),
      '20261130T120000002Z-evil000000',
    );
    return area;
  }
  const verbs = [
    ['list'],
    ['show', evilId],
    ['diff', evilId],
    ['diff', '20261130T120000002Z-evil000000'],
    ['restore', evilId, '--foreign', '--dry-run'],
    ['restore', evilId, '--foreign', '--on-conflict', 'overwrite'],
    ['doctor'],
    ['restore', terminal],
    ['show', '20261130T120000001Z-evil000000'],
    ['purge', '--session', terminal],
    ['agents'],
  ];

  for (const json of [false, true]) {
    it(`does not act on it, nor leave its line, ${json ? 'in JSON' : 'for people'}`, async () => {
      const area = hostile();
      for (const argv of verbs) {
        let output = '';
        const sink = { write: (text: string) => (output += text) };
        const io = { ports: area.ports, cwd: area.root, env: { HOME: area.base }, stdout: sink, stderr: sink };
        await runCli([...argv, ...(json ? ['--json'] : [])], io);
        assert.doesNotMatch(output, acts, `${argv[0]}: ${JSON.stringify(output)}`);
        const forged = output.split('\n').filter((line) => line.startsWith('fake line'));
        assert.deepEqual(forged, [], argv.join(' '));
        area.verify(output);
      }
    });
  }

  it('is the same from the program as it is shipped', async () => {
    const area = hostile();
    const env = { PATH: process.env['PATH'], HOME: area.base, AGENT_CHECKPOINTS_HOME: area.ports.stateDir };
    for (const argv of verbs.slice(0, 7)) {
      const { stdout, stderr, code } = await runCliProcess([...argv, '--root', area.root], { cwd: area.root, env });
      assert.doesNotMatch(stdout + stderr, acts);
      assert.ok(code !== null && code <= 3);
      area.verify(stdout, stderr);
    }
    const args = ['restore', evilId, '--root', area.root];
    assert.match((await runCliProcess(args, { cwd: area.root, env })).stderr, /not made by you/);
  });

  it('has no file in a patch that the patch is not of', () => {
    const patch = unifiedPatch('a\n--- a/x\n+++ b/../../x', Buffer.from('1\n'), Buffer.from('2\n'))!;
    assert.equal(patch.split('\n').filter((line) => /^(---|\+\+\+) /.test(line)).length, 2);
  });
});

describe('user state that is damaged', () => {
  const files = [
    'settings.json',
    'roots.json',
    'key',
    'unsaved/0123456789abcdef0123456789abcdef.json',
    'warnings/x.json',
    'journal/x.json',
    'last-seen/vscode',
  ];
  const damage: Record<string, (at: string, area: Attacked) => void> = {
    'no JSON': (at) => fs.writeFileSync(at, '{"enabled": fal'),
    'of the wrong types': (at) =>
      fs.writeFileSync(at, '{"enabled":"no","maxFileBytes":-1,"retention":[],"pid":"x","paths":7}'),
    'a list of anything': (at) => fs.writeFileSync(at, '[null,7,{},"relative","/\\u0000"]'),
    'a folder': (at) => fs.mkdirSync(at),
    'a pipe': (at, area) => fs.linkSync(path.join(area.outside, 'pipe'), at),
    'a link to a pipe': (at, area) => fs.symlinkSync(path.join(area.outside, 'pipe'), at),
  };
  for (const [what, spoil] of Object.entries(damage)) {
    it(`stops no capture and no restore: ${what}`, () => {
      for (const file of files.filter((each) => what !== 'a pipe' || !each.startsWith('last-seen'))) {
        if (what.includes('pipe') && file.startsWith('last-seen')) continue;
        const area = new Attacked();
        area.write('a.txt', 'one\n');
        const at = path.join(area.ports.stateDir, file);
        fs.mkdirSync(path.dirname(at), { recursive: true });
        spoil(at, area);
        const id = area.agent({ 'a.txt': 'two\n' }) as CheckpointId;
        area.refusable(() => area.restore(id));
        assert.match(area.read('a.txt')!, /one|two/);
        assert.equal(readSettings(area.ports).retention.maxCheckpoints, 1000);
        readWarnings(area.ports);
        hook(area, call(area, 'Write', { file_path: area.at('a.txt'), content: secret.slice(0, 3) }));
        area.verify();
      }
    });
  }
});
