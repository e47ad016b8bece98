import * as vscode from 'vscode';
import { commandIds, type Handlers } from '../contributions';
import type { Dialogs } from '../dialogs';
import { messageOf, type Log } from '../log';

/** Registers every command, always. A failure is told with what to do, and logged. */
export function registerCommands(handlers: Handlers, dialogs: Dialogs, log: Log): vscode.Disposable {
  return vscode.Disposable.from(
    ...commandIds.map((id) =>
      vscode.commands.registerCommand(id, async (...args: unknown[]) => {
        try {
          return await handlers[id](...args);
        } catch (error) {
          if (error instanceof vscode.CancellationError) return undefined;
          log.error('command', id, error);
          if ((await dialogs.tell('error', messageOf(error), ['Show Log'])) === 'Show Log') log.show();
          return undefined;
        }
      }),
    ),
  );
}
