// One context, wherever it is asked for: through the API, by a language model, on the command line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import * as vscode from 'vscode';
import type { RebuildContextEvent } from '../../src/host/api';
import { extension, folder, reset, testing, write } from './support/testing';

const node = (at: number, said: string, answer: string) => ({
  id: `node-${at}`,
  parent_id: at === 0 ? null : `node-${at - 1}`,
  ts: '2026-07-01T10:00:00.000Z',
  v: 1,
  delta: true,
  messages: [
    { role: 'user', content: said },
    { role: 'assistant', content: answer },
  ],
});

const figures = ['fromCheckpoint', 'watermark', 'summarizedCount', 'keptCount', 'tokensBefore', 'tokensAfter', 'noOp'];
const figuresIn = (result: object) => Object.entries(result).filter(([key]) => figures.includes(key));

describe('a rebuilt context', () => {
  const told: RebuildContextEvent[] = [];
  let listener: vscode.Disposable;

  before(async () => {
    await vscode.workspace
      .getConfiguration()
      .update('agentCheckpoints.enabled', true, vscode.ConfigurationTarget.Global);
    listener = (await extension().activate()).onDidRebuildContext((event) => void told.push(event));
  });
  beforeEach(async () => {
    await reset();
    told.length = 0;
    const lines = [node(0, 'Which shelves?', 'Many. '.repeat(500)), node(1, 'Which is the last?', 'At the door.')];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    write('.system_generated/conversations/shelves.jsonl', text);
  });
  after(async () => {
    listener.dispose();
    await vscode.workspace
      .getConfiguration()
      .update('agentCheckpoints.enabled', undefined, vscode.ConfigurationTarget.Global);
  });

  it('is the same for other extensions, language models and the command line', async () => {
    const api = await extension().activate();
    const ours = await api.rebuildContext({ keepTokens: 1 });
    assert.deepEqual([ours.conversation, ours.summarizedCount, ours.keptCount], ['shelves', 3, 1]);
    assert.match(ours.markdown, /- Which shelves\?[^]*At the door\.\n$/);

    const { content } = await vscode.lm.invokeTool('rebuild_context', {
      input: { keepTokens: 1 },
      toolInvocationToken: undefined,
    });
    const [markdown, json] = content.map((part) => (part as vscode.LanguageModelTextPart).value);
    assert.equal(markdown, ours.markdown);
    assert.deepEqual(figuresIn(JSON.parse(json!)), figuresIn(ours));

    const cli = path.join(extension().extensionPath, 'dist', 'cli.js');
    const { ports } = await testing();
    const args = ['rebuild', 'shelves', '--keep-tokens', '1', '--root', folder()];
    const run = (...more: string[]) =>
      execFileSync(process.execPath, [cli, ...args, ...more], {
        encoding: 'utf8',
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', AGENT_CHECKPOINTS_HOME: ports.stateDir },
      });
    assert.deepEqual(figuresIn(JSON.parse(run('--json'))), figuresIn(ours));
    assert.equal(run('--format', 'markdown').trimEnd(), ours.markdown.trimEnd());
  });

  it('is told of with its figures', async () => {
    const api = await extension().activate();
    const { messages: _messages, markdown: _markdown, ...rest } = await api.rebuildContext({ keepTokens: 1 });
    assert.equal(told.length, 1);
    assert.deepEqual([told[0]!.reason, told[0]!.conversation], ['rebuild', 'shelves']);
    assert.deepEqual(figuresIn(told[0]!), figuresIn(rest));
  });

  it('is refused where there is no such conversation', async () => {
    const api = await extension().activate();
    await assert.rejects(api.rebuildContext({ conversation: 'nobody' }), /nobody/);
    await assert.rejects(api.rebuildContext({ keepTokens: '1' as unknown as number }), TypeError);
    assert.deepEqual(told, []);
  });
});
