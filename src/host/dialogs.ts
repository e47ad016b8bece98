// Everything that asks or tells the person something goes through this port, so that tests can answer.
import * as vscode from 'vscode';

export interface Pick<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export interface Dialogs {
  /** Modal. Resolves to the chosen action, or undefined for Cancel. */
  confirm<A extends string>(question: string, detail: string, actions: readonly A[]): Promise<A | undefined>;
  /** Not modal; resolves when it is dismissed. */
  tell<A extends string>(
    kind: 'info' | 'warning' | 'error',
    text: string,
    actions?: readonly A[],
  ): Promise<A | undefined>;
  pick<T>(
    items: readonly (Pick<T> | vscode.QuickPickItem)[] | Promise<readonly (Pick<T> | vscode.QuickPickItem)[]>,
    options: vscode.QuickPickOptions,
  ): Promise<T | undefined>;
  pickMany<T>(
    items: readonly (Pick<T> | vscode.QuickPickItem)[],
    options: vscode.QuickPickOptions,
  ): Promise<T[] | undefined>;
  ask(options: vscode.InputBoxOptions): Promise<string | undefined>;
}

const show = {
  info: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
} as const;

/** Messages show `[x](command:y)` as a link that runs a command, and a prompt or a file name may hold that. */
export const withoutLinks = (text: string): string => text.replaceAll('](', ']\u200b(');

/** Quick picks show `$(name)` as an icon. */
export const withoutIcons = (text: string): string => text.replaceAll('$(', '$\u200b(');

export const realDialogs: Dialogs = {
  async confirm(question, detail, actions) {
    const options = { modal: true, detail: withoutLinks(detail) };
    return await vscode.window.showWarningMessage(withoutLinks(question), options, ...actions);
  },
  async tell(kind, text, actions = []) {
    return await show[kind](withoutLinks(text), ...actions);
  },
  async pick<T>(items: Parameters<Dialogs['pick']>[0], options: vscode.QuickPickOptions) {
    const chosen = await vscode.window.showQuickPick(items as vscode.QuickPickItem[], options);
    return (chosen as Pick<T> | undefined)?.value;
  },
  async pickMany<T>(items: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions) {
    const chosen = await vscode.window.showQuickPick(items, { ...options, canPickMany: true });
    return (chosen as Pick<T>[] | undefined)?.map((item) => item.value);
  },
  async ask(options) {
    return await vscode.window.showInputBox(options);
  },
};

/** The port that the product holds: tests put their own answers behind it. */
export function replaceableDialogs(): Dialogs & { use(dialogs: Dialogs): void } {
  let current = realDialogs;
  return {
    use: (dialogs) => (current = dialogs),
    confirm: (...args) => current.confirm(...args),
    tell: (...args) => current.tell(...args),
    pick: (...args) => current.pick(...args),
    pickMany: (...args) => current.pickMany(...args),
    ask: (...args) => current.ask(...args),
  };
}
