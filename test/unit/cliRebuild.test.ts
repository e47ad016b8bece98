import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { acquireLock } from '../../src/core/store/lock';
import { rootStores } from '../../src/core/store/stores';
import { anthropicComplaints, chainComplaints, openAiComplaints } from '../support/strictRules';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { assistant, bruteLine, deltaLine, user } from '../support/chains';

const chainOf = ({ root }: CliWorkspace, name = 'talk') =>
  path.join(root, '.system_generated', 'conversations', `${name}.jsonl`);

function put(workspace: CliWorkspace, ...lines: string[]): string {
  const file = chainOf(workspace);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, lines.join(''));
  return file;
}

const call = (id: string, name: string, input: object) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, name, arguments: input }],
});
const result = (id: string, content: string) => ({ role: 'tool', content, tool_call_id: id });

const three = () => [
  deltaLine('a', null, [user('Add up the cart'), assistant('Done.')]),
  deltaLine('b', 'a', [user('Now the receipt'), call('c1', 'Bash', { command: 'npm test' }), result('c1', 'ok')]),
  deltaLine('c', 'b', [assistant('The receipt is there.')]),
];

describe('rebuild on the command line', () => {
  it('is a no-op for what is small, and leaves the file as it was', async () => {
    const workspace = cliWorkspace();
    const file = put(workspace, ...three());
    const before = readFileSync(file, 'utf8');
    const { code, json } = await workspace.run('rebuild', 'talk', '--json');
    assert.equal(code, 0);
    const { messages, ...figures } = json;
    assert.deepEqual(figures, {
      at: 'c',
      fromCheckpoint: false,
      watermark: { id: 'a:0', index: 0 },
      summarizedCount: 0,
      keptCount: 6,
      tokensBefore: figures.tokensBefore,
      tokensAfter: figures.tokensBefore,
      noOp: true,
    });
    assert.deepEqual(messages, [
      user('Add up the cart'),
      assistant('Done.'),
      user('Now the receipt'),
      call('c1', 'Bash', { command: 'npm test' }),
      result('c1', 'ok'),
      assistant('The receipt is there.'),
    ]);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('keeps about as much as it is told, up to the point it is told', async () => {
    const workspace = cliWorkspace();
    put(workspace, ...three());
    const { json } = await workspace.run('rebuild', 'talk', '--at', 'b', '--keep-tokens', '1', '--json');
    assert.deepEqual(
      [json.at, json.watermark, json.summarizedCount, json.keptCount],
      ['b', { id: 'b:3', index: 3 }, 3, 2],
    );
    assert.equal(json.summary.by, 'digest');
    assert.match(json.summary.text, /Add up the cart/);
  });

  it('keeps as much as the person’s setting says where it is not told', async () => {
    const workspace = cliWorkspace();
    put(workspace, ...three());
    assert.equal((await workspace.run('rebuild', 'talk', '--at', 'b', '--json')).json.noOp, true);
    writeSettings(workspace.ports, { ...readSettings(workspace.ports), rebuild: { keepTokens: 1 } });
    const { json } = await workspace.run('rebuild', 'talk', '--at', 'b', '--json');
    assert.deepEqual([json.noOp, json.summarizedCount, json.keptCount], [false, 3, 2]);
  });

  it('prints Markdown by default, and the figures beside it', async () => {
    const workspace = cliWorkspace();
    put(workspace, ...three());
    const { stdout, stderr } = await workspace.run('rebuild', 'talk', '--keep-tokens', '1');
    assert.match(
      stdout,
      /^# talk\n[^]*# Summary of what was before\n\n## Requests\n- Add up the cart[^]*### Assistant\n\nThe receipt is there\.\n$/,
    );
    assert.match(stderr, /5 messages summarised, 1 kept; ≈ \d+ tokens before, ≈ \d+ after/);
  });

  it('gives messages that APIs accept', async () => {
    const workspace = cliWorkspace();
    put(workspace, ...three());
    const run = async (format: string) =>
      (await workspace.run('rebuild', 'talk', '--keep-tokens', '4', '--format', format)).json;
    assert.deepEqual(chainComplaints(await run('messages')), []);
    assert.deepEqual(openAiComplaints((await run('openai')).messages), []);
    assert.deepEqual(anthropicComplaints((await run('anthropic')).messages), []);
  });

  it('says exactly what happened to the files, from the checkpoints', async () => {
    const workspace = cliWorkspace();
    workspace.write('src/cart.ts', 'one\ntwo\nthree\n');
    workspace.write('gone.txt', 'x\n');
    const first = workspace.agentWrites({ 'src/cart.ts': 'one\n2\n3\nfour\n', 'gone.txt': undefined });
    const second = workspace.agentWrites({ 'src/cart.ts': 'one\n2\n3\n4\n', 'new.md': '# New\n' });
    workspace.write('new.md', '# Mine\n');
    put(
      workspace,
      deltaLine('a', null, [user('Change it'), assistant('Yes')], { files: [first, second] }),
      deltaLine('b', 'a', [user('Thanks')]),
    );
    const { json } = await workspace.run('rebuild', 'talk', '--keep-tokens', '1', '--json');
    const files = json.summary.text.split('## Files\n')[1].split('\n\n')[0].split('\n').sort();
    assert.deepEqual(files, [
      '- `gone.txt`: +0 −1, 1 edit; not there now',
      '- `new.md`: +1 −0, 1 edit; changed since',
      '- `src/cart.ts`: +4 −3, 2 edits; now as the agent left it',
    ]);
  });

  it('finds the checkpoints of an agent’s calls by the session and the call', async () => {
    const workspace = cliWorkspace();
    workspace.agentWrites({ 'a.txt': 'a\n' }, { session: 's' });
    const source = { source: { agent: 'claude-code', session: 's' } };
    put(
      workspace,
      deltaLine(
        'a',
        null,
        [user('Write'), call('call-1', 'Write', { file_path: 'a.txt' }), result('call-1', 'ok')],
        source,
      ),
      deltaLine('b', 'a', [user('Thanks')]),
    );
    const { json } = await workspace.run('rebuild', 'talk', '--keep-tokens', '1', '--json');
    assert.match(json.summary.text, /- `a\.txt`: \+1 −0, 1 edit; now as the agent left it/);
  });

  it('keeps the summary in the conversation on request, for the next rebuild', async () => {
    const workspace = cliWorkspace();
    const file = put(workspace, ...three());
    const before = readFileSync(file, 'utf8');
    const { json } = await workspace.run('rebuild', 'talk', '--keep-tokens', '4', '--distill', '--json');
    assert.ok(readFileSync(file, 'utf8').startsWith(before));
    const again = await workspace.run('rebuild', 'talk', '--json');
    assert.equal(again.json.at, json.distilled);
    assert.equal(again.json.checkpoint, json.distilled);
    assert.equal(again.json.fromCheckpoint, true);
    assert.deepEqual(again.json.messages, json.messages);
    // The conversation itself is the same.
    const resumed = await workspace.run('resume', 'talk', '--json');
    assert.deepEqual([resumed.json.id, resumed.json.messages.length], [json.distilled, 6]);
    const third = await workspace.run('rebuild', 'talk', '--distill', '--json');
    assert.equal(third.json.distilled, undefined, 'nothing new to keep');
  });

  it('reads full logs, and falls back where a watermark is on another branch', async () => {
    const workspace = cliWorkspace();
    const one = [user('one'), assistant('two')];
    put(
      workspace,
      bruteLine('a', null, 1, one),
      deltaLine('s', 'a', [], {
        kind: 'other',
        summary: { text: 'First', by: 'digest', watermark: { id: 'a:1', index: 1 } },
      }),
      bruteLine('b', 's', 2, [...one, user('three')]),
      deltaLine('t', 'b', [], {
        kind: 'other',
        summary: { text: 'Elsewhere', by: 'digest', watermark: { id: 'x:2', index: 2 } },
      }),
    );
    const { json } = await workspace.run('rebuild', 'talk', '--json');
    assert.deepEqual(
      [json.checkpoint, json.watermark, json.keptCount, json.summary.text],
      ['s', { id: 'a:1', index: 1 }, 2, 'First'],
    );
  });

  it('refuses a damaged conversation with the reason, unless it is asked for what is left', async () => {
    const workspace = cliWorkspace();
    put(
      workspace,
      deltaLine('a', null, [user('one')]),
      '{"id":"b","parent_id":"a","delta":true,"messages":\n',
      deltaLine('c', 'b', [user('three')]),
    );
    const refused = await workspace.run('rebuild', 'talk', '--json');
    assert.deepEqual([refused.code, refused.json.error.reason], [1, 'damaged']);
    const partial = await workspace.run('rebuild', 'talk', '--partial', '--json');
    assert.deepEqual([partial.code, partial.json.messages], [0, [user('three')]]);
  });

  it('waits for a checkpoint that is being written, and says who holds it up', async () => {
    const workspace = cliWorkspace();
    const file = put(workspace, ...three());
    const stores = rootStores(workspace.ports, workspace.root);
    const lock = acquireLock(workspace.ports, { ...stores, root: file }, 'writing');
    const held = await workspace.run('rebuild', 'talk', '--json');
    lock.release();
    assert.deepEqual([held.code, held.json.error.reason], [1, 'locked']);
    assert.equal((await workspace.run('rebuild', 'talk', '--json')).code, 0);
  });

  it('understands its words', async () => {
    const workspace = cliWorkspace();
    put(workspace, ...three());
    for (const words of [
      ['talk', '--keep-tokens', '-5'],
      ['talk', '--keep-tokens', 'many'],
      ['talk', '--format', 'xml'],
      [],
      ['../talk'],
    ]) {
      const { code } = await workspace.run('rebuild', ...words);
      assert.equal(code, words[0] === '../talk' ? 1 : 2, words.join(' '));
    }
    assert.equal((await workspace.run('rebuild', 'talk', '--at', 'nowhere', '--json')).json.error.reason, 'not-found');
    const empty = await workspace.run('rebuild', 'nobody', '--json');
    assert.deepEqual([empty.code, empty.json.messages, empty.json.noOp], [0, [], true]);
  });
});
