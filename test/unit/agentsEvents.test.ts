// Payloads as agents send them, and the events that they become.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent, HookAdapter, HookContext } from '../../src/agents/agent';
import { claudeCodeHook } from '../../src/agents/claude-code/hook';
import { vscodeHook } from '../../src/agents/vscode/hook';

const root = path.resolve('/w/app');
const context: HookContext = { env: {}, cwd: path.resolve('/elsewhere'), home: path.resolve('/home/ada') };

const parse = (adapter: HookAdapter, payload: unknown, env: NodeJS.ProcessEnv = {}) =>
  adapter.parse(typeof payload === 'string' ? payload : JSON.stringify(payload), { ...context, env });

const fixture = (name: string) =>
  readFileSync(path.join('test/fixtures/payloads', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('$ROOT', root).replaceAll('$HOME', context.home));

/** In short: the type and what matters of it. */
function brief(event: AgentEvent): unknown[] {
  if (event.type === 'ignore') return ['ignore'];
  if (event.type === 'prompt') return ['prompt', event.agent.turn, event.prompt];
  if (event.type === 'start' || event.type === 'subagent') return [event.type];
  if (event.type === 'stop') return ['stop', event.background];
  if (event.type === 'command') return ['command', event.phase, event.command];
  return [
    event.type,
    event.request.agent!.tool,
    ...event.request.writes.map((write) => path.relative(root, write.path)),
  ];
}

describe('payloads of Claude Code', () => {
  const events = fixture('claude-code').map((line) => parse(claudeCodeHook, line));

  it('become events, in their order', () => {
    assert.deepEqual(events.map(brief), [
      ['start'],
      ['prompt', 'prompt-one', 'Rename the greeting'],
      ['ignore'],
      ['before', 'Edit', 'greeting.txt'],
      ['after', 'Edit', 'greeting.txt'],
      ['before', 'Write', 'new.txt'],
      ['failed', 'Write', 'new.txt'],
      ['command', 'before', 'rm -rf x'],
      ['stop', true],
      ['stop', true],
      ['ignore'],
      ['stop', false],
      ['stop', false],
    ]);
  });

  it('name session, turn, call and subagent verbatim', () => {
    const event = events[5]!;
    assert.ok(event.type === 'before');
    assert.deepEqual(event.request.agent, {
      name: 'claude-code',
      session: 'c0ffee00-0000-4000-8000-000000000001',
      turn: 'prompt-one',
      tool: 'Write',
      toolUse: 'toolu_write',
      subagent: 'helper-7',
    });
    assert.deepEqual(event.request.writes, [
      { path: path.join(root, 'new.txt'), expected: { type: 'content', text: 'new\n' } },
    ]);
  });

  it('take the project folder from the environment, but only for calls of Claude Code itself', () => {
    const env = { CLAUDE_PROJECT_DIR: '/w' };
    const own = parse(claudeCodeHook, fixture('claude-code')[3]!, env);
    const other = parse(claudeCodeHook, fixture('vscode')[2]!, env);
    assert.ok(own.type === 'before' && other.type === 'before');
    assert.equal(own.request.projectDir, '/w');
    assert.equal(other.request.projectDir, undefined);
  });
});

describe("payloads of VS Code's agent", () => {
  const expected = [
    ['start'],
    ['prompt', undefined, 'Add a page'],
    ['before', 'create_file', 'page.md'],
    ['after', 'create_file', 'page.md'],
    ['command', 'before', 'ls'],
    ['stop', false],
  ];
  for (const adapter of [vscodeHook, claudeCodeHook]) {
    it(`become the same events, of the agent vscode, through the hook of ${adapter.name}`, () => {
      const events = fixture('vscode').map((line) => parse(adapter, line));
      assert.deepEqual(events.map(brief), expected);
      const names = events.flatMap((event) =>
        event.type === 'ignore' ? [] : ['request' in event ? event.request.agent!.name : event.agent.name],
      );
      assert.deepEqual([...new Set(names)], ['vscode']);
    });
  }

  it('are known by each of their marks alone', () => {
    const base = { hook_event_name: 'PreToolUse', session_id: 's', cwd: root };
    const edit = { tool_name: 'Edit', tool_input: { file_path: 'a', old_string: 'x', new_string: 'y' } };
    for (const payload of [
      { ...base, tool_name: 'create_file', tool_input: { filePath: 'a', content: '' } },
      { ...base, ...edit, tool_use_id: 'call_9__vscode-3' },
      { ...base, ...edit, transcript_path: '/x/GitHub.copilot-chat/transcripts/s.jsonl' },
      { ...base, ...edit, timestamp: '2026-11-30T11:05:00.003Z', transcript_path: '/x/t.jsonl' },
    ]) {
      const event = parse(claudeCodeHook, payload);
      assert.ok(event.type === 'before');
      assert.equal(event.request.agent!.name, 'vscode');
    }
  });
});

describe('payloads of agents that run hook files of others', () => {
  it('tell the Copilot CLI in the shape of Claude Code by what it leaves out', () => {
    const payload = {
      hook_event_name: 'PreToolUse',
      session_id: 's',
      timestamp: '2026-11-30T11:05:00.003Z',
      cwd: root,
      tool_name: 'Write',
      tool_input: { path: path.join(root, 'a.ts'), file_text: 'a\n' },
    };
    const event = parse(claudeCodeHook, payload, { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: root });
    assert.ok(event.type === 'before');
    assert.deepEqual(event.request.agent, { name: 'copilot-cli', session: 's', tool: 'Write' });
    assert.equal(event.request.projectDir, root);
    assert.deepEqual(event.request.writes, [
      { path: path.join(root, 'a.ts'), expected: { type: 'content', text: 'a\n' } },
    ]);
  });

  it('tell the Copilot CLI in its own shape, where fields stand for the event', () => {
    const base = { sessionId: 's', timestamp: 1796037702394, cwd: root };
    const call = { ...base, toolName: 'edit', toolArgs: JSON.stringify({ path: 'a', old_str: 'x', new_str: 'y' }) };
    assert.deepEqual(brief(parse(vscodeHook, call)), ['before', 'edit', 'a']);
    assert.deepEqual(brief(parse(vscodeHook, { ...call, toolResult: { resultType: 'success' } })), [
      'after',
      'edit',
      'a',
    ]);
    assert.deepEqual(brief(parse(vscodeHook, { ...base, prompt: 'go' })), ['prompt', undefined, 'go']);
    const patch = { ...base, toolName: 'apply_patch', toolArgs: '*** Begin Patch\n*** Delete File: b\n*** End Patch' };
    assert.deepEqual(brief(parse(vscodeHook, patch)), ['before', 'apply_patch', 'b']);
    const event = parse(vscodeHook, call);
    assert.ok(event.type === 'before');
    assert.equal(event.request.agent!.name, 'copilot-cli');
  });

  it('tell Cursor by its version', () => {
    const event = parse(claudeCodeHook, {
      conversation_id: 'c',
      cursor_version: '2.0',
      hook_event_name: 'preToolUse',
      cwd: root,
      tool_name: 'Write',
      tool_input: { file_path: 'a', content: 'x' },
    });
    assert.ok(event.type === 'before');
    assert.deepEqual(event.request.agent, { name: 'cursor', session: 'c', tool: 'Write' });
  });
});

describe('payloads that are wrong', () => {
  const whole = {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd: root,
    tool_name: 'Write',
    tool_input: { file_path: 'a', content: 'x' },
  };
  for (const [name, payload] of Object.entries<unknown>({
    'no text': '',
    'no JSON': '{"hook_event_name":',
    'a list': [],
    null: 'null',
    'a number': '7',
    'no event': { ...whole, hook_event_name: 'Whatever' },
    'an event of the wrong type': { tool_input: {}, hook_event_name: 7 },
    'a tool of the wrong type': { ...whole, tool_name: {} },
    'an input of the wrong type': { ...whole, tool_input: 7 },
    'no input': { ...whole, tool_input: null },
    'no path': { ...whole, tool_input: { content: 'x' } },
    'a path of the wrong type': { ...whole, tool_input: { file_path: ['a'], content: 'x' } },
    'an unknown tool': { ...whole, tool_name: 'constructor' },
  })) {
    it(`are passed over: ${name}`, () => {
      assert.deepEqual(parse(claudeCodeHook, payload), { type: 'ignore' });
      assert.deepEqual(parse(vscodeHook, payload), { type: 'ignore' });
    });
  }

  it('are used as far as they go: a field of the wrong type counts as left out', () => {
    const event = parse(claudeCodeHook, { ...whole, session_id: 7, cwd: null, prompt_id: {}, background_tasks: 'no' });
    assert.ok(event.type === 'before');
    assert.deepEqual(event.request.agent, { name: 'claude-code', session: 'unknown', tool: 'Write' });
    assert.equal(event.request.writes[0]!.path, path.join(context.cwd, 'a'));
  });

  it('cannot make a name longer than metadata takes', () => {
    const event = parse(claudeCodeHook, {
      ...whole,
      session_id: 'é\ud800'.repeat(5000),
      tool_use_id: 'x'.repeat(5000),
    });
    assert.ok(event.type === 'before');
    const { session, toolUse } = event.request.agent!;
    assert.equal(session.length, 500);
    assert.ok(session.isWellFormed());
    assert.equal(toolUse!.length, 500);
  });

  it('may begin with a byte order mark', () => {
    assert.deepEqual(brief(parse(claudeCodeHook, `\ufeff${JSON.stringify(whole)}`)), ['before', 'Write', 'a']);
  });
});

describe('payloads that were recorded from the real programs', () => {
  const folder = process.env['RECORDED_PAYLOADS'] ?? '../shared/fixtures/payloads';
  it('all become an event or nothing, and each write names its file', function () {
    const file = path.join(folder, 'claude.jsonl');
    if (!existsSync(file)) return this.skip();
    const events = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { payload: { hook_event_name: string; tool_name?: string } })
      .map(({ payload }) => ({ payload, event: parse(claudeCodeHook, payload) }));
    const writes = events.filter(
      ({ payload }) =>
        /^(Pre|Post)ToolUse$/.test(payload.hook_event_name) && /^(Write|Edit)$/.test(payload.tool_name ?? ''),
    );
    assert.ok(writes.length > 0);
    for (const { event } of writes) {
      assert.ok(event.type === 'before' || event.type === 'after');
      assert.equal(event.request.agent!.name, 'claude-code');
      assert.ok(event.request.agent!.turn);
      assert.ok(event.request.writes.every((write) => write.expected !== undefined));
    }
    assert.equal(events.filter(({ event }) => event.type === 'prompt').length, 3);
    return undefined;
  });
});
