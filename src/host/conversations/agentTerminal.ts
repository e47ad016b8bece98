// An agent's own program in a terminal.
import * as vscode from 'vscode';
import type { ProgramCall } from '../../agents/fork/format';

/** Words that mean nothing else to any shell. */
const isPlain = (word: string) => /^[A-Za-z0-9_.:@+=-]+$/.test(word) || /^\/[\w./@+-]+$/.test(word);

/** @param name of the terminal */
export function openAgentTerminal(name: string, cwd: vscode.Uri, { program, args }: ProgramCall): void {
  const look = { name: name.slice(0, 60), cwd, iconPath: new vscode.ThemeIcon('history') };
  const words = [program, ...args];
  if (words.every(isPlain)) {
    // In the person's shell: it knows where the program is, and stays when the program ends.
    const terminal = vscode.window.createTerminal(look);
    terminal.show();
    terminal.sendText(words.join(' '));
    return;
  }
  // As arguments of the program, not through a shell: nothing in them is a command.
  vscode.window.createTerminal({ ...look, shellPath: program, shellArgs: [...args] }).show();
}
