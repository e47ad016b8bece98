// The hook process from end to end: what an agent hands over, and what is on disk afterwards.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { writeSettings, readSettings } from '../../src/core/state/settings';
import { lastSeen } from '../../src/core/state/lastSeen';
import { builtCli } from '../support/cliBundle';
import { claudeCall, hookWorkspace, startProcess, type HookRun } from '../support/hookProcess';

const silent: HookRun = { code: 0, output: '' };
const windows = process.platform === 'win32';

/** Names under the store that begin as unfinished ones do. */
const leftovers = (dir: string) =>
  fs.existsSync(dir)
    ? fs
        .readdirSync(dir, { recursive: true, encoding: 'utf8' })
        .filter((name) => path.basename(name).startsWith('.tmp-'))
    : [];

describe('a hook process', () => {
  const files: Record<string, Buffer | undefined> = {
    'text.txt': Buffer.from('one\ntwo\n'),
    'crlf with bom.txt': Buffer.from('\ufeffone\r\ntwo\r\n'),
    'utf16.txt': Buffer.from('\ufeffone\r\n', 'utf16le'),
    'binary.bin': randomBytes(5000),
    'empty.txt': Buffer.alloc(0),
    'run.sh': Buffer.from('#!/bin/sh\n'),
    'missing.txt': undefined,
    'large.bin': randomBytes(20 * 2 ** 20),
    'naïve — 名前.txt': Buffer.from('x'),
    ...(windows ? {} : { 'it\'s "odd"\n\\name.txt': Buffer.from('y') }),
  };
  for (const [name, before] of Object.entries(files)) {
    it(`has the bytes on disk before the write of ${JSON.stringify(name)}, and those after it`, async () => {
      const { root, file, hook, list, bytes } = hookWorkspace();
      if (before) fs.writeFileSync(file(name), before, { mode: name.endsWith('.sh') ? 0o755 : 0o640 });
      const mode = before && fs.statSync(file(name)).mode & 0o7777;
      const call = claudeCall(root, 'Write', { file_path: file(name), content: 'after\n' });
      assert.deepEqual(await hook(call('PreToolUse')), silent);
      const [pending] = list();
      assert.equal(pending!.status, 'pending');
      assert.deepEqual(pending!.entries[0]!.path, name);
      const { pre } = pending!.entries[0]!;
      assert.equal(pre.type, before ? 'file' : 'absent');
      if (pre.type === 'file') assert.equal(pre.mode, mode);
      assert.ok((bytes(pending!, pre) ?? Buffer.alloc(0)).equals(before ?? Buffer.alloc(0)));

      fs.writeFileSync(file(name), 'after\n');
      assert.deepEqual(await hook(call('PostToolUse')), silent);
      const [done] = list();
      assert.equal(done!.status, 'done');
      assert.equal(bytes(done!, done!.entries[0]!.post!)!.toString(), 'after\n');
      assert.deepEqual(leftovers(path.join(root, '.system_generated')), []);
    });
  }

  it('names the turn by the prompt', async () => {
    const { root, file, hook, list, ports } = hookWorkspace();
    const prompt = { session_id: 'session-1', cwd: root, hook_event_name: 'UserPromptSubmit', prompt: 'Say hello' };
    const vscode = {
      timestamp: '2026-11-30T11:05:00.001Z',
      transcript_path: '/x/GitHub.copilot-chat/transcripts/s.jsonl',
    };
    assert.deepEqual(await hook({ ...prompt, ...vscode }, 'vscode'), silent);
    const call = claudeCall(
      root,
      'create_file',
      { filePath: file('a'), content: 'x' },
      { ...vscode, prompt_id: undefined },
    );
    await hook(call('PreToolUse'), 'vscode');
    const [checkpoint] = list();
    assert.equal(checkpoint!.prompt, 'Say hello');
    assert.ok(checkpoint!.agent!.turn);
    assert.equal(checkpoint!.agent!.name, 'vscode');
    assert.deepEqual(Object.keys(lastSeen(ports)), ['vscode']);
  });

  it('makes one checkpoint of a call that two hooks report', async () => {
    const { root, file, hook, list, bytes } = hookWorkspace();
    fs.writeFileSync(file('a'), 'before');
    const input = { filePath: file('a'), oldString: 'before', newString: 'after' };
    const call = claudeCall(root, 'replace_string_in_file', input, { tool_use_id: 'call_1__vscode-17' });
    await Promise.all([hook(call('PreToolUse'), 'vscode'), hook(call('PreToolUse'), 'claude-code')]);
    fs.writeFileSync(file('a'), 'after');
    await Promise.all([hook(call('PostToolUse'), 'claude-code'), hook(call('PostToolUse'), 'vscode')]);
    const [only, ...others] = list();
    assert.deepEqual([others.length, only!.status, only!.entries.length], [0, 'done', 1]);
    assert.equal(bytes(only!, only!.entries[0]!.pre)!.toString(), 'before');
  });

  it('marks a call that failed', async () => {
    const { root, file, hook, list } = hookWorkspace();
    const call = claudeCall(root, 'Write', { file_path: file('a'), content: 'x' });
    await hook(call('PreToolUse'));
    await hook(call('PostToolUseFailure'));
    assert.equal(list()[0]!.status, 'abandoned');
  });

  it('captures nothing for a tool that does not write', async () => {
    const { root, file, hook } = hookWorkspace();
    assert.deepEqual(await hook(claudeCall(root, 'Read', { file_path: file('a') })('PreToolUse')), silent);
    assert.deepEqual(fs.readdirSync(root), ['.git']);
  });

  it('captures around a command, and writes nothing before it is over', async () => {
    const { root, file, hook, list, bytes } = hookWorkspace();
    execFileSync('git', ['init', '-q'], { cwd: root });
    fs.writeFileSync(file('a'), 'before');
    const call = claudeCall(root, 'Bash', { command: 'rm a' });
    assert.deepEqual(await hook(call('PreToolUse')), silent);
    assert.deepEqual(fs.readdirSync(root).sort(), ['.git', 'a']);
    fs.rmSync(file('a'));
    assert.deepEqual(await hook(call('PostToolUse')), silent);
    const [made, ...more] = list();
    assert.deepEqual(more, []);
    assert.deepEqual([made!.kind, made!.label, made!.agent!.tool], ['command', 'rm a', 'Bash']);
    assert.equal(bytes(made!, made!.entries[0]!.pre)!.toString(), 'before');
  });

  it('captures nothing while it is switched off', async () => {
    const { root, file, hook, ports } = hookWorkspace();
    writeSettings(ports, { ...readSettings(ports), enabled: false });
    await hook(claudeCall(root, 'Write', { file_path: file('a'), content: 'x' })('PreToolUse'));
    assert.deepEqual(
      await hook({ session_id: 's', cwd: root, hook_event_name: 'UserPromptSubmit', prompt: 'x' }),
      silent,
    );
    assert.deepEqual(fs.readdirSync(root), ['.git']);
    assert.equal(fs.existsSync(path.join(ports.stateDir, 'sessions')), false);
  });

  it('takes a payload of 20 MB', async () => {
    const { root, file, hook, list } = hookWorkspace();
    const call = claudeCall(root, 'Write', { file_path: file('a'), content: 'é'.repeat(10 * 2 ** 20) });
    assert.deepEqual(await hook(call('PreToolUse')), silent);
    assert.equal(list().length, 1);
  });
});

describe('a hook process always ends with 0 and prints nothing', () => {
  for (const [name, payload, agent] of [
    ['no payload', '', 'claude-code'],
    ['half a payload', '{"hook_event_name":"PreTool', 'claude-code'],
    ['bytes that are no text', '\0\ufffd{{', 'vscode'],
    ['an unknown agent', '{}', '../../nobody'],
    ['no agent', '{}', ''],
  ] as const) {
    it(name, async () => assert.deepEqual(await hookWorkspace().hook(payload, agent), silent));
  }

  it('notes what it did not know in a log', async () => {
    const { hook, ports } = hookWorkspace();
    await hook('{}', 'nobody');
    assert.match(fs.readFileSync(path.join(ports.stateDir, 'log', 'hook.log'), 'utf8'), /unknown agent "nobody"/);
  });

  it('keeps that log small', async () => {
    const { hook, ports } = hookWorkspace();
    const log = path.join(ports.stateDir, 'log', 'hook.log');
    fs.mkdirSync(path.dirname(log), { recursive: true });
    fs.writeFileSync(log, 'x'.repeat(300 * 1024));
    await hook('{}', 'nobody');
    assert.ok(fs.statSync(log).size < 1000);
    assert.deepEqual(fs.readdirSync(path.dirname(log)).sort(), ['hook.log', 'hook.log.1']);
  });

  it('also where neither the workspace nor the user state can be written', async () => {
    const { root, file, hook, ports } = hookWorkspace();
    fs.writeFileSync(file('.system_generated'), 'a file in the way');
    fs.mkdirSync(path.dirname(ports.stateDir), { recursive: true });
    fs.writeFileSync(ports.stateDir, 'a file in the way');
    assert.deepEqual(
      await hook(claudeCall(root, 'Write', { file_path: file('a'), content: 'x' })('PreToolUse')),
      silent,
    );
  });

  it('also where the path is a FIFO, which would block whoever opens it', async function () {
    if (windows) return this.skip();
    const { root, file, hook } = hookWorkspace();
    execFileSync('mkfifo', [file('pipe')]);
    assert.deepEqual(
      await hook(claudeCall(root, 'Write', { file_path: file('pipe'), content: 'x' })('PreToolUse')),
      silent,
    );
    return undefined;
  });

  it('also where the agent never closes its end', async () => {
    const { start, ports } = hookWorkspace();
    const { child, ended } = start(undefined);
    child.stdin!.write('{"hook_event_name":');
    const begun = Date.now();
    assert.deepEqual(await ended, silent);
    assert.ok(Date.now() - begun < 20_000);
    assert.match(fs.readFileSync(path.join(ports.stateDir, 'log', 'hook.log'), 'utf8'), /timed-out/);
  });

  it('and then does not wait for more than a whole payload', async () => {
    const { root, file, start, list } = hookWorkspace();
    const { child, ended } = start(undefined);
    const text = JSON.stringify(claudeCall(root, 'Write', { file_path: file('a'), content: '}' })('PreToolUse'));
    const begun = Date.now();
    child.stdin!.write(text.slice(0, -2));
    setTimeout(() => child.stdin!.write(text.slice(-2)), 300);
    assert.deepEqual(await ended, silent);
    assert.ok(Date.now() - begun < 9000);
    assert.equal(list()[0]!.entries[0]!.path, 'a');
  });

  it('also where the folder that the agent works in was removed', async function () {
    if (windows) return this.skip();
    const { root, file, ports, list } = hookWorkspace();
    const text = JSON.stringify(claudeCall(root, 'Write', { file_path: file('a'), content: 'x' })('PreToolUse'));
    const gone = file('gone');
    fs.mkdirSync(gone);
    const script = `rmdir "$PWD" && exec "${process.execPath}" "${builtCli()}" hook claude-code`;
    const env = { PATH: process.env['PATH'], HOME: root, AGENT_CHECKPOINTS_HOME: ports.stateDir };
    const { ended } = startProcess('/bin/sh', ['-c', script], text, { cwd: gone, env });
    assert.deepEqual(await ended, silent);
    assert.equal(list()[0]!.entries[0]!.path, 'a');
    return undefined;
  });
});

describe('hook processes at once', function () {
  this.timeout(300_000);

  it('lose nothing and leave nothing over: 20 calls over 20 files and one that all share', async () => {
    const { root, file, hook, list, bytes } = hookWorkspace();
    fs.writeFileSync(file('shared.txt'), 'shared\n');
    const runs = Array.from({ length: 20 }, (_, i) => {
      fs.writeFileSync(file(`${i}.txt`), `before ${i}\n`);
      const patch = `*** Begin Patch\n*** Delete File: ${i}.txt\n*** Delete File: shared.txt\n*** End Patch`;
      return claudeCall(root, 'apply_patch', { input: patch }, { session_id: `session-${i % 3}` });
    });
    const codes = await Promise.all(runs.map((call) => hook(call('PreToolUse'))));
    assert.deepEqual(new Set(codes.map(({ code, output }) => `${code}${output}`)), new Set(['0']));
    const checkpoints = list();
    assert.equal(checkpoints.length, 20);
    for (const checkpoint of checkpoints) {
      const [own, shared] = checkpoint.entries;
      assert.equal(bytes(checkpoint, own!.pre)!.toString(), `before ${parseInt(String(own!.path))}\n`);
      assert.equal(bytes(checkpoint, shared!.pre)!.toString(), 'shared\n');
    }
    assert.equal(new Set(checkpoints.map(({ entries }) => entries[0]!.path)).size, 20);
    assert.deepEqual(leftovers(path.join(root, '.system_generated')), []);
  });

  it('leave a store that lists and reads when they are killed at any moment', async () => {
    const { root, file, start, hook, list, bytes } = hookWorkspace();
    const content = randomBytes(300_000);
    const times: number[] = [];
    for (let i = 0; i < 30; i++) {
      fs.writeFileSync(file('a.bin'), content);
      const call = claudeCall(root, 'Write', { file_path: file('a.bin'), content: `after ${i}` });
      const begun = performance.now();
      const { child, ended } = start(call('PreToolUse'));
      // The first runs tell how long one takes; the others end at moments spread over that.
      const timer = i < 3 ? undefined : setTimeout(() => child.kill('SIGKILL'), (Math.max(...times) * (i - 2)) / 27);
      await ended;
      clearTimeout(timer);
      if (i < 3) times.push(performance.now() - begun);
      for (const checkpoint of list()) {
        for (const { pre } of checkpoint.entries) assert.ok(bytes(checkpoint, pre)!.equals(content));
      }
    }
    // The next one works as ever.
    const call = claudeCall(root, 'Write', { file_path: file('b.txt'), content: 'x' });
    assert.deepEqual(await hook(call('PreToolUse')), silent);
    assert.equal(list()[0]!.entries[0]!.path, 'b.txt');
  });
});
