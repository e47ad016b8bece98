import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { createObserver } from '../../src/core/capture/observer';
import { listPage } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { at, folder, read, reset, testing, uriOf, write } from './support/testing';

/** An agent runs a command that does `act` while the person works; returns what was recorded of it. */
async function duringCommand(act: () => unknown): Promise<{ paths: unknown[]; saves: string[] }> {
  const { ports } = await testing();
  const observer = createObserver(ports);
  const request = {
    kind: 'command' as const,
    agent: { name: 'claude-code', session: 's', turn: 't', tool: 'Bash', toolUse: `run-${Math.random()}` },
    cwd: folder(),
    projectDir: folder(),
    writes: [],
    command: { text: 'make', background: false, sequential: false },
  };
  observer.beforeWrite(request);
  await act();
  const saves = path.join(ports.stateDir, 'saves');
  const noted = fs.existsSync(saves) ? fs.readdirSync(saves) : [];
  observer.afterWrite(request);
  const { checkpoints } = listPage(ports, rootStores(ports, folder()), { limit: 10 });
  return { paths: checkpoints.flatMap(({ entries }) => entries.map(({ path: name }) => name)), saves: noted };
}

async function typeAndSave(name: string, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uriOf(name));
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
}

describe('what the person does in the editor while a command runs', () => {
  beforeEach(reset);

  it('is not booked as the command’s when a file is saved', async () => {
    write('mine.txt', 'one\n');
    write('its.txt', 'one\n');
    const { paths, saves } = await duringCommand(async () => {
      write('its.txt', 'by the command\n');
      await typeAndSave('mine.txt', 'by the person ');
    });
    assert.deepEqual([paths, saves.length], [['its.txt'], 1]);
    assert.equal(read('mine.txt'), 'by the person one\n');
  });

  it('nor when files and folders are made, moved and removed', async () => {
    for (const name of ['gone.txt', 'dir/a.txt', 'dir/deep/b.txt', 'moved/c.txt']) write(name, name);
    const { paths } = await duringCommand(async () => {
      write('its.txt', 'by the command\n');
      const edit = new vscode.WorkspaceEdit();
      edit.deleteFile(uriOf('gone.txt'));
      edit.deleteFile(uriOf('dir'), { recursive: true });
      edit.renameFile(uriOf('moved'), uriOf('there'));
      edit.createFile(uriOf('made.txt'));
      assert.ok(await vscode.workspace.applyEdit(edit));
    });
    assert.ok(fs.existsSync(at('there/c.txt')) && !fs.existsSync(at('dir/a.txt')));
    const files = paths.filter((name) => !['dir', 'dir/deep', 'moved', 'there'].includes(String(name)));
    assert.deepEqual(files, ['its.txt']);
  });

  it('is not noted while no command runs', async () => {
    write('other.txt', 'one\n');
    await typeAndSave('other.txt', 'by the person ');
    const { stateDir } = (await testing()).ports;
    assert.equal(
      fs.existsSync(path.join(stateDir, 'saves')) && fs.readdirSync(path.join(stateDir, 'saves')).length > 0,
      false,
    );
  });
});
