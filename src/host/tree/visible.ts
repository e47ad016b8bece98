// What goes on only while somebody looks at the view, and what the view says of news.
import * as vscode from 'vscode';
import type { StoreWatcher } from '../observe/storeWatcher';
import type { Unseen } from '../observe/unseen';
import { counted } from '../timeline/words';
import type { Node } from './nodes';
import type { CheckpointTree } from './provider';

interface Parts {
  readonly view: vscode.TreeView<Node>;
  readonly tree: CheckpointTree;
  readonly watcher: StoreWatcher;
  readonly unseen: Unseen;
}

export function watchView({ view, tree, watcher, unseen }: Parts): vscode.Disposable {
  let clock: vscode.Disposable | undefined;
  const look = (visible: boolean) => {
    clock?.dispose();
    clock = visible ? tree.startClock() : undefined;
    watcher.isVisible = visible;
    unseen.looking = visible;
  };
  return vscode.Disposable.from(
    view.onDidChangeVisibility(({ visible }) => look(visible)),
    unseen.onDidChange(({ unseenTurns: count }) => {
      view.badge = count > 0 ? { value: count, tooltip: `${counted(count, 'new turn')} of agents` } : undefined!;
    }),
    new vscode.Disposable(() => clock?.dispose()),
  );
}
