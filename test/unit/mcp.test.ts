// The server of the Model Context Protocol, as agents start it: the built program, and a real client over its stdio.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { registerRoots } from '../../src/core/state/roots';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { builtCli } from '../support/cliBundle';
import { cliWorkspace, type CliWorkspace } from '../support/cliRunner';
import { connected, disconnectAll } from '../support/mcpClient';
import { temporaryRoot } from '../support/ports';

/* eslint-disable @typescript-eslint/no-explicit-any */

describe('the MCP server', function () {
  let workspace: CliWorkspace;
  beforeEach(() => (workspace = cliWorkspace()));
  afterEach(disconnectAll);

  function twoTurns() {
    workspace.write('a.txt', 'one\n');
    workspace.prompt('First', { turn: 'turn-1' });
    const first = workspace.agentWrites({ 'a.txt': 'two\n', 'src/new.txt': 'new\n' }, { turn: 'turn-1' });
    workspace.endTurn({ turn: 'turn-1' });
    const second = workspace.agentWrites({ 'b.txt': 'b\n' }, { turn: 'turn-2', session: 'session-2' });
    workspace.endTurn({ turn: 'turn-2', session: 'session-2' });
    return { first, second };
  }

  it('offers its tools with strict schemas', async () => {
    const { client, noise } = await connected(workspace);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations, inputSchema }) => [
        name,
        annotations?.readOnlyHint,
        inputSchema['additionalProperties'],
      ]),
      [
        ['checkpoint_list', true, false],
        ['checkpoint_diff', true, false],
        ['checkpoint_restore', false, false],
        ['checkpoint_create', true, false],
        ['rebuild_context', true, false],
      ],
    );
    assert.equal(client.getServerVersion()?.name, 'agent-checkpoints');
    assert.deepEqual(noise, []);
  });

  it('gives what the command line gives', async () => {
    const { first } = twoTurns();
    const { call } = await connected(workspace);
    assert.deepEqual((await call('checkpoint_list')).json, (await workspace.run('list', '--json')).json);
    assert.deepEqual(
      (await call('checkpoint_diff', { id: first })).json,
      (await workspace.run('diff', first, '--json')).json,
    );
    assert.deepEqual(
      (await call('checkpoint_diff', { id: first, path: 'src' })).json,
      (await workspace.run('diff', first, 'src', '--json')).json,
    );
    assert.deepEqual(
      (await call('checkpoint_list', { file: 'a.txt', session: 'session-1' })).json.checkpoints.map(
        ({ id }: any) => id,
      ),
      [first],
    );
    const plan = await call('checkpoint_restore', { id: first });
    assert.deepEqual(plan.json, (await workspace.run('restore', first, '--dry-run', '--json')).json);
  });

  it('pages through the list', async () => {
    const { first, second } = twoTurns();
    const { call } = await connected(workspace);
    const { json } = await call('checkpoint_list', { limit: 1 });
    assert.deepEqual([json.checkpoints.length, json.checkpoints[0].id, json.next], [1, second, second]);
    const rest = await call('checkpoint_list', { limit: 100, cursor: json.next });
    assert.deepEqual([rest.json.checkpoints.map(({ id }: any) => id), rest.json.next], [[first], undefined]);
  });

  it('restores only when it is told to, and what it did can be undone', async () => {
    const { first } = twoTurns();
    const { call } = await connected(workspace);
    for (const args of [{}, { confirm: false }, { dryRun: true }, { confirm: true, dryRun: true }]) {
      const { texts, json } = await call('checkpoint_restore', { id: first, ...args });
      assert.match(texts[0]!, /1 would be restored, 2 would be removed.*nothing was changed/i);
      assert.deepEqual(
        [json.restored, json.deleted, json.dryRun, json.guard],
        [['a.txt'], ['src', 'src/new.txt'], true, null],
      );
      assert.deepEqual([workspace.read('a.txt'), workspace.read('src/new.txt')], ['two\n', 'new\n']);
    }
    const done = await call('checkpoint_restore', { id: first, confirm: true });
    assert.deepEqual([workspace.read('a.txt'), workspace.read('src/new.txt')], ['one\n', undefined]);
    assert.deepEqual(done.json.restored, ['a.txt']);
    const [guard] = (await call('checkpoint_list', { limit: 1 })).json.checkpoints;
    assert.equal(guard.id, done.json.guard);
    assert.match(guard.label, /asked for by an agent/);
    await call('checkpoint_restore', { id: done.json.guard, dryRun: false });
    assert.deepEqual([workspace.read('a.txt'), workspace.read('src/new.txt')], ['two\n', 'new\n']);
  });

  it("leaves a person's work alone unless it is told otherwise", async () => {
    const { first } = twoTurns();
    workspace.write('a.txt', 'mine\n');
    const { call } = await connected(workspace);
    const refused = await call('checkpoint_restore', { id: first, confirm: true });
    assert.deepEqual(
      refused.json.conflicts.map(({ path: file }: any) => file),
      ['a.txt'],
    );
    assert.equal(workspace.read('a.txt'), 'mine\n');
    const { json } = await call('checkpoint_restore', { id: first, onConflict: 'overwrite', confirm: true });
    assert.equal(workspace.read('a.txt'), 'one\n');
    await call('checkpoint_restore', { id: json.guard, confirm: true });
    assert.equal(workspace.read('a.txt'), 'mine\n');
  });

  it('creates a checkpoint that puts files back', async () => {
    workspace.write('a.txt', 'one\n');
    const { call } = await connected(workspace);
    const { json } = await call('checkpoint_create', { label: 'before', paths: ['a.txt'] });
    workspace.write('a.txt', 'broken\n');
    await call('checkpoint_restore', { id: json.id, onConflict: 'overwrite', confirm: true });
    assert.equal(workspace.read('a.txt'), 'one\n');
  });

  it('refuses input of another form, and stays alive', async () => {
    const { first } = twoTurns();
    const { call, client } = await connected(workspace);
    const before = workspace.read('a.txt');
    for (const [name, args, message] of [
      ['checkpoint_list', { limit: 1e9 }, /limit has to be a whole number from 1 to 100/],
      ['checkpoint_list', { limit: '5' }, /limit has to be/],
      ['checkpoint_list', { files: 'a.txt' }, /There is no argument "files"/],
      ['checkpoint_list', { __proto__x: 1, constructor: 1 }, /There is no argument/],
      ['checkpoint_list', { cursor: '../../etc' }, /checkpoint/],
      ['checkpoint_list', { file: '../elsewhere' }, /is not inside/],
      ['checkpoint_list', { file: 'x'.repeat(5000) }, /file has to be a text/],
      ['checkpoint_diff', {}, /id is missing/],
      ['checkpoint_diff', { id: '../../../../etc/passwd' }, /checkpoint/],
      ['checkpoint_diff', { id: first, path: '/etc/passwd' }, /is not inside/],
      ['checkpoint_restore', { id: first, confirm: 'true' }, /confirm has to be true or false/],
      ['checkpoint_restore', { id: first, mode: 'everything' }, /mode has to be one of/],
      ['checkpoint_restore', { id: first, foreign: true, confirm: true }, /There is no argument "foreign"/],
      ['checkpoint_restore', { id: first, file: 'a\0b', confirm: true }, /is not a path/],
      ['checkpoint_create', { paths: ['../../etc/passwd'] }, /is not inside/],
      ['checkpoint_create', { paths: [1] }, /paths has to be a list/],
      ['rebuild_context', { conversation: '../x' }, /conversation/],
      ['no_such_tool', {}, /There is no tool/],
    ] as const) {
      const { isError, texts } = await call(name, args);
      assert.ok(isError, JSON.stringify([name, args]));
      assert.match(texts[0]!, message);
    }
    assert.equal(workspace.read('a.txt'), before);
    await assert.rejects(client.callTool({ name: 'checkpoint_list', arguments: [] as any }));
    assert.equal((await call('checkpoint_list')).isError, false);
  });

  it('knows only the roots that have checkpoints', async () => {
    const { first } = twoTurns();
    const other = cliWorkspace();
    other.write('secret.txt', 'x');
    const empty = temporaryRoot('empty');
    const { call } = await connected({ ...other, ports: workspace.ports }, other.root);
    assert.equal((await call('checkpoint_list', { root: workspace.root })).json.checkpoints.at(-1).id, first);
    for (const root of [empty, '/', '/etc', path.dirname(workspace.root), path.join(workspace.root, 'a.txt')]) {
      const { isError, texts } = await call('checkpoint_create', { root, paths: ['.'] });
      assert.ok(isError, root);
      assert.match(texts[0]!, /is not a folder with checkpoints/);
    }
    assert.deepEqual(fs.readdirSync(empty), []);
    registerRoots(workspace.ports, [empty]);
    assert.deepEqual((await call('checkpoint_list', { root: empty })).json, { checkpoints: [], damaged: [] });
  });

  it("does not restore from a stranger's checkpoint", async () => {
    const { first } = twoTurns();
    const stranger = cliWorkspace();
    fs.cpSync(path.join(workspace.root, '.system_generated'), path.join(stranger.root, '.system_generated'), {
      recursive: true,
    });
    stranger.write('a.txt', 'two\n');
    const { call } = await connected(stranger);
    const { isError, texts } = await call('checkpoint_restore', { id: first, confirm: true });
    assert.ok(isError);
    assert.match(texts[0]!, /Only the person can restore from it/);
    assert.equal(stranger.read('a.txt'), 'two\n');
  });

  it('bounds its answers and says what is missing', async () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    workspace.prompt('p'.repeat(15_000));
    const big = workspace.agentWrites({ 'big.txt': lines('line'), 'also.txt': lines('other') });
    const many = workspace.agentWrites(
      Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`many/${i}.txt`, `${i}\n`])),
    );
    const { call } = await connected(workspace);
    const list = await call('checkpoint_list');
    assert.ok(list.texts[0]!.length < 150_000);
    const [newest, older] = list.json.checkpoints;
    assert.deepEqual([newest.id, newest.entries.length, newest.moreEntries], [many, 50, 71]);
    assert.match(older.prompt, /^p{500}… \(1500 more characters\)$/);
    const diff = await call('checkpoint_diff', { id: big });
    assert.ok(diff.texts[0]!.length < 200_000);
    assert.match(diff.json.files[0].patch, /more characters\)$/);
    assert.deepEqual([diff.json.files[1].patch, diff.json.files[1].patchLeftOut], [undefined, true]);
    assert.match(diff.json.cut, /1 patches are left out: name a file/);
  });

  it('rebuilds the newest conversation', async () => {
    const chain = path.join(workspace.root, '.system_generated', 'conversations');
    fs.mkdirSync(chain, { recursive: true });
    const messages = [
      { role: 'user', content: 'What is 6 times 7?' },
      { role: 'assistant', content: 'It is 42.' },
    ];
    const record = { id: 'c1', parent_id: null, ts: '2026-01-01T00:00:00.000Z', iteration: 1, messages };
    fs.writeFileSync(path.join(chain, 'talk.jsonl'), `${JSON.stringify(record)}\n`);
    const { call } = await connected(workspace);
    const { texts, json } = await call('rebuild_context');
    assert.match(texts[0]!, /What is 6 times 7\?[^]*It is 42\./);
    const own = (await workspace.run('rebuild', 'talk', '--json')).json;
    for (const key of ['at', 'keptCount', 'tokensAfter', 'noOp', 'watermark'])
      assert.deepEqual(json[key], own[key], key);
    assert.equal(json.conversation, 'talk');
    assert.match((await call('rebuild_context', { conversation: 'other' })).texts[0]!, /no conversation other/);
  });

  it('offers nothing while checkpoints are turned off', async () => {
    const { first } = twoTurns();
    const { call, client } = await connected(workspace);
    writeSettings(workspace.ports, { ...readSettings(workspace.ports), enabled: false });
    assert.deepEqual((await client.listTools()).tools, []);
    assert.match((await call('checkpoint_diff', { id: first })).texts[0]!, /turned off/);
  });

  it('prints nothing but the protocol, whatever it is sent, and ends with its input', async () => {
    const { root, ports } = workspace;
    const env = { ...process.env, AGENT_CHECKPOINTS_HOME: ports.stateDir, NODE_DEBUG: '' };
    const child = spawn(process.execPath, [builtCli(), 'mcp'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const send = (message: unknown) =>
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    send('not json');
    send('{"jsonrpc":"2.0"}');
    send({ jsonrpc: '2.0', id: 1, method: 'no/such/method' });
    const clientInfo = { name: 'x', version: '1' };
    send({
      jsonrpc: '2.0',
      id: 2,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    });
    send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'checkpoint_diff', arguments: { id: 'x' } } });
    child.stdin.end();
    assert.equal(await ended, 0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      answers.map(({ jsonrpc, id }) => [jsonrpc, id]),
      [
        ['2.0', 1],
        ['2.0', 2],
        ['2.0', 3],
      ],
    );
    assert.equal((await workspace.run('mcp', '--json')).code, 2);
    assert.equal((await workspace.run('mcp', 'x')).code, 2);
  });
});
