import * as vscode from 'vscode';
import type { ContextKeys } from './contributions';

/** Sets context keys for `when` clauses, and only when they change. */
export class ContextKeySetter {
  readonly #values: Partial<ContextKeys> = {};

  set<K extends keyof ContextKeys>(key: K, value: ContextKeys[K]): void {
    if (this.#values[key] === value) return;
    this.#values[key] = value;
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
