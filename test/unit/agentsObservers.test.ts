// A second observer behind the same door: a formatter beside the checkpoints, and what it tells the agent.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import type { AgentName } from '../../src/agents/agent';
import { runHook } from '../../src/agents/runHook';
import { combineObservers } from '../../src/core/capture/combine';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteObserver } from '../../src/core/capture/request';
import type { Ports } from '../../src/core/ports';
import { planAndRun, planRestore } from '../../src/core/restore/restore';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { listPage } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts } from '../support/ports';

/** Takes blanks from the ends of lines, as a write of its own through the same door. */
function formatter(ports: Ports): WriteObserver {
  const checkpoints = createObserver(ports);
  return {
    beforeWrite: () => ({ checkpoints: [], first: true }),
    abandon: () => {},
    afterWrite: ({ cwd, agent, writes = [] }) =>
      writes.flatMap(({ path: file }) => {
        const text = fs.readFileSync(file, 'utf8');
        const tidy = text.replace(/ +$/gm, '');
        if (tidy === text) return [];
        const own = { ...agent!, tool: 'format', toolUse: `${agent!.toolUse}-format` };
        const request = { kind: 'edit' as const, cwd, agent: own, writes: [{ path: file }] };
        checkpoints.beforeWrite(request);
        fs.writeFileSync(file, tidy);
        checkpoints.afterWrite(request);
        return [`${path.basename(file)} was formatted.`];
      }),
  };
}

const both = (ports: Ports) => combineObservers(createObserver(ports), formatter(ports));

function workspace() {
  const root = temporaryRoot('observers');
  fs.mkdirSync(path.join(root, '.git'));
  const ports = testPorts();
  const file = path.join(root, 'a.txt');
  fs.writeFileSync(file, 'before\n');
  const payload = (event: string) =>
    JSON.stringify({
      hook_event_name: event,
      session_id: 's',
      cwd: root,
      prompt_id: 'p',
      permission_mode: 'default',
      tool_name: 'Write',
      tool_input: { file_path: file, content: 'after  \n' },
      tool_use_id: 'call-1',
    });
  const hook = (agent: AgentName, event: string, observerOf?: (ports: Ports) => WriteObserver) =>
    runHook(ports, agent, payload(event), { env: {}, cwd: root, home: '/' }, observerOf);
  return { root, ports, file, hook, list: () => listPage(ports, rootStores(ports, root), { limit: 10 }).checkpoints };
}

describe('a second observer behind the door', () => {
  it('acts after the write; both changes are on the timeline, and the turn takes both back', () => {
    const { root, ports, file, hook, list } = workspace();
    hook('claude-code', 'PreToolUse', both);
    fs.writeFileSync(file, 'after  \n');
    hook('claude-code', 'PostToolUse', both);
    assert.equal(fs.readFileSync(file, 'utf8'), 'after\n');
    assert.deepEqual(
      list().map(({ agent, status }) => [agent!.tool, status]),
      [
        ['format', 'done'],
        ['Write', 'done'],
      ],
    );
    // What the agent wrote is known as its own, not guessed from what the formatter made of it.
    const { post } = list()[1]!.entries[0]!;
    assert.equal(post!.type === 'file' && post!.inferred, undefined);
    const target = { mode: 'turn' as const, id: list()[1]!.id };
    const { outcome } = planAndRun(ports, root, () => planRestore(ports, root, target, {}));
    assert.deepEqual(outcome.conflicts, []);
    assert.equal(fs.readFileSync(file, 'utf8'), 'before\n');
  });

  it('tells the agent nothing unless the person turned that on', () => {
    const { ports, file, hook } = workspace();
    hook('claude-code', 'PreToolUse', both);
    fs.writeFileSync(file, 'after  \n');
    assert.equal(hook('claude-code', 'PostToolUse', both), '');
    writeSettings(ports, { ...readSettings(ports), annotations: true });
    fs.writeFileSync(file, 'again  \n');
    assert.deepEqual(JSON.parse(hook('claude-code', 'PostToolUse', both)), {
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'a.txt was formatted.' },
    });
  });

  for (const [agent, event, expected] of [
    ['codex', 'PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'note' } }],
    ['qwen', 'PostToolUse', { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'note' } }],
    ['gemini', 'AfterTool', { hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'note' } }],
    ['cursor', 'postToolUse', { additional_context: 'note' }],
    ['copilot-cli', 'postToolUse', { additionalContext: 'note' }],
    ['windsurf', 'post_write_code', undefined],
  ] as const) {
    it(`is heard by ${agent} in its own words`, () => {
      const { ports, hook } = workspace();
      writeSettings(ports, { ...readSettings(ports), annotations: true });
      const noting = () => ({ ...createObserver(ports), afterWrite: () => ['note'] });
      const answer = hook(agent, event, noting);
      assert.deepEqual(answer === '' ? undefined : JSON.parse(answer), expected);
    });
  }

  it('that throws stops neither the agent nor the checkpoints', () => {
    const { ports, file, hook, list } = workspace();
    const broken = (): never => {
      throw new Error('broken');
    };
    const observers = combineObservers(
      { beforeWrite: broken, afterWrite: broken, abandon: broken },
      createObserver(ports),
    );
    hook('claude-code', 'PreToolUse', () => observers);
    fs.writeFileSync(file, 'after  \n');
    assert.equal(
      hook('claude-code', 'PostToolUse', () => observers),
      '',
    );
    assert.equal(list()[0]!.status, 'done');
  });
});

describe('calls whose names are not unique', () => {
  it('a name that is used again is a new call, whose bytes are kept too', () => {
    const { file, hook, list } = workspace();
    for (const text of ['after  \n', 'by a person\n']) {
      fs.writeFileSync(file, text);
      hook('claude-code', 'PreToolUse');
      fs.writeFileSync(file, 'after  \n');
      hook('claude-code', 'PostToolUse');
    }
    fs.writeFileSync(file, 'third\n');
    hook('claude-code', 'PreToolUse');
    hook('claude-code', 'PreToolUse');
    assert.equal(list().length, 3);
    assert.deepEqual(
      list().map(({ status }) => status),
      ['pending', 'done', 'unchanged'],
    );
  });
});
