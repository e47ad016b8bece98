// What the commands work with: built once by the composition root.
import type * as vscode from 'vscode';
import type { Ports } from '../core/ports';
import type { RebuildContextEvent } from './api';
import type { ContextKeySetter } from './contextKeys';
import type { ConversationTree } from './conversations/tree';
import type { Dialogs } from './dialogs';
import type { Log } from './log';
import type { Vanished } from './observe/vanished';
import type { ConversationPanels } from './panel/panels';
import type { Peek } from './peek/peek';
import type { Previews } from './preview/open';
import type { RestorePreview } from './restorePreview/preview';
import type { RestoreFlow } from './restore/flow';
import type { Timeline } from './timeline/timeline';
import type { Node } from './tree/nodes';
import type { CheckpointTree } from './tree/provider';
import type { ViewFilter } from './tree/viewFilter';
import type { WorkspaceRoots } from './workspaceRoots';

export interface Services {
  readonly ports: Ports;
  readonly log: Log;
  readonly dialogs: Dialogs;
  readonly contextKeys: ContextKeySetter;
  readonly roots: WorkspaceRoots;
  readonly timeline: Timeline;
  readonly tree: CheckpointTree;
  readonly view: vscode.TreeView<Node>;
  readonly filter: ViewFilter;
  readonly previews: Previews;
  readonly restore: RestoreFlow;
  readonly restorePreview: RestorePreview;
  readonly peek: Peek;
  readonly conversations: ConversationTree;
  readonly panels: ConversationPanels;
  readonly vanished: Vanished;
  readonly rebuilt: vscode.EventEmitter<RebuildContextEvent>;
  /** Absolute path of the installed extension. */
  readonly extensionPath: string;
}
