// One small conversation for each format, written for these tests: its tree, node by node.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReaders } from '../../src/agents/transcripts';
import { agentNames } from '../../src/agents/agent';
import { temporaryRoot } from '../support/ports';
import { countsOf, fixtureDir, outline, readTranscript } from '../support/transcriptKit';

const read = (agent: string, file: string, session?: string) =>
  readTranscript(agent, path.join(fixtureDir, agent, file), session).tree;

describe('readers of transcripts', () => {
  it('there is one for each agent', () => {
    assert.deepEqual(transcriptReaders.map(({ agent }) => agent).sort(), [...agentNames].sort());
  });

  it('Claude Code: a fork, parallel calls, side chains, a compaction that keeps a message, records written twice', () => {
    const tree = read('claude-code', 'garden.jsonl');
    assert.deepEqual(outline(tree), [
      'u1 < null (pass) user:Plant the beans',
      'a1 < u1 (pass) assistant+Edit+Bash:I dig. | tool:dug | tool:no water',
      'a2 < a1 (pass) assistant:The beans are in.',
      'u2 < a2 (pass) user:Now peas',
      'a3 < u2 (pass) assistant:Peas, first way',
      'u2x < a2 (pass) user:Now peas, another way',
      'a4 < u2x (pass) assistant+Task:Peas, second way | tool:seen',
      's1 < null (pass sidechain) user:look around',
      's2 < s1 (pass sidechain) assistant:I looked.',
      'a5 < a4 (pass) assistant:Both are in!',
      'b1 < a5 (compaction replaces) user:Summary: beans and peas are in. | assistant:Both are in!',
      'u3 < b1 (pass) user:And now?',
      'a6 < u3 (pass) assistant:Rest.',
      'g1 < null (pass sidechain) user:Count the worms',
      'g2 < g1 (pass sidechain) assistant:Nine.',
    ]);
    assert.deepEqual([tree.leaf, tree.title, tree.cwd, tree.damaged], ['a6', 'A garden', '/w/garden', []]);
    const [, a1, , u2] = tree.nodes;
    assert.deepEqual(a1!.usage, { input: 115, output: 30 });
    assert.equal(a1!.model, 'model-x');
    assert.deepEqual(a1!.messages[0]!.reasoning, {
      blocks: [{ type: 'thinking', text: 'beans first', signature: 'sig=' }],
    });
    assert.equal(a1!.messages[2]!.is_error, true);
    assert.deepEqual(u2!.messages[0]!.attachments, [{ type: 'image', mediaType: 'image/png', size: 3 }]);
    assert.deepEqual(tree.nodes[10]!.summary, {
      text: 'Summary: beans and peas are in.',
      by: 'agent',
      watermark: { id: 'a5', index: 8 },
    });
    assert.deepEqual(a1!.source, { agent: 'claude-code', session: 'garden', entry: 'a1' });
  });

  it('Codex: what is told twice is one message; a rollback leaves a branch; a compaction replaces', () => {
    const tree = read('codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl');
    assert.deepEqual(outline(tree).slice(1), [
      'line-5 < line-3 (pass) user:Plant the beans',
      'line-7 < line-5 (pass) assistant+exec_command+exec_command: | tool:dug | tool:wet',
      'line-12 < line-7 (pass) assistant:The beans are in.',
      'line-15 < line-12 (pass) user:Now peas',
      'line-16 < line-15 (pass) assistant:Peas are in.',
      'line-18 < line-12 (pass) user:Now carrots',
      'line-19 < line-18 (pass) assistant:Carrots are in.',
      'line-20 < line-19 (compaction replaces) user:Now carrots | user:Beans and carrots.',
      'line-21 < line-20 (pass) user:And now?',
      'line-22 < line-21 (pass) assistant:Rest.',
    ]);
    assert.deepEqual(tree.nodes[3]!.usage, { input: 50, output: 9 });
  });

  it('Codex: a fork stands behind its part of the other file; without that file it is incomplete', () => {
    const fork = 'rollout-2026-03-02T09-00-00-0bbb.jsonl';
    const tree = read('codex', `sessions/2026/03/02/${fork}`);
    assert.deepEqual(outline(tree).slice(3), [
      'base-line-12 < base-line-7 (pass) assistant:The beans are in.',
      'line-2 < base-line-12 (pass) user:Instead, tulips',
      'line-3 < line-2 (pass) assistant:Tulips are in.',
    ]);
    const alone = path.join(temporaryRoot('codex'), fork);
    fs.copyFileSync(path.join(fixtureDir, 'codex/sessions/2026/03/02', fork), alone);
    assert.deepEqual(outline(readTranscript('codex', alone).tree), [
      'line-2 < null (pass orphan incomplete) user:Instead, tulips',
      'line-3 < line-2 (pass incomplete) assistant:Tulips are in.',
    ]);
  });

  it('Codex: the oldest files have no envelope', () => {
    assert.deepEqual(outline(read('codex', 'legacy.jsonl')), [
      'line-2 < null (pass) user:Old garden',
      'line-4 < line-2 (pass) assistant:Very old.',
    ]);
  });

  it('Gemini: a message grows, a rewind leaves a branch, a new list replaces', () => {
    const tree = read('gemini', 'session-2026-03-01T09-00-aaaa.jsonl');
    assert.deepEqual(outline(tree).slice(1), [
      'p1 < ctx (pass) user:Plant the beans',
      'q1 < p1 (pass) assistant+write_file:Digging. | tool:written',
      'q2 < q1 (pass) assistant:Beans are in.',
      'p2 < q2 (pass) user:Peas',
      'q3 < p2 (pass) assistant:Peas are in.',
      'p3 < q2 (pass) user:Carrots',
      'q4 < p3 (pass) assistant:Carrots are in.',
      'line-15 < q4 (compaction replaces) user:Summary: beans, carrots. | assistant:Carrots are in.',
      'p4 < line-15 (pass) user:And now?',
    ]);
    assert.equal(tree.title, 'Plant the beans');
    assert.equal(
      outline(read('gemini', 'session-old.json'))[1],
      'o2 < o1 (pass) assistant+write_file:Very old. | tool:',
    );
  });

  it('Qwen: a tree by uuid, with a fork and a compression', () => {
    assert.deepEqual(outline(read('qwen', 's-q.jsonl')), [
      '1 < null (pass) user:Plant',
      '3 < 1 (pass) assistant+edit:Dig. | tool:no such file',
      '5 < 3 (pass) assistant:It failed.',
      '6 < 3 (pass) assistant:It failed, again.',
      '7 < 6 (compaction replaces) user:Summary | assistant:Got it.',
      '8 < 7 (pass) user:Go on',
    ]);
  });

  it('pi: a tree with a branch summary and a compaction; version 1 is a list', () => {
    const tree = read('pi', 'v3.jsonl');
    assert.deepEqual(outline(tree), [
      '00000002 < null (pass) user:Plant',
      '00000003 < 00000002 (pass) assistant+bash:Dig. | tool:dug',
      '00000005 < 00000003 (pass) assistant:Done.',
      '00000006 < 00000002 (other) user:One way was tried.',
      '00000007 < 00000006 (pass) user:Another way',
      '00000008 < 00000007 (pass) assistant:Fine.',
      '00000009 < 00000008 (compaction replaces) user:Planted. | user:Another way | assistant:Fine.',
      '0000000a < 00000009 (pass) user:And now?',
    ]);
    assert.equal(tree.title, 'The garden');
    assert.deepEqual(tree.nodes[6]!.summary!.watermark, { id: '00000007', index: 2 });
    assert.deepEqual(outline(read('pi', 'v1.jsonl')), [
      'line-2 < null (pass) user:Plant',
      'line-3 < line-2 (pass) assistant:Planted.',
      'line-4 < line-3 (pass) user:More',
      'line-5 < line-4 (compaction replaces) user:Planted. | user:More',
      'line-6 < line-5 (pass) assistant:More is in.',
    ]);
  });

  it('opencode: an export, and the old folders', () => {
    assert.deepEqual(outline(read('opencode', 'export.json')), [
      'msg_1 < null (pass) user:Plant',
      'msg_2 < msg_1 (pass) assistant+edit+bash+bash:Dig. | tool:ok | tool:no',
      'msg_3 < msg_2 (compaction replaces) assistant:Summary: planted.',
    ]);
    const stored = read('opencode', 'storage/session/prj/ses_2.json');
    assert.deepEqual(outline(stored), [
      'msg_c < null (pass) user:Plant',
      'msg_b < msg_c (pass) assistant:Dig\nand water.',
    ]);
    assert.deepEqual([stored.title, stored.cwd], ['Old garden', '/w/garden']);
  });

  it('Cline 4 and 3', () => {
    const tree = read('cline', 'sessions/9_x/9_x.messages.json');
    assert.deepEqual(outline(tree), [
      'm1 < null (pass) user:Plant',
      'm2 < m1 (pass) assistant+editor:Dig. | tool:[{"query":"edit","success":true}]',
      'm4 < m2 (pass) assistant:Done.',
      'm4#2 < m4 (compaction replaces) user:Summary: planted.',
    ]);
    assert.deepEqual([tree.title, tree.cwd], ['Garden', '/w/garden']);
    assert.deepEqual(outline(read('cline', 'task/api_conversation_history.json')).slice(1), [
      'message-1 < message-0 (pass) assistant+write_to_file:Dig. | tool:saved | user:<environment_details>noon</environment_details>',
      'message-3 < message-1 (pass) assistant:Done.',
    ]);
  });

  it('Copilot CLI: results find their calls, a rewind leaves a branch, unknown events are passed over', () => {
    assert.deepEqual(outline(read('copilot-cli', 'e1/events.jsonl')), [
      'e2 < null (pass) user:Plant',
      'e5 < e2 (pass) assistant+bash+view:Dig. | tool:no file | tool:dug',
      'e10 < e5 (pass) user:Peas',
      'e11 < e10 (pass) assistant:Peas are in.',
      'e13 < e5 (pass) user:Carrots',
      'e14 < e13 (pass) assistant+edit:',
      'e15 < e14 (compaction replaces) user:Summary: planted.',
      'e16 < e15 (pass) user:And now?',
    ]);
  });

  it('VS Code: the log of changes, the document, and the log of Copilot', () => {
    const log = read('vscode', 'chatSessions/log.jsonl');
    assert.deepEqual(outline(log), [
      'r1 < null (pass) user:Plant',
      'r1-response < r1 (pass) assistant+edit:Digging. | tool:Edited a',
      'r2 < r1-response (pass) user:Peas',
      'x1 < r2 (pass) assistant+read_file:Look. | tool:one\ntwo',
      'x2 < x1 (pass) assistant:In.',
    ]);
    // One entry names a place that is not there.
    assert.deepEqual(log.damaged, [{ line: 8, reason: 'a place that is not there' }]);
    assert.equal(log.title, 'Garden');
    assert.deepEqual(countsOf(read('vscode', 'chatSessions/doc.json')), {
      nodes: 3,
      roots: 1,
      forks: 0,
      leaf: 'd2',
      damaged: 0,
    });
    assert.deepEqual(outline(read('vscode', 'transcripts/t1.jsonl')), [
      'v2 < null (pass) user:Plant',
      'v3 < v2 (pass) assistant+read_file: | tool:',
      'v5 < v3 (pass) assistant:Done.',
    ]);
  });

  it('Cursor and Windsurf', () => {
    assert.deepEqual(outline(read('cursor', 'c1.jsonl')), [
      'line-1 < null (pass) user:Plant',
      'line-2 < line-1 (pass) assistant+Write+Shell:Dig.',
      'line-3 < line-2 (pass) assistant:Done.',
    ]);
    const tree = read('windsurf', 'w1.jsonl');
    assert.deepEqual(outline(tree), [
      'line-1 < null (pass) user:Plant',
      'line-2 < line-1 (pass) assistant+code_action+run_command:Dig. | tool:dry',
      'line-5 < line-2 (pass) assistant:Done.',
    ]);
    assert.equal(tree.nodes[1]!.messages[1]!.is_error, true);
  });

  it('no call stands without its result’s place: results name calls of the same node', () => {
    for (const [agent, file] of [
      ['claude-code', 'garden.jsonl'],
      ['codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl'],
      ['copilot-cli', 'e1/events.jsonl'],
    ] as const) {
      for (const { messages } of read(agent, file).nodes) {
        const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
        for (const { role, tool_call_id: id } of messages)
          if (role === 'tool') assert.ok(calls.includes(id!), `${file} ${id}`);
      }
    }
  });
});
