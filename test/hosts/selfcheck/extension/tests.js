/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads this file as CommonJS */
// Runs inside the test host: what an extension's tests rely on must work there.
const assert = require('node:assert/strict');
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

exports.run = async () => {
  assert.equal(vscode.version, process.env.EXPECTED_VERSION, 'the version of VS Code');
  assert.equal(await vscode.commands.executeCommand('hostSelfcheck.count'), 1, 'a command of the extension');

  const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
  assert.equal(folder, process.env.EXPECTED_FOLDER, 'the workspace folder');
  writeFileSync(join(folder, 'note.txt'), 'one\n');
  const document = await vscode.workspace.openTextDocument(join(folder, 'note.txt'));
  await vscode.window.showTextDocument(document);
  assert.equal(vscode.window.activeTextEditor.document.getText(), 'one\n', 'the editor');
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(1, 0), 'two\n');
  assert.ok(await vscode.workspace.applyEdit(edit));
  assert.ok(await document.save());
  assert.equal(readFileSync(join(folder, 'note.txt'), 'utf8'), 'one\ntwo\n', 'the saved file');

  const found = await vscode.workspace.findFiles('**/note.txt');
  assert.deepEqual(
    found.map((uri) => uri.fsPath),
    [join(folder, 'note.txt')],
    'the search for files',
  );

  await new Promise((resolve, reject) => {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*.watched'));
    const late = setTimeout(() => reject(new Error('the file watcher stays silent')), 20_000);
    watcher.onDidCreate(() => {
      clearTimeout(late);
      clearInterval(again);
      watcher.dispose();
      resolve();
    });
    // Writes until the watcher answers, since nothing tells when it has started to watch.
    let number = 0;
    const again = setInterval(() => writeFileSync(join(folder, `${number++}.watched`), ''), 200);
  });

  console.log(`self-check ran in VS Code ${vscode.version}`);
  if (process.env.SELFCHECK_FAILS) throw new Error('this self-check fails on purpose');
};
