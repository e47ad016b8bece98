import * as vscode from 'vscode';
import type { Dialogs } from './dialogs';

/** Restoring and installing write where a folder says: only in one that the person trusts. */
export async function requireTrust(dialogs: Dialogs, what: string): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const action = await dialogs.tell(
    'warning',
    `${what} needs a trusted workspace. In Restricted Mode checkpoints can only be looked at.`,
    ['Manage Workspace Trust'],
  );
  if (action === 'Manage Workspace Trust') await vscode.commands.executeCommand('workbench.trust.manage');
  return false;
}
