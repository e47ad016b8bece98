import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { commandIds } from '../../src/host/contributions';
import { at, extension, folder, reset, testing, write } from './support/testing';

describe('a fresh window', () => {
  before(reset);

  it('activates, and offers every command', async () => {
    await extension().activate();
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      commandIds.filter((id) => !registered.has(id)),
      [],
    );
  });

  it('contributes what its code names', () => {
    const contributed = extension().packageJSON.contributes.commands.map(({ command }: { command: string }) => command);
    assert.deepEqual([...contributed].sort(), [...commandIds].sort());
  });

  it('is off, captures nothing and leaves no trace', async () => {
    const api = await extension().activate();
    assert.equal(api.version, 1);
    assert.equal(api.enabled, false);
    write('a.txt', 'before');
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(vscode.Uri.file(at('b.txt')));
    assert.equal(await api.applyEdit(edit, { agent: 'test', session: 's' }), true);
    const call = { agent: 'test', session: 's', call: 'c', files: [vscode.Uri.file(at('a.txt'))] };
    assert.deepEqual(await api.beforeWrite(call), { checkpoints: [], notCovered: [] });
    await api.afterWrite(call);
    // Longer than everything that is done after the start takes.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(fs.readdirSync(folder()).sort(), ['a.txt', 'b.txt']);
    const { stateDir } = (await testing()).ports;
    assert.deepEqual(fs.existsSync(stateDir) ? fs.readdirSync(stateDir) : [], []);
  });

  it('shows the text that leads to set-up', async () => {
    const { tree } = await testing();
    assert.deepEqual(tree.getChildren(), []);
  });
});
