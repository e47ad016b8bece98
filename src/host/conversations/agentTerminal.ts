// An agent's own program in a terminal.
import path from 'node:path';
import * as vscode from 'vscode';
import type { ProgramCall } from '../../agents/fork/format';

/** Words that mean nothing else to any shell. */
const isPlain = (word: string) => /^[A-Za-z0-9_.:@+=-]+$/.test(word) || /^\/[\w./@+-]+$/.test(word);

/** Shells to which a variable in double quotes is one word, whatever it holds. */
const isQuoting = (shell: string) => /^(ba|z|da|k|fi)?sh$/.test(path.basename(shell));

/** @param name of the terminal */
export function openAgentTerminal(name: string, cwd: vscode.Uri, { program, args }: ProgramCall): void {
  const look = { name: name.slice(0, 60), cwd, iconPath: new vscode.ThemeIcon('history') };
  const words = [program, ...args].map((word) => word.replaceAll('\0', '\ufffd'));
  if (words.every(isPlain) || (isPlain(program) && isQuoting(vscode.env.shell))) {
    // In the person's shell: it knows where the program is, says so where it is not, and stays when it ends. What is no
    // plain word goes around the command line, so that nothing in it is a command.
    const env: Record<string, string> = {};
    const typed = words.map((word, at) => {
      if (isPlain(word)) return word;
      const variable = `AGENT_CHECKPOINTS_TEXT_${at}`;
      env[variable] = word;
      return `"$${variable}"`;
    });
    const terminal = vscode.window.createTerminal({ ...look, env });
    terminal.show();
    terminal.sendText(typed.join(' '));
    return;
  }
  // As arguments of the program, through no shell.
  vscode.window.createTerminal({ ...look, shellPath: words[0]!, shellArgs: words.slice(1) }).show();
}
