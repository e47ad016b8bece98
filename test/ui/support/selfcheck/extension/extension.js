/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads this file as CommonJS */
// A small extension with one of everything that the workbench driver can handle.
const { join } = require('node:path');
const vscode = require('vscode');

exports.activate = (context) => {
  let fruit = { Citrus: ['Lemon', 'Orange'], Berries: ['Blueberry'] };
  const changed = new vscode.EventEmitter();
  const say = (text) => void vscode.window.showInformationMessage(text);

  const provider = {
    onDidChangeTreeData: changed.event,
    getChildren: (parent) => (parent ? fruit[parent] : Object.keys(fruit)),
    getTreeItem: (name) => {
      const isGroup = name in fruit;
      const item = new vscode.TreeItem(name, isGroup ? vscode.TreeItemCollapsibleState.Collapsed : 0);
      item.description = isGroup ? `${fruit[name].length} kinds` : 'ripe';
      item.contextValue = isGroup ? 'group' : 'fruit';
      item.tooltip = `About ${name}`;
      item.iconPath = new vscode.ThemeIcon(isGroup ? 'folder' : 'circle-filled');
      if (!isGroup) item.command = { command: 'uiSelfcheck.open', title: '', arguments: [name] };
      return item;
    },
  };

  const commands = {
    'uiSelfcheck.pick': async () => {
      const kind = await vscode.window.showQuickPick(['Lemon', 'Orange'], { placeHolder: 'Which fruit?' });
      const count = await vscode.window.showInputBox({ prompt: 'How many?' });
      const button = await vscode.window.showInformationMessage(`Picked ${count} of ${kind}`, 'Thanks');
      if (button) say(`Pressed ${button}`);
    },
    'uiSelfcheck.eat': async (name) => {
      const button = await vscode.window.showWarningMessage(
        `Eat the ${name}?`,
        { modal: true, detail: 'It will be gone.' },
        'Eat',
      );
      if (!button) return;
      fruit = Object.fromEntries(
        Object.entries(fruit).map(([group, names]) => [group, names.filter((n) => n !== name)]),
      );
      changed.fire();
    },
    'uiSelfcheck.open': async (name) => {
      const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
      const left = vscode.Uri.file(join(folder, 'note.txt'));
      const right = vscode.Uri.file(join(folder, 'other.txt'));
      await vscode.commands.executeCommand('vscode.diff', left, right, `${name} (diff)`);
    },
    'uiSelfcheck.refresh': () => say(`Setting is ${vscode.workspace.getConfiguration('editor').get('fontSize')}`),
  };
  for (const [id, run] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(id, run));
  context.subscriptions.push(
    vscode.window.createTreeView('uiSelfcheck.fruit', { treeDataProvider: provider }),
    vscode.window.createTreeView('uiSelfcheck.empty', {
      treeDataProvider: { getChildren: () => [], getTreeItem: (x) => x },
    }),
  );
};
