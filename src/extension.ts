// Composition root: builds the parts, wires them, hands them to VS Code to dispose.
import * as vscode from 'vscode';
import type { AgentCheckpointsApi, RebuildContextEvent } from './host/api';
import { exportedApi } from './host/capture/exported';
import { personSaves } from './host/capture/personSaves';
import { allCommands } from './host/commands/all';
import { registerCommands } from './host/commands/register';
import { ContextKeySetter } from './host/contextKeys';
import { checkpointScheme, checkpointsView } from './host/contributions';
import { ConversationFollower } from './host/conversations/follower';
import { ConversationTree } from './host/conversations/tree';
import { replaceableDialogs } from './host/dialogs';
import { mcpServers } from './host/lm/mcpServers';
import { languageModelTools } from './host/lm/tools';
import { createLog } from './host/log';
import { nodePorts } from './host/nodePorts';
import { Registration } from './host/observe/registration';
import { StoreWatcher } from './host/observe/storeWatcher';
import { Unseen } from './host/observe/unseen';
import { Vanished } from './host/observe/vanished';
import { PanelActions } from './host/panel/actions';
import { ConversationPanels } from './host/panel/panels';
import { Peek } from './host/peek/peek';
import { CheckpointFileSystem } from './host/preview/fileSystem';
import { Previews } from './host/preview/open';
import { PlanPreviews } from './host/preview/plans';
import { RestoreFlow } from './host/restore/flow';
import { Planner } from './host/restore/request';
import { RestorePreview } from './host/restorePreview/preview';
import type { Services } from './host/services';
import { ChangePreview } from './host/setUp/changePreview';
import { startLater } from './host/startUp';
import { StatusBar } from './host/statusBar';
import { LineStats } from './host/timeline/stats';
import { Timeline } from './host/timeline/timeline';
import { rowDecorations } from './host/tree/decorations';
import { CheckpointTree } from './host/tree/provider';
import { ViewFilter } from './host/tree/viewFilter';
import { watchView } from './host/tree/visible';
import { WorkspaceRoots } from './host/workspaceRoots';

export function activate(context: vscode.ExtensionContext): AgentCheckpointsApi {
  const own = <T extends vscode.Disposable>(part: T): T => (context.subscriptions.push(part), part);
  const log = own(createLog());
  const ports = nodePorts();
  const dialogs = replaceableDialogs();
  const contextKeys = new ContextKeySetter();
  const roots = own(new WorkspaceRoots(ports));
  const watcher = own(new StoreWatcher(ports, roots));
  const timeline = own(new Timeline(ports, roots, watcher));
  const unseen = own(new Unseen(ports, roots, timeline, watcher, context.workspaceState));
  const registration = own(new Registration(ports, roots, log));
  const plans = new PlanPreviews();
  const previews = new Previews(ports, roots, plans);
  const documents = new CheckpointFileSystem(ports, roots, plans);
  own(vscode.workspace.registerFileSystemProvider(checkpointScheme, documents, { isReadonly: true }));
  own(vscode.window.registerFileDecorationProvider(rowDecorations));

  const tree = own(new CheckpointTree(ports, roots, timeline, own(new LineStats(ports, log))));
  const view = own(vscode.window.createTreeView(checkpointsView, { treeDataProvider: tree, showCollapseAll: true }));
  own(watchView({ ports, log, view, tree, roots, timeline, watcher, unseen, contextKeys }));
  own(new StatusBar(unseen));

  const filter = own(new ViewFilter(timeline, roots, view, contextKeys));
  const planner = new Planner(ports, roots, registration);
  const restorePreview = own(
    new RestorePreview(planner, previews, dialogs, contextKeys, log, { ports, roots, timeline }),
  );
  const restore = new RestoreFlow(ports, roots, timeline, planner, restorePreview, dialogs, log);
  const peek = own(new Peek(ports, roots, timeline, previews, restore, contextKeys, log));
  const conversations = own(new ConversationTree(ports, roots, contextKeys));
  const actions = new PanelActions(ports, dialogs, previews, restore);
  const panels = own(new ConversationPanels(ports, roots, actions, context.extensionUri, log));
  own(watcher.onDidChange(() => conversations.refresh()));
  own(new ConversationFollower(ports, roots, timeline, () => conversations.refresh(), log));
  const vanished = own(new Vanished(ports, roots, timeline, watcher, dialogs, context.workspaceState, log));
  const rebuilt = own(new vscode.EventEmitter<RebuildContextEvent>());
  // prettier-ignore
  const services: Services = { ports, log, dialogs, contextKeys, roots, timeline, tree, view, filter, previews, restore, restorePreview, peek, conversations, panels, vanished, rebuilt, extensionPath: context.extensionPath };
  own(registerCommands(allCommands(services, own(new ChangePreview()), own), dialogs, log));
  own(languageModelTools({ ports, roots, timeline, registration }));
  own(mcpServers(services));
  own(personSaves(ports, roots));
  own(startLater(services, { registration, watcher, unseen, vanished }));

  const api = exportedApi(ports, roots, log, rebuilt);
  // The tests in the host look at the parts and answer the dialogs; nobody else gets them.
  const isTest = context.extensionMode === vscode.ExtensionMode.Test;
  return isTest ? Object.create(api, { testing: { value: { ...services, dialogs } } }) : api;
}
