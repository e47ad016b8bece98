import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { assistant, bruteLine, deltaLine, user } from '../support/chains';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';

describe('conversations, conversation, resume and fork', () => {
  let workspace: CliWorkspace;
  const file = (name: string) => workspace.file(`.system_generated/conversations/${name}`);

  beforeEach(() => {
    workspace = cliWorkspace();
    fs.mkdirSync(path.dirname(file('x')), { recursive: true });
    const files = ['20261130T110501028Z-k3v9x2m4qa', '../../x'];
    fs.writeFileSync(
      file('chat.jsonl'),
      bruteLine('a', null, 1, [user('one')]) +
        bruteLine('b', 'a', 2, [user('one'), assistant('two')]) +
        '{"torn\n' +
        deltaLine('c', 'a', [assistant('other')], {
          files,
          source: { agent: 'pi', session: 's' },
          ts: '2026-11-30T10:00:00.000Z',
        }) +
        deltaLine('d', 'gone', [user('lost')]),
    );
  });

  it('conversations has exactly the keys of the contract', async () => {
    const { code, json, stderr } = await workspace.run('conversations', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    const expected = {
      id: 'chat',
      agent: 'pi',
      session: 's',
      nodes: 4,
      forks: 1,
      leaf: 'd',
      damaged: 1,
      updatedAt: '2026-11-30T10:00:00.000Z',
    };
    assert.deepEqual(json, { conversations: [expected] });
    assert.match((await workspace.run('conversations')).stdout, /chat +4 checkpoints, 1 fork, 1 damaged line/);
  });

  it('conversation lists nodes, leaf and damage', async () => {
    const { code, json } = await workspace.run('conversation', 'chat', '--json');
    assert.equal(code, 0);
    const node = (
      id: string,
      parent: string | null,
      ts: string | null,
      iteration: number | null,
      messages: number,
    ) => ({ id, parent_id: parent, ts, iteration, files: [], messages });
    assert.deepEqual(json.nodes, [
      node('a', null, '2026-07-01T10:00:00Z', 1, 1),
      node('b', 'a', '2026-07-01T10:00:00Z', 2, 2),
      { ...node('c', 'a', '2026-11-30T10:00:00.000Z', null, 2), files: ['20261130T110501028Z-k3v9x2m4qa'] },
      { ...node('d', null, null, null, 1), incomplete: true },
    ]);
    assert.equal(json.leaf, 'd');
    assert.deepEqual(
      json.damaged.map(({ line }: { line: number }) => line),
      [3],
    );
    const { stdout } = await workspace.run('conversation', 'chat');
    assert.match(stdout, /\[fork\]/);
    assert.match(stdout, /line 3: not JSON/);
  });

  it('resume gives the messages of a path, and fails on a damaged one unless asked for a part', async () => {
    assert.deepEqual((await workspace.run('resume', 'chat', '--at', 'c', '--json')).json, {
      id: 'c',
      messages: [user('one'), assistant('other')],
    });
    for (const at of [[], ['--at', 'latest'], ['--at', 'd']]) {
      const { code, json } = await workspace.run('resume', 'chat', ...at, '--json');
      assert.deepEqual([code, json.error.reason], [1, 'damaged']);
    }
    assert.deepEqual((await workspace.run('resume', 'chat', '--partial', '--json')).json, {
      id: 'd',
      messages: [user('lost')],
    });
    const { code, json } = await workspace.run('resume', 'chat', '--at', 'nope', '--json');
    assert.deepEqual([code, json.error.reason], [1, 'not-found']);
    assert.match((await workspace.run('resume', 'chat', '--at', 'b')).stdout, /^user:\none\n\nassistant:\ntwo$/m);
  });

  it('fork makes an earlier checkpoint the one that is resumed, and rewrites nothing', async () => {
    const before = fs.readFileSync(file('chat.jsonl'), 'utf8');
    assert.deepEqual((await workspace.run('fork', 'chat', '--at', 'b', '--json')).json, {
      conversation: 'chat',
      id: 'b',
    });
    assert.equal((await workspace.run('resume', 'chat', '--json')).json.id, 'b');
    assert.equal(fs.readFileSync(file('chat.jsonl'), 'utf8'), before);
    const missing = await workspace.run('fork', 'chat', '--at', 'nope', '--json');
    assert.deepEqual([missing.code, missing.json.error.reason], [1, 'not-found']);
    assert.equal((await workspace.run('fork', 'chat')).code, 2);
  });

  it('a missing conversation is an empty list; a bad name is refused', async () => {
    const { code, json, stderr } = await workspace.run('conversation', 'none', '--json');
    assert.deepEqual([code, json], [0, { nodes: [], leaf: null, damaged: [] }]);
    assert.match(stderr, /no conversation none/);
    assert.deepEqual((await workspace.run('resume', 'none', '--json')).json, { id: null, messages: [] });
    assert.equal((await workspace.run('fork', 'none', '--at', 'latest')).code, 1);
    for (const bad of ['../chat', '.chat', 'a/b', '']) {
      const refused = await workspace.run('conversation', bad, '--json');
      assert.deepEqual([refused.code, refused.json.error.reason], [1, 'bad-id'], bad);
    }
  });

  it('one that cannot be read does not hide the others, and text does not act on the terminal', async () => {
    fs.symlinkSync(file('chat.jsonl'), file('link.jsonl'));
    fs.writeFileSync(file('evil.jsonl'), bruteLine('\u001b[2J', null, 1, [user('\u001b]0;x\u0007\u202e')]));
    const { json } = await workspace.run('conversations', '--json');
    assert.deepEqual(json.conversations.map(({ id }: { id: string }) => id).sort(), ['chat', 'evil']);
    for (const argv of [['conversation', 'evil'], ['resume', 'evil'], ['conversations']]) {
      const { stdout, stderr } = await workspace.run(...argv);
      assert.doesNotMatch(stdout + stderr, /[\u001b\u0007\u202e]/, argv.join(' '));
    }
  });
});
