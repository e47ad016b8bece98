// What goes on only while somebody looks at the view, and what the view says of news.
import * as vscode from 'vscode';
import { closeStale } from '../../core/capture/close';
import type { Ports } from '../../core/ports';
import type { ContextKeySetter } from '../contextKeys';
import type { Log } from '../log';
import type { StoreWatcher } from '../observe/storeWatcher';
import type { Unseen } from '../observe/unseen';
import { isAnyInstalled } from '../setUp/places';
import type { Timeline } from '../timeline/timeline';
import { isPending } from '../timeline/turns';
import { counted } from '../timeline/words';
import type { WorkspaceRoots } from '../workspaceRoots';
import type { Node } from './nodes';
import type { CheckpointTree } from './provider';

interface Parts {
  readonly ports: Ports;
  readonly log: Log;
  readonly view: vscode.TreeView<Node>;
  readonly tree: CheckpointTree;
  readonly roots: WorkspaceRoots;
  readonly timeline: Timeline;
  readonly watcher: StoreWatcher;
  readonly unseen: Unseen;
  readonly contextKeys: ContextKeySetter;
}

/** How often calls are looked at that nobody has closed. */
const closeMs = 5000;

export function watchView(parts: Parts): vscode.Disposable {
  const { view, tree, watcher, unseen } = parts;
  let looking: vscode.Disposable | undefined;
  const look = (visible: boolean) => {
    looking?.dispose();
    looking = visible ? vscode.Disposable.from(tree.startClock(), closing(parts)) : undefined;
    watcher.isVisible = visible;
    unseen.looking = visible;
    // Agents are also set up on the command line.
    if (visible) void noteInstalled(parts);
  };
  return vscode.Disposable.from(
    view.onDidChangeVisibility(({ visible }) => look(visible)),
    unseen.onDidChange(({ unseenTurns: count }) => {
      view.badge = count > 0 ? { value: count, tooltip: `${counted(count, 'new turn')} of agents` } : undefined!;
    }),
    new vscode.Disposable(() => looking?.dispose()),
  );
}

async function noteInstalled({ ports, roots, contextKeys, log }: Parts): Promise<void> {
  try {
    contextKeys.set('agentCheckpoints.agentsInstalled', await isAnyInstalled(ports, roots));
  } catch (error) {
    log.error('set-up', 'Whether agents are set up', error);
  }
}

/** A reader closes what an agent left open, as far as it can be told. */
function closing({ ports, log, roots, timeline }: Parts): vscode.Disposable {
  const timer = setInterval(() => {
    if (!vscode.workspace.isTrusted) return;
    for (const root of roots.all) {
      if (!timeline.isLoaded(root) || !timeline.get(root).turns.some(isPending)) continue;
      try {
        closeStale(ports, root.stores);
      } catch (error) {
        log.error('view', 'Open checkpoints could not be closed', error);
      }
    }
  }, closeMs);
  return { dispose: () => clearInterval(timer) };
}
