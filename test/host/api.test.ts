import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import {
  Answers,
  at,
  eventually,
  extension,
  read,
  reset,
  rowsOf,
  testing,
  turns,
  uriOf,
  write,
} from './support/testing';

const apiUser = path.join(extension().extensionPath, 'test/host/fixtures/api-user/extension.js');

async function enable(on: boolean | undefined): Promise<void> {
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration().update('agentCheckpoints.enabled', on, Global);
}

async function type(name: string, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uriOf(name));
  await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  return document;
}

async function restoreNewest(answers = ['Restore']): Promise<Answers> {
  const { dialogs } = await testing();
  const given = new Answers(answers);
  dialogs.use(given);
  await vscode.commands.executeCommand('agentCheckpoints.restoreTurn', (await turns())[0]);
  return given;
}

describe('the API for other extensions', () => {
  let commands: vscode.Disposable[] = [];

  before(async () => {
    await enable(true);
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    require(apiUser).activate({ subscriptions: commands });
  });
  beforeEach(reset);
  after(async () => {
    commands.forEach((command) => command.dispose());
    commands = [];
    await enable(undefined);
  });

  it('tells whether capture is on', async () => {
    const api = await extension().activate();
    assert.equal(api.enabled, true);
    await enable(false);
    assert.equal(api.enabled, false);
    await enable(true);
  });

  it('mirrors the settings that the person set for programs outside', async () => {
    const { ports } = await testing();
    const mirrored = () => JSON.parse(fs.readFileSync(`${ports.stateDir}/settings.json`, 'utf8'));
    await eventually('the setting is there', () => mirrored().enabled === true);
    await enable(undefined);
    await eventually('the setting is gone', () => mirrored().enabled === undefined);
    await enable(true);
    await eventually('the setting is back', () => mirrored().enabled === true);
  });

  it('captures an edit of an unsaved, a new and a renamed file, and one restore gives all back', async () => {
    write('typed.txt', 'on disk\n');
    write('old.txt', 'old\r\n');
    const document = await type('typed.txt', 'Typed by the person, not saved. ');
    const before = document.getText();
    assert.equal(await vscode.commands.executeCommand('apiUser.editThreeFiles'), true);
    assert.equal(document.getText(), `The agent was here. ${before}`);
    assert.deepEqual([read('old.txt'), read('new.txt'), read('typed.txt')], [undefined, 'old\r\n', 'on disk\n']);
    const [turn, ...others] = await turns();
    assert.deepEqual(others, []);
    const { tree } = await testing();
    assert.equal(tree.getTreeItem(turn!).label, 'Change three files');
    assert.equal(turn!.turn.checkpoints.length, 1);
    assert.deepEqual(
      (await rowsOf(turn)).map((row) => [tree.getTreeItem(row).label, tree.getTreeItem(row).resourceUri!.query]),
      [
        ['made.txt', 'A'],
        ['new.txt', 'R'],
        ['old.txt', 'D'],
        ['typed.txt', 'M'],
      ],
    );

    await restoreNewest();
    await eventually('the unsaved text is back', () => document.getText() === before);
    assert.ok(document.isDirty);
    assert.equal(read('typed.txt'), 'on disk\n');
    assert.deepEqual([read('made.txt'), read('new.txt'), read('old.txt')], [undefined, undefined, 'old\r\n']);
  });

  it('keeps the encoding of a file', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße\r\n', 'utf16le')]);
    write('utf16.txt', utf16);
    const api = await extension().activate();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uriOf('utf16.txt'), new vscode.Position(0, 0), 'x');
    assert.ok(await api.applyEdit(edit, { agent: 'test', session: 's' }));
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === at('utf16.txt'))!;
    assert.ok(await document.save());
    assert.notDeepEqual(fs.readFileSync(at('utf16.txt')), utf16);
    await restoreNewest();
    assert.deepEqual(fs.readFileSync(at('utf16.txt')), utf16);
  });

  it('captures folders that an edit deletes, with everything in them', async () => {
    write('dir/a.txt', 'a');
    write('dir/deep/b.bin', Uint8Array.from([0, 1, 2]));
    const api = await extension().activate();
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(uriOf('dir'), { recursive: true });
    assert.equal(await api.applyEdit(edit, { agent: 'test', session: 's', prompt: 'Delete it' }), true);
    assert.equal(fs.existsSync(at('dir')), false);
    await restoreNewest();
    assert.equal(read('dir/a.txt'), 'a');
    assert.deepEqual([...fs.readFileSync(at('dir/deep/b.bin'))], [0, 1, 2]);
  });

  it('captures around a write that an extension makes itself', async () => {
    const report = (await vscode.commands.executeCommand('apiUser.writeAFile')) as { checkpoints: string[] };
    assert.equal(report.checkpoints.length, 1);
    assert.equal(read('written.txt'), 'Written by the agent.\n');
    await restoreNewest();
    assert.equal(read('written.txt'), undefined);
  });

  it('forgets a write that was not made', async () => {
    write('a.txt', 'a');
    const api = await extension().activate();
    const call = { agent: 'test', session: 's', call: 'c1', files: [uriOf('a.txt')] };
    await api.beforeWrite(call);
    await api.abandon(call);
    const { timeline } = await testing();
    timeline.refreshAll();
    assert.deepEqual(await rowsOf(), []);
  });

  it('says which files are not covered', async () => {
    const api = await extension().activate();
    const files = [vscode.Uri.parse('untitled:x'), uriOf('.git/config')];
    const { notCovered } = await api.beforeWrite({ agent: 'test', session: 's', call: 'c2', files });
    assert.deepEqual(
      notCovered.map(({ file }) => file.path.split('/').at(-1)),
      ['x', 'config'],
    );
  });

  it('refuses arguments of another form', async () => {
    const api = await extension().activate();
    const wrong = (value: unknown) => value as never;
    await assert.rejects(
      () => api.beforeWrite(wrong({ agent: 'a', session: 's', call: 'c', files: ['/x'] })),
      TypeError,
    );
    await assert.rejects(() => api.applyEdit(new vscode.WorkspaceEdit(), wrong({ agent: '' })), TypeError);
    await assert.rejects(() => api.afterWrite(wrong(undefined)), TypeError);
  });
});
