/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads this file as CommonJS */
// The smallest extension that a test host can be checked with.
const vscode = require('vscode');

exports.activate = (context) => {
  let count = 0;
  context.subscriptions.push(vscode.commands.registerCommand('hostSelfcheck.count', () => ++count));
};
