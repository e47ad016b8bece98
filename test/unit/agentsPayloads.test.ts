// The payloads of each agent with hooks of its own, and the events that they become.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent, AgentName, HookContext } from '../../src/agents/agent';
import { clineHook } from '../../src/agents/cline/hook';
import { eventOf } from '../../src/agents/event';
import { windsurfHook } from '../../src/agents/windsurf/hook';

const root = path.resolve('/w/app');
const context: HookContext = { env: {}, cwd: root, home: path.resolve('/home/ada') };

function parse(agent: AgentName, payload: unknown, event?: string): AgentEvent {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const within = { ...context, ...(event === undefined ? {} : { event }) };
  if (agent === 'cline') return clineHook.parse(text, within);
  if (agent === 'windsurf') return windsurfHook.parse(text, within);
  return eventOf(agent, text, within);
}

const fixture = (agent: AgentName): AgentEvent[] =>
  readFileSync(path.join('test/fixtures/payloads', `${agent}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('$ROOT', root).replaceAll('$HOME', context.home))
    .map((line) => {
      if (agent !== 'copilot-cli') return parse(agent, line);
      const { event, payload } = JSON.parse(line) as { event: string; payload: object };
      return parse(agent, payload, event);
    });

function brief(event: AgentEvent): unknown[] {
  switch (event.type) {
    case 'ignore':
      return ['ignore'];
    case 'prompt':
      return ['prompt', event.prompt];
    case 'stop':
      return ['stop', event.background];
    case 'start':
    case 'subagent':
      return [event.type];
    case 'command':
      return ['command', event.phase, event.command, path.relative(root, event.cwd)];
    default:
      return [event.type, ...event.request.writes.map((write) => path.relative(root, write.path))];
  }
}

const expected: Partial<Record<AgentName, unknown[][]>> = {
  codex: [
    ['start'],
    ['prompt', 'Move it'],
    ['before', 'old.txt', 'dir/new.txt', 'gone.txt'],
    ['after', 'old.txt', 'dir/new.txt', 'gone.txt'],
    ['subagent'],
    ['command', 'before', 'make', ''],
    ['stop', true],
    ['stop', false],
  ],
  gemini: [
    ['prompt', 'Change it'],
    ['ignore'],
    ['before', 'a.txt'],
    ['failed', 'a.txt'],
    ['command', 'before', 'rm b', 'src'],
    ['stop', false],
    ['stop', false],
  ],
  qwen: [['prompt', 'Write it'], ['ignore'], ['before', 'n.txt'], ['after', 'n.txt'], ['stop', false]],
  'copilot-cli': [
    ['prompt', 'Do it'],
    ['before', 'c.txt'],
    ['ignore'],
    ['after', 'c.txt'],
    ['before', 'c.txt'],
    ['failed', 'c.txt'],
    ['subagent'],
    ['before', 'd.txt'],
    ['stop', true],
    ['stop', false],
    ['stop', false],
  ],
  cline: [
    ['prompt', ''],
    ['before', 'e.txt'],
    ['failed', 'e.txt'],
    ['subagent'],
    ['command', 'before', 'ls\nrm x', ''],
    ['stop', true],
    ['before', 'w.txt'],
    ['prompt', 'More'],
    ['stop', false],
  ],
  cursor: [
    ['prompt', 'Go'],
    ['before', 'u.txt'],
    ['after', 'u.txt'],
    ['command', 'before', 'npm test', 'sub'],
    ['before', 'u.txt'],
    ['stop', false],
  ],
  windsurf: [
    ['prompt', 'Fix it'],
    ['ignore'],
    ['before', 'a.py'],
    ['after', 'a.py'],
    ['command', 'before', 'make', ''],
    ['stop', false],
  ],
};

for (const [agent, events] of Object.entries(expected) as [AgentName, unknown[][]][]) {
  it(`payloads of ${agent} become events of ${agent}, in their order`, () => {
    const found = fixture(agent);
    assert.deepEqual(found.map(brief), events);
    for (const event of found) {
      if (event.type === 'ignore') continue;
      const info = 'request' in event ? event.request.agent! : event.agent;
      assert.equal(info.name, agent);
      assert.notEqual(info.session, 'unknown');
    }
  });
}

const infoOf = (event: AgentEvent | undefined) => {
  assert.ok(event !== undefined && event.type !== 'ignore');
  return 'request' in event ? event.request.agent! : event.agent;
};

describe('what a payload says of its call', () => {
  it('is the turn, the call and the subagent, verbatim', () => {
    // What a subagent does has no turn of its own.
    assert.deepEqual(infoOf(fixture('codex')[5]), {
      name: 'codex',
      session: 'cx-1',
      tool: 'Bash',
      toolUse: 'call_s',
      subagent: 'child-1',
    });
    const { session, subagent } = infoOf(fixture('copilot-cli')[7]);
    assert.deepEqual([session, subagent], ['co-1', 'co-child']);
    assert.equal(infoOf(fixture('codex')[2]).turn, 'turn-a');
    assert.equal(infoOf(fixture('qwen')[2]).toolUse, 'call_q');
    assert.equal(infoOf(fixture('cursor')[1]).turn, 'gen-1');
    assert.equal(infoOf(fixture('windsurf')[2]).turn, 'ex-1');
    assert.deepEqual([infoOf(fixture('cline')[4]).session, infoOf(fixture('cline')[4]).subagent], ['cl-1', 'agent_2']);
    assert.equal(infoOf(fixture('cline')[6]).session, '17');
  });

  it('is the project of an agent that names it', () => {
    const event = fixture('cursor')[1]!;
    assert.ok(event.type === 'before');
    assert.equal(event.request.projectDir, root);
  });

  it('is one report where two hooks are told of one call without an id, whatever they call it', () => {
    const reportOf = (event: AgentEvent) => (event.type === 'before' ? event.request.report : undefined);
    const at = Date.parse('2026-11-30T11:05:00.003Z');
    const own = { sessionId: 's', timestamp: at, cwd: root };
    const first = parse(
      'copilot-cli',
      { ...own, toolName: 'create', toolArgs: { path: 'a', file_text: '' } },
      'preToolUse',
    );
    const second = eventOf(
      'vscode',
      JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: 's',
        timestamp: new Date(at).toISOString(),
        cwd: root,
        tool_name: 'Write',
        tool_input: { path: 'a', file_text: '' },
      }),
      { ...context, env: { COPILOT_CLI: '1' } },
    );
    assert.ok(reportOf(first));
    assert.equal(reportOf(first), reportOf(second));
    assert.deepEqual([infoOf(first).name, infoOf(second).name], ['copilot-cli', 'copilot-cli']);
    const later = parse(
      'copilot-cli',
      { ...own, timestamp: at + 1, toolName: 'create', toolArgs: { path: 'a' } },
      'preToolUse',
    );
    assert.notEqual(reportOf(later), reportOf(first));
  });

  it('is never an error, whatever its parts are', () => {
    const odd = [null, 7, 'x', [], {}, [null], { a: { b: [] } }, '\ud800', '__proto__'];
    const keys = [
      'hookName',
      'tool_call',
      'tool_result',
      'preToolUse',
      'workspaceRoots',
      'sessionContext',
      'tool_info',
    ];
    for (const agent of ['cline', 'windsurf', 'codex', 'gemini', 'copilot-cli', 'cursor'] as const) {
      for (const key of [...keys, 'agent_action_name', 'tool_response', 'workspace_roots', 'toolArgs']) {
        for (const value of odd) {
          const base = { hookName: 'tool_call', agent_action_name: 'pre_write_code', hook_event_name: 'PreToolUse' };
          assert.ok(parse(agent, { ...base, tool_name: 'Write', [key]: value }));
        }
      }
    }
  });
});

describe('payloads that were recorded from the real programs', () => {
  const folder = process.env['RECORDED_PAYLOADS'] ?? '../shared/fixtures/payloads';
  const recorded = {
    codex: 'codex',
    gemini: 'gemini',
    qwen: 'qwen',
    'copilot-cli': 'copilot',
    cline: 'cline',
  } as const;
  for (const [agent, file] of Object.entries(recorded) as [AgentName, string][]) {
    it(`of ${agent}: each write names its file before and after, each shell its command, each turn its prompt`, function () {
      const source = path.join(folder, `${file}.jsonl`);
      if (!existsSync(source)) return this.skip();
      const events = readFileSync(source, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { event: string; payload: object })
        .map(({ event, payload }) => parse(agent, payload, event));
      const count = (type: AgentEvent['type']) => events.filter((event) => event.type === type).length;
      assert.ok(count('before') >= 4, `${count('before')} writes`);
      assert.ok(count('after') + count('failed') >= count('before') - 1);
      assert.ok(count('prompt') >= 2);
      assert.ok(count('stop') >= 2);
      assert.ok(events.some((event) => event.type === 'command' && event.command.includes('sed -i')));
      for (const event of events) {
        if (event.type === 'ignore') continue;
        assert.equal(infoOf(event).name, agent);
        if (event.type === 'before') assert.ok(event.request.writes.every((write) => write.expected !== undefined));
      }
      return undefined;
    });
  }
});
