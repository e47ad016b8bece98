// Files that real agents wrote, against counts that were worked out apart from the readers: one node for each prompt,
// for each answer of the model with its results, and for each compaction. Skipped where the files are not at hand.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { countsOf, readTranscript, type Counts } from '../support/transcriptKit';
import { temporaryRoot } from '../support/ports';

const folder = process.env['RECORDED_TRANSCRIPTS'] ?? '../shared/fixtures';

type Row = [agent: string, file: string, nodes: number, leaf: string, more?: Partial<Counts>];

const rows: Row[] = [
  ['claude-code', 'transcripts/claude/claude-code-log__dag_compact_after_rewind.jsonl', 11, 'p1a', { forks: 1 }],
  [
    'claude-code',
    'transcripts/claude/claude-code-log__edge_cases.jsonl',
    11,
    'assistant_004',
    { roots: 11, damaged: 3 },
  ],
  ['claude-code', 'transcripts/claude/claude-code-log__representative_messages.jsonl', 9, 'msg_011', { roots: 9 }],
  ['claude-code', 'transcripts/claude/claude-code-log__session_b.jsonl', 3, 'session_b_003', { roots: 3 }],
  ['claude-code', 'transcripts/claude/claude-code-log__todowrite_examples.jsonl', 8, 'assistant_006'],
  ['claude-code', 'transcripts/claude/git-ai__claude-code-with-plan.jsonl', 7, 'ast-msg-6'],
  [
    'claude-code',
    'transcripts/claude/git-ai__claude-code-with-thinking.jsonl',
    3,
    '277da121-ce5a-4214-96d4-5c8688b8428b',
  ],
  ['claude-code', 'transcripts/claude/git-ai__claude-model-not-last.jsonl', 2, 'msg-2'],
  ['claude-code', 'transcripts/claude/git-ai__claude_with_ids.jsonl', 4, 'eee55555-5555-5555-5555-555555555555'],
  [
    'claude-code',
    'transcripts/claude/git-ai__subagent__agent-a1b2c3d4e5f6.jsonl',
    2,
    'sub22222-2222-2222-2222-222222222222',
  ],
  ['claude-code', 'transcripts/claude/simonw__sample_session.json', 21, 'line-33'],
  ['claude-code', 'runs/claude/main-9ea19c54.jsonl', 12, '46c8c9aa-7286-498a-bc63-48eb5b991349'],
  ['claude-code', 'runs/claude/fork-434e6d93.jsonl', 16, '21c84bc7'],
  ['claude-code', 'runs/claude/compact-bb3a5c2b.jsonl', 5, '9af6a4f1-18cc-44be-b2aa-1564f0efa8ce'],
  ['claude-code', 'runs/claude/subagent-agent-a32976cb649e12274.jsonl', 3, 'dab7e2e6-5c27-4c4f-bc32-d90595388bfb'],
  ['codex', 'transcripts/codex/claude-code-log__legacy__rollout-44444444.jsonl', 2, 'line-3'],
  ['codex', 'transcripts/codex/claude-code-log__rollout-2026-01-02T03-04-05-11111111.jsonl', 5, 'line-12'],
  ['codex', 'transcripts/codex/claude-code-log__rollout-2026-01-03T04-05-06-22222222.jsonl', 2, 'line-3'],
  ['codex', 'transcripts/codex/git-ai__codex-session-simple.jsonl', 3, 'line-5'],
  ['codex', 'runs/codex/main-01a22c1f-f56d.jsonl', 13, 'msg_mx35u3h9001rscripted'],
  ['codex', 'runs/codex/fork-01a22c20-1104.jsonl', 4, 'msg_mx35u5gb0021scripted'],
  ['codex', 'runs/codex/subagent-child-01a22c21-982b.jsonl', 4, 'msg_mx35wa86000dscripted'],
  ['codex', 'runs/codex/untrusted-hooks.jsonl', 9, 'msg_mx35tg32000rscripted'],
  ['gemini', 'transcripts/gemini/git-ai__gemini-session-simple.jsonl', 6, '3fc72b76-f438-469b-9220-2dddf7cc733d'],
  ['gemini', 'runs/gemini/session-2026-11-30T11-06-17c87520.jsonl', 13, '260ef2bf-0c6e-40c8-af0e-30a7037e2417'],
  ['gemini', 'runs/gemini/session-2026-11-30T11-07-17c87520.jsonl', 1, 'd04923d38bb0f6017037e74183378ef4'],
  ['qwen', 'runs/qwen/0991ddfb-07fb-4f5a-98f6-c610a327a892.jsonl', 16, '1bc9896b-a74b-4cb8-a50c-2a415284e31c'],
  ['qwen', 'runs/qwen/6be14fef-2167-4a35-bf27-c10da448ea20.jsonl', 12, 'f5f6630f-1c79-488e-a079-d9301a822d26'],
  ['pi', 'transcripts/pi/git-ai__pi-session-simple.jsonl', 2, '22222222'],
  ['pi', 'transcripts/pi/git-ai__pi-session-tool.jsonl', 2, 'bbbb2222'],
  // 484 answers, 55 prompts, 3 commands of the person, 2 compactions.
  ['pi', 'transcripts/pi/pi-mono__before-compaction.jsonl', 544, 'line-1002'],
  ['pi', 'runs/pi/2026-11-30T11-15-46-572Z_01a22c2b-050b-763d-aab6-7ab2389dc8c5.jsonl', 12, '60028751'],
  ['pi', 'runs/pi/2026-11-30T11-16-12-006Z_01a22c2b-6864-736f-bf0d-5dcf6c127068.jsonl', 16, '53ec4424'],
  ['opencode', 'transcripts/opencode/git-ai__opencode.db', 2, 'msg-assistant-sql-001'],
  ['opencode', 'runs/opencode/export-ses_dd3d7482effem7xmwkkXoC5g46.json', 16, 'msg_22c28ccc40013wi6Uxyz5fTvND'],
  ['opencode', 'runs/opencode/export-ses_dd3d7c1baffep87IxGAxk0D5XF.json', 12, 'msg_22c28a8e4001Jq0ci7CqGmht7N'],
  ['cline', 'transcripts/cline/cline__session.messages.json', 21, 'msg_Fy5COtRH'],
  ['cline', 'transcripts/cline/cline__basic.compaction.json', 10, 'msg_Fy5COtRH'],
  ['cline', 'transcripts/cline/cline__success.messages.json', 3, 'msg_assistant_2'],
  ['cline', 'runs/cline/1796037516239_hgsk8.messages.json', 12, 'msg_3tszA8RD'],
  [
    'copilot-cli',
    'transcripts/copilot-cli/git-ai__copilot_cli_session_events.jsonl',
    2,
    'b2c3d4e5-2222-3333-4444-555566667777',
  ],
  ['copilot-cli', 'runs/copilot/main-463d6e9e-events.jsonl', 12, 'de5f7cf0-8642-461b-bf54-fa51926a4ff0'],
  [
    'vscode',
    'transcripts/copilot-vscode/git-ai__copilot_session_simple.json',
    8,
    '294f9cab-0c59-4190-ae17-96daf68e46d1',
  ],
  [
    'vscode',
    'transcripts/copilot-vscode/git-ai__copilot_session_simple.jsonl',
    8,
    '294f9cab-0c59-4190-ae17-96daf68e46d1',
  ],
  ['copilot-cli', 'transcripts/copilot-vscode/git-ai__copilot_session_event_stream.jsonl', 4, 'evt-7'],
  [
    'copilot-cli',
    'transcripts/copilot-vscode/git-ai__copilot_vscode_event_stream.jsonl',
    3,
    'adf53e40-64c9-4791-8b4a-9ef6750ea9a3',
  ],
  ['vscode', 'transcripts/copilot-vscode/git-ai__transcripts__test-session-abc.jsonl', 2, 'ev-4'],
];

(fs.existsSync(folder) ? describe : describe.skip)('transcripts that agents wrote', () => {
  for (const [agent, file, nodes, leaf, more] of rows) {
    it(`has the right tree: ${file}`, () => {
      const isLog = agent === 'vscode' && file.includes('__transcripts__');
      const there = isLog ? inTranscripts(path.join(folder, file)) : path.join(folder, file);
      const { tree } = readTranscript(agent, there, agent === 'opencode' ? 'test-session-123' : undefined);
      const { leaf: found = '', ...counts } = countsOf(tree);
      assert.deepEqual(counts, { nodes, roots: 1, forks: 0, damaged: 0, ...more });
      assert.ok(found.startsWith(leaf), `leaf ${found}`);
    });
  }

  it('puts a fork of Codex behind the part of the rollout that it builds on', () => {
    const dir = temporaryRoot('codex');
    const copy = (name: string, as: string) =>
      fs.copyFileSync(path.join(folder, 'runs/codex', name), path.join(dir, as));
    copy('main-01a22c1f-f56d.jsonl', 'rollout-2026-11-30T11-03-41-01a22c1f-f56d-7531-bf38-d8f951a00df1.jsonl');
    copy('fork-01a22c20-1104.jsonl', 'rollout-2026-11-30T11-03-48-01a22c20-1104-77e0-b12b-f816e13a2856.jsonl');
    const { tree } = readTranscript(
      'codex',
      path.join(dir, 'rollout-2026-11-30T11-03-48-01a22c20-1104-77e0-b12b-f816e13a2856.jsonl'),
    );
    const { nodes, roots } = countsOf(tree);
    assert.deepEqual({ nodes, roots }, { nodes: 13 + 4, roots: 1 });
    assert.ok(tree.nodes.every(({ incomplete }) => incomplete === undefined));
  });
});

/** Logs of Copilot are known by their folder. */
function inTranscripts(file: string): string {
  const dir = path.join(temporaryRoot('log'), 'transcripts');
  fs.mkdirSync(dir);
  fs.copyFileSync(file, path.join(dir, path.basename(file)));
  return path.join(dir, path.basename(file));
}
