import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { confirmationOf, invokeTool } from '../../src/host/lm/call';
import { definitions } from '../../src/host/lm/mcpServers';
import { Registration } from '../../src/host/observe/registration';
import { toolNames, type ToolName } from '../../src/tools/names';
import { agentWrites, at, eventually, folder, read, reset, testing, uriOf, write } from './support/testing';

/* eslint-disable @typescript-eslint/no-explicit-any */

async function enable(on: boolean | undefined): Promise<void> {
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration().update('agentCheckpoints.enabled', on, Global);
}

/** Calls the tool as a model does; a restore is confirmed, since dialogs are answered so under test. */
async function call(name: ToolName, input: object = {}): Promise<{ texts: string[]; json: any }> {
  const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  const texts = content.map((part) => (part as vscode.LanguageModelTextPart).value);
  return { texts, json: JSON.parse(texts.at(-1)!) };
}

const newest = async (): Promise<string> => (await call('checkpoint_list', { limit: 1 })).json.checkpoints[0].id;

describe('the tools of language models', () => {
  before(() => enable(true));
  beforeEach(reset);
  after(() => enable(undefined));

  it('are offered under their names', async () => {
    const isOffered = (wanted: string) => vscode.lm.tools.some(({ name }) => name === wanted);
    await eventually('all tools are offered', () => toolNames.every(isOffered));
  });

  it('list and compare what an agent did', async () => {
    write('a.txt', 'one\n');
    await agentWrites({ 'a.txt': 'two\n' });
    const id = await newest();
    const { json } = await call('checkpoint_diff', { id });
    assert.deepEqual(
      json.files.map(({ path, added, removed }: any) => [path, added, removed]),
      [['a.txt', 1, 1]],
    );
  });

  it('plan a restore, and carry it out when it is confirmed', async () => {
    write('a.txt', 'one\n');
    await agentWrites({ 'a.txt': 'two\n', 'new.txt': 'new\n' });
    const id = await newest();
    const plan = await call('checkpoint_restore', { id });
    assert.deepEqual([plan.json.dryRun, plan.json.restored, plan.json.deleted], [true, ['a.txt'], ['new.txt']]);
    assert.deepEqual([read('a.txt'), read('new.txt')], ['two\n', 'new\n']);
    const done = await call('checkpoint_restore', { id, confirm: true });
    assert.deepEqual([read('a.txt'), read('new.txt')], ['one\n', undefined]);
    await call('checkpoint_restore', { id: done.json.guard, confirm: true });
    assert.deepEqual([read('a.txt'), read('new.txt')], ['two\n', 'new\n']);
  });

  it('show the person what is written, removed and left alone, and nothing for a plan', async () => {
    const host = await toolHost();
    write('a.txt', 'one\n');
    write('mine.txt', 'm\n');
    await agentWrites({ 'a.txt': 'two\n', 'new <b>.txt': 'new\n', 'mine.txt': 'agent\n' });
    write('mine.txt', 'the person\n');
    const id = await newest();
    assert.equal(confirmationOf(host, 'checkpoint_restore', { id }), undefined);
    assert.equal(confirmationOf(host, 'checkpoint_restore', { id: '../x', confirm: true }), undefined);
    assert.equal(confirmationOf(host, 'checkpoint_list', {}), undefined);
    const { message } = confirmationOf(host, 'checkpoint_restore', { id, confirm: true })!;
    const text = (message as vscode.MarkdownString).value.replaceAll('&nbsp;', ' ');
    assert.match(text, /a\\?\.txt: restored/);
    assert.match(text, /new.*removed/);
    assert.match(text, /Left alone[^]*mine\\?\.txt/);
    assert.ok(!text.includes('<b>'));
  });

  it('carry out only what was shown', async () => {
    const host = await toolHost();
    write('a.txt', 'one\n');
    await agentWrites({ 'a.txt': 'two\n' });
    const input = { id: await newest(), confirm: true, onConflict: 'overwrite' };
    assert.ok(confirmationOf(host, 'checkpoint_restore', input));
    write('a.txt', 'a person was here\n');
    assert.ok(confirmationOf(host, 'checkpoint_restore', { ...input, onConflict: 'refuse' }));
    fs.rmSync(at('a.txt'));
    assert.throws(() => invokeTool(host, 'checkpoint_restore', input), /changed after the plan was shown/);
    assert.equal(read('a.txt'), undefined);
  });

  it('carry out nothing that was not shown', async () => {
    const host = await toolHost();
    write('a.txt', 'one\n');
    await agentWrites({ 'a.txt': 'two\n' });
    const input = { id: await newest(), confirm: true };
    assert.throws(() => invokeTool(host, 'checkpoint_restore', input), /has not seen this plan/);
    assert.equal(read('a.txt'), 'two\n');
    assert.ok(confirmationOf(host, 'checkpoint_restore', input));
    invokeTool(host, 'checkpoint_restore', input);
    assert.equal(read('a.txt'), 'one\n');
  });

  it('do not write under unsaved text', async () => {
    write('a.txt', 'one\n');
    await agentWrites({ 'a.txt': 'two\n' });
    const id = await newest();
    const document = await vscode.workspace.openTextDocument(uriOf('a.txt'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'typed ');
    assert.ok(await vscode.workspace.applyEdit(edit));
    const { json } = await call('checkpoint_restore', { id, confirm: true, onConflict: 'overwrite' });
    assert.deepEqual([json.restored, read('a.txt'), document.getText()], [[], 'two\n', 'typed two\n']);
  });

  it('create a checkpoint', async () => {
    write('a.txt', 'one\n');
    const { json } = await call('checkpoint_create', { label: 'Before', paths: ['a.txt'] });
    assert.equal(await newest(), json.id);
  });

  it('refuse what is wrong, other folders, and everything while capture is off', async () => {
    await agentWrites({ 'a.txt': 'x' });
    const id = await newest();
    await assert.rejects(call('checkpoint_restore', { id: 'x', confirm: true }));
    await assert.rejects(call('checkpoint_list', { root: '/' }), /not an open folder/);
    await assert.rejects(call('checkpoint_list', { nothing: 1 }), /There is no argument/);
    assert.equal((await call('checkpoint_list', { root: folder() })).json.checkpoints.length, 1);
    await enable(false);
    await assert.rejects(
      async () => call('checkpoint_restore', { id, confirm: true }),
      /turned off|unknown|not found|was not/i,
    );
    assert.equal(read('a.txt'), 'x');
    await enable(true);
  });

  it('are an MCP server too, where VS Code has the API, while capture is on', async function () {
    if (!('McpStdioServerDefinition' in vscode)) return this.skip();
    const host = await testing();
    const [server, ...others] = definitions(host);
    assert.deepEqual(others, []);
    assert.deepEqual(server!.args.slice(1), ['mcp', '--root', fs.realpathSync(folder())]);
    await enable(false);
    assert.deepEqual(definitions(host), []);
    await enable(true);
  });
});

async function toolHost() {
  const parts = await testing();
  const registration = new Registration(parts.ports, parts.roots, parts.log);
  return { ...parts, registration };
}
