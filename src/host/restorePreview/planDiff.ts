// The diff of all files of a plan, which is replaced when the plan is another one.
import * as vscode from 'vscode';
import type { Previews } from '../preview/open';
import type { Planned } from '../restore/request';
import type { HostRoot } from '../workspaceRoots';

export class PlanDiff {
  constructor(
    private readonly previews: Previews,
    private readonly root: HostRoot,
    readonly title: string,
  ) {}

  /** In place of an older one. */
  async show(planned: Planned): Promise<void> {
    const old = this.#tabs();
    const isOpen = await this.previews.openPlan({ root: this.root, ...planned }, this.title);
    // One that was only a preview has been replaced already.
    const left = this.#tabs().filter((tab) => old.includes(tab) && !(isOpen && tab.isActive));
    await closeTabs(left);
  }

  /** The diff of one path alone. */
  showStep(planned: Planned, index: number): Promise<void> {
    return this.previews.openStep({ root: this.root, ...planned }, index);
  }

  async close(): Promise<void> {
    await closeTabs(this.#tabs());
  }

  /** By their title, after which VS Code may say how many files: the type of these tabs is no part of the stable API. */
  #tabs(): vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label.startsWith(this.title));
  }
}

/** Closes editors, if they are still there: the person may have been faster. */
export async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  for (const tab of tabs) {
    await vscode.window.tabGroups.close(tab, true).then(undefined, () => undefined);
  }
}
