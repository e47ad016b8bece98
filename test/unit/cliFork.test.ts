import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { user, assistant, deltaLine } from '../support/chains';
import { cliWorkspace } from '../support/cliRunner';
import { temporaryRoot } from '../support/ports';

describe('fork --agent-session', () => {
  const home = () => temporaryRoot('home');

  function talk(agent = 'claude-code') {
    const workspace = cliWorkspace();
    const env = { HOME: home() };
    const source = { agent, session: 's' };
    workspace.write(
      '.system_generated/conversations/talk.jsonl',
      deltaLine('a', null, [user('one')], { source: { ...source, entry: 'a' } }) +
        deltaLine('b', 'a', [assistant('two')], { source: { ...source, entry: 'b' } }) +
        deltaLine('c', 'b', [user('three'), assistant('four')], { source: { ...source, entry: 'c' } }),
    );
    const run = (...argv: string[]) => workspace.runIn({ env }, 'fork', 'talk', ...argv);
    return { workspace, env, run };
  }

  it('says where the session is and how its agent is started, and leaves the conversation as it is', async () => {
    const { workspace, env, run } = talk();
    const chain = '.system_generated/conversations/talk.jsonl';
    const before = workspace.read(chain);
    const { code, json } = await run('--at', 'b', '--agent-session', '--json');
    assert.equal(code, 0);
    const { session } = json;
    const project = workspace.root.replace(/[^a-zA-Z0-9]/g, '-');
    assert.deepEqual(json, {
      conversation: 'talk',
      id: 'b',
      agent: 'claude-code',
      session,
      file: path.join(env.HOME, '.claude', 'projects', project, `${session}.jsonl`),
      cwd: workspace.root,
      from: 'messages',
      command: ['claude', '--resume', session],
    });
    const texts = fs.readFileSync(json.file, 'utf8').match(/"text":"[^"]+"/g);
    assert.deepEqual(texts, ['"text":"one"', '"text":"two"']);
    assert.equal(workspace.read(chain), before);
    assert.equal(workspace.read('.system_generated/conversations/talk.head'), undefined);
    const { stdout } = await run('--at', 'latest', '--agent-session');
    assert.match(stdout, /Go on with it in .*:\n {2}claude --resume [0-9a-f-]{36}\n$/);
  });

  it('carries a rebuilt context where that is asked for', async () => {
    const { run } = talk();
    const { code, json } = await run('--at', 'c', '--agent-session', '--rebuilt', '--keep-tokens', '1', '--json');
    assert.equal(code, 0);
    const text = fs.readFileSync(json.file, 'utf8');
    assert.match(text, /context summary: agent-checkpoints.*## Requests/);
    assert.match(text, /"text":"four"/);
  });

  it('has options that only go together', async () => {
    const { run } = talk();
    for (const words of [['--rebuilt'], ['--agent-session', '--keep-tokens', '5'], ['--agent-session', '--at', '']])
      assert.equal((await run('--at', 'b', ...words)).code, 2, words.join(' '));
    assert.equal((await run('--at', 'b', '--agent-session', '--rebuilt', '--keep-tokens', 'x')).code, 2);
  });

  it('fails with the reason where the agent takes no session, and writes nothing', async () => {
    const { env, run } = talk('cursor');
    const { code, json } = await run('--at', 'b', '--agent-session', '--json');
    assert.deepEqual([code, json.error.reason], [1, 'failed']);
    assert.match(json.error.message, /cursor.*`rebuild`/);
    assert.deepEqual(fs.readdirSync(env.HOME), []);
  });
});
