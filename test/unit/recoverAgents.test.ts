// What each agent's records hold of files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { jsonl, setUp, time } from '../support/recoverKit';

describe('what is recovered of each agent', () => {
  it('Codex: from what the session made, and from the file as it is now', () => {
    const { root, put, at, told, write, sessions } = setUp();
    const patch = (id: string, minute: number, changes: object) => ({
      timestamp: time(minute),
      type: 'event_msg',
      payload: { type: 'item_completed', turn_id: 't', item: { type: 'FileChange', id, status: 'completed', changes } },
    });
    const diff = (unified_diff: string) => ({ type: 'update', unified_diff, move_path: null });
    put(
      '.codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-0a.jsonl',
      jsonl(
        { timestamp: time(0), type: 'session_meta', payload: { id: '0a', cwd: root, timestamp: time(0) } },
        patch('c1', 1, { [at('made.txt')]: { type: 'add', content: 'x\ny\n' } }),
        patch('c2', 2, { [at('made.txt')]: diff('@@ -1,2 +1,2 @@\n x\n-y\n+z\n') }),
        patch('c3', 3, { [at('old.txt')]: diff('@@ -2,1 +2,2 @@\n-two\n+TWO\n+more\n') }),
        patch('c4', 4, { [at('changed.txt')]: diff('@@ -1,1 +1,1 @@\n-a\n+b\n') }),
        {
          timestamp: time(5),
          type: 'event_msg',
          payload: {
            type: 'patch_apply_end',
            call_id: 'c5',
            success: true,
            changes: { [at('removed.txt')]: { delete: { content: 'was here\n' } } },
          },
        },
        {
          timestamp: time(6),
          type: 'event_msg',
          payload: {
            type: 'patch_apply_end',
            call_id: 'c6',
            success: false,
            changes: { [at('old.txt')]: { delete: { content: 'no\n' } } },
          },
        },
      ),
    );
    write('old.txt', 'one\r\nTWO\nmore\nthree');
    write('changed.txt', 'a person wrote this\n');
    assert.deepEqual(told('codex'), [
      ['made.txt', 'x\ny\n', 'x\nz\n', 'transcript'],
      ['old.txt', 'one\r\ntwo\nthree', 'one\r\nTWO\nmore\nthree', 'transcript'],
      ['removed.txt', 'was here\n', 'absent', 'transcript'],
    ]);
    const lost = sessions('codex').flatMap(({ calls }) =>
      calls.flatMap(({ notCovered = [] }) => notCovered.map(({ path: file }) => path.relative(root, file))),
    );
    assert.deepEqual(lost, ['made.txt', 'changed.txt']);
  });

  it('Gemini and Qwen: the text with the result', () => {
    const { root, put, at, told } = setUp();
    const display = (name: string, originalContent: string, newContent: string) => ({
      filePath: at(name),
      originalContent,
      newContent,
    });
    put('.gemini/tmp/x/.project_root', root);
    const result = [
      { functionResponse: { id: 'k1', response: { output: 'Successfully created and wrote to new file: x' } } },
    ];
    put(
      '.gemini/tmp/x/chats/session-1.jsonl',
      jsonl(
        { sessionId: 'g1', startTime: time(0) },
        {
          id: 'q',
          type: 'gemini',
          timestamp: time(1),
          content: '',
          toolCalls: [
            { id: 'k1', name: 'write_file', status: 'success', result, resultDisplay: display('new.txt', '', 'x') },
            { id: 'k2', name: 'replace', status: 'success', resultDisplay: display('a.txt', 'a\r\n', 'b\r\n') },
            { id: 'k3', name: 'replace', status: 'error', resultDisplay: display('a.txt', 'no', 'no!') },
          ],
        },
      ),
    );
    assert.deepEqual(told('gemini'), [
      ['new.txt', 'absent', 'x', 'transcript'],
      ['a.txt', 'a\r\n', 'b\r\n', 'transcript'],
    ]);
    put(
      `.qwen/projects/x/chats/q1.jsonl`,
      jsonl({
        uuid: '1',
        parentUuid: null,
        type: 'tool_result',
        timestamp: time(1),
        cwd: root,
        message: { parts: [] },
        toolCallResult: { callId: 'c', status: 'success', resultDisplay: display('a.txt', 'a', 'b') },
      }),
    );
    assert.deepEqual(told('qwen'), [['a.txt', 'a', 'b', 'transcript']]);
  });

  it('Copilot CLI: its backups, checked by their hash', () => {
    const { root, put, at, told, write } = setUp();
    const hash = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
    const content = (bytes: string) => ({ kind: 'content', contentHash: hash(bytes), backupFile: hash(bytes) });
    const dir = '.copilot/session-state/s1';
    put(`${dir}/events.jsonl`, jsonl({ type: 'session.start', id: 'e', data: { context: { cwd: root } } }));
    const files = {
      1: { path: at('a.txt'), preimage: content('old\n'), postimage: content('new\n') },
      2: { path: at('b.txt'), preimage: content('spoiled\n'), postimage: { kind: 'absent' } },
      3: {
        path: at('c.txt'),
        preimage: { kind: 'absent' },
        postimage: { kind: 'content', contentHash: hash('made\n') },
      },
    };
    put(
      `${dir}/rewind-file-snapshots/index.json`,
      JSON.stringify({ snapshots: [{ snapshotId: 'x', eventId: 'e1', userMessage: 'go', timestamp: time(1), files }] }),
    );
    put(`${dir}/rewind-file-snapshots/backups/${hash('old\n')}`, 'old\n');
    put(`${dir}/rewind-file-snapshots/backups/${hash('spoiled\n')}`, 'something else');
    write('c.txt', 'made\n');
    assert.deepEqual(told('copilot-cli'), [
      ['a.txt', 'old\n', undefined, 'agent-backup'],
      ['c.txt', 'absent', 'made\n', 'agent-backup'],
    ]);
  });

  it('VS Code: what its chats kept, with and without a timeline', () => {
    const { root, put, at, told } = setUp();
    const dir = '.config/Code/User/workspaceStorage/w1';
    put(`${dir}/workspace.json`, JSON.stringify({ folder: `file://${root}` }));
    const request = { requestId: 'r1', timestamp: Date.parse(time(3)), message: { text: 'go' }, response: [] };
    put(`${dir}/chatSessions/c1.json`, JSON.stringify({ version: 3, sessionId: 'c1', requests: [request] }));
    const uri = (name: string) => `file://${at(name)}`;
    put(
      `${dir}/chatEditingSessions/c1/state.json`,
      JSON.stringify({
        version: 2,
        initialFileContents: [
          [uri('a.txt'), 'aaaaaaa'],
          [uri('evil.txt'), '../../../workspace.json'],
        ],
        recentSnapshot: {
          entries: [
            { resource: uri('a.txt'), currentHash: 'bbbbbbb' },
            { resource: uri('t.txt'), currentHash: 'ccccccc' },
          ],
        },
        timeline: {
          operations: [{ type: 'create', uri: { scheme: 'file', path: at('t.txt') } }],
          fileBaselines: [
            ['k1', { uri: { scheme: 'file', path: at('t.txt') }, requestId: 'r1', content: '', epoch: 1 }],
            ['k2', { uri: { scheme: 'file', path: at('t.txt') }, requestId: 'r2', content: 'first', epoch: 5 }],
          ],
        },
      }),
    );
    for (const [name, bytes] of [
      ['aaaaaaa', 'before\r\n'],
      ['bbbbbbb', 'after\r\n'],
      ['ccccccc', 'second'],
    ])
      put(`${dir}/chatEditingSessions/c1/contents/${name}`, bytes!);
    assert.deepEqual(told('vscode').sort(), [
      ['a.txt', 'before\r\n', 'after\r\n', 'agent-backup'],
      ['t.txt', 'absent', 'first', 'agent-backup'],
      ['t.txt', 'first', 'second', 'agent-backup'],
    ]);
  });

  it('Windsurf: the text of each change', () => {
    const { put, at, told } = setUp();
    put(
      '.windsurf/transcripts/w1.jsonl',
      jsonl(
        { type: 'user_input', user_input: { user_response: 'go' } },
        {
          type: 'code_action',
          code_action: { path: `file://${at('a.txt')}`, original_content: 'a', new_content: 'b' },
        },
        { type: 'code_action', code_action: { path: 'https://x/y', original_content: 'a', new_content: 'b' } },
      ),
    );
    assert.deepEqual(told('windsurf'), [['a.txt', 'a', 'b', 'transcript']]);
  });
});
