import * as vscode from 'vscode';
import { setting, type CommandId } from './contributions';
import { Disposer } from './disposable';
import type { Activity, Unseen } from './observe/unseen';
import { counted } from './timeline/words';

const focus: CommandId = 'agentCheckpoints.showCheckpoints';

/** Tells what is new; out of the way where the product is not in use. */
export class StatusBar extends Disposer {
  readonly #item = this.own(
    vscode.window.createStatusBarItem('agentCheckpoints.status', vscode.StatusBarAlignment.Left, 20),
  );

  constructor(private readonly unseen: Unseen) {
    super();
    this.#item.name = 'Agent Checkpoints';
    this.#item.command = focus;
    this.own(unseen.onDidChange((activity) => this.#show(activity)));
    this.own(vscode.workspace.onDidChangeConfiguration(() => this.#show(this.unseen.activity)));
  }

  #show({ unseenTurns, hasCheckpoints, isActive }: Activity): void {
    const { workspace } = vscode;
    const inUse = hasCheckpoints || setting(workspace, 'agentCheckpoints.enabled');
    if (!inUse || !workspace.workspaceFolders?.length || !setting(workspace, 'agentCheckpoints.statusBar.visible')) {
      this.#item.hide();
      return;
    }
    const news = unseenTurns > 0 ? counted(unseenTurns, 'new turn') : '';
    this.#item.text = `$(${isActive ? 'sync~spin' : 'history'}) Checkpoints${unseenTurns > 0 ? `: ${unseenTurns} new` : ''}`;
    this.#item.tooltip = [
      isActive && 'An agent is changing files.',
      news && `${news} since you last looked.`,
      'Show checkpoints',
    ]
      .filter(Boolean)
      .join('\n');
    this.#item.accessibilityInformation = {
      label: ['Checkpoints', news, isActive && 'an agent is changing files'].filter(Boolean).join(', '),
    };
    this.#item.show();
  }
}
