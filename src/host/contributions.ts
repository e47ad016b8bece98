// The ids of everything that package.json contributes: written once, typed, compared with package.json by a test.
import type * as vscode from 'vscode';

export const commandIds = [
  // In the palette, category "Agent".
  'agentCheckpoints.restoreCheckpoint',
  'agentCheckpoints.undoLastTurn',
  'agentCheckpoints.redo',
  'agentCheckpoints.createCheckpoint',
  'agentCheckpoints.peekChanges',
  'agentCheckpoints.openConversation',
  'agentCheckpoints.forkConversation',
  'agentCheckpoints.rebuildContext',
  'agentCheckpoints.setUpAgents',
  'agentCheckpoints.recoverPastSessions',
  'agentCheckpoints.verifyStore',
  'agentCheckpoints.showCheckpoints',
  'agentCheckpoints.showLog',
  // While a file shows an agent's changes.
  'agentCheckpoints.peekNext',
  'agentCheckpoints.peekPrevious',
  'agentCheckpoints.peekUndoHunk',
  'agentCheckpoints.peekShowBefore',
  'agentCheckpoints.closePeek',
  // While a restore is shown before it runs.
  'agentCheckpoints.runPlan',
  'agentCheckpoints.cancelPlan',
  'agentCheckpoints.showPlan',
  'agentCheckpoints.comparePath',
  'agentCheckpoints.togglePath',
  'agentCheckpoints.decidePath',
  'agentCheckpoints.keepPath',
  'agentCheckpoints.mergePath',
  'agentCheckpoints.overwritePath',
  'agentCheckpoints.useMerge',
  // In the title of the view.
  'agentCheckpoints.refresh',
  'agentCheckpoints.filterActiveFile',
  'agentCheckpoints.showAllFiles',
  'agentCheckpoints.filterSession',
  'agentCheckpoints.clearFilter',
  // On rows.
  'agentCheckpoints.loadMore',
  'agentCheckpoints.previewTurn',
  'agentCheckpoints.previewFile',
  'agentCheckpoints.compareWithCurrent',
  'agentCheckpoints.restoreTurn',
  'agentCheckpoints.restoreMark',
  'agentCheckpoints.undoRestore',
  'agentCheckpoints.restoreFile',
  'agentCheckpoints.restoreEdit',
  'agentCheckpoints.rewindTurn',
  'agentCheckpoints.rewindSession',
  'agentCheckpoints.pin',
  'agentCheckpoints.unpin',
  'agentCheckpoints.copyId',
  'agentCheckpoints.openFile',
  'agentCheckpoints.openTurnConversation',
  // In the title of the Conversations view.
  'agentCheckpoints.filterConversations',
  'agentCheckpoints.clearConversationFilter',
] as const;

export type CommandId = (typeof commandIds)[number];

/** A handler for each command: one that is forgotten does not compile. */
export type Handlers = Readonly<Record<CommandId, (...args: unknown[]) => unknown>>;

export const containerId = 'agentCheckpoints';
export const checkpointsView = 'agentCheckpoints.checkpoints';
export const conversationsView = 'agentCheckpoints.conversations';
export const conversationPanelType = 'agentCheckpoints.conversation';
/** A restore before it runs. */
export const planView = 'agentCheckpoints.restorePreview';
export const mcpProviderId = 'agentCheckpoints.mcp';
export const walkthroughId = 'agentCheckpoints.start';

/** Virtual documents: states of files kept in a store. */
export const checkpointScheme = 'agent-checkpoint';
/** Only names rows for icons and decorations; nothing can be read under it. */
export const rowScheme = 'agent-checkpoint-row';
/** Texts of configuration files that are about to be written. */
export const setUpScheme = 'agent-checkpoint-setup';

export interface ContextKeys {
  /** An agent's hooks are installed for this person. */
  'agentCheckpoints.agentsInstalled': boolean;
  /** The view shows a selection of what there is. */
  'agentCheckpoints.filtered': boolean;
  'agentCheckpoints.activeFileOnly': boolean;
  'agentCheckpoints.conversationsFiltered': boolean;
  /** The active editor shows an agent's changes. */
  'agentCheckpoints.peeking': boolean;
  /** A restore is shown before it runs. */
  'agentCheckpoints.previewing': boolean;
  /** The active editor holds a merge for a restore. */
  'agentCheckpoints.merging': boolean;
}

/** Value types of the settings; `undefined` where nobody set one and there is no default. */
export interface SettingTypes {
  'agentCheckpoints.enabled': boolean;
  /** MiB. */
  'agentCheckpoints.maxFileSize': number;
  'agentCheckpoints.retention.maxCheckpoints': number;
  /** MiB. */
  'agentCheckpoints.retention.maxSize': number;
  'agentCheckpoints.retention.maxAgeDays': number | null;
  'agentCheckpoints.includeIgnored': string[];
  'agentCheckpoints.annotations': boolean;
  'agentCheckpoints.statusBar.visible': boolean;
  'agentCheckpoints.peek.gutter': boolean;
  'agentCheckpoints.conversations.enabled': boolean;
  'agentCheckpoints.mcp.enabled': boolean;
  'agentCheckpoints.rebuild.keepTokens': number;
}

export const settingIds = [
  'agentCheckpoints.enabled',
  'agentCheckpoints.maxFileSize',
  'agentCheckpoints.retention.maxCheckpoints',
  'agentCheckpoints.retention.maxSize',
  'agentCheckpoints.retention.maxAgeDays',
  'agentCheckpoints.includeIgnored',
  'agentCheckpoints.annotations',
  'agentCheckpoints.statusBar.visible',
  'agentCheckpoints.peek.gutter',
  'agentCheckpoints.conversations.enabled',
  'agentCheckpoints.mcp.enabled',
  'agentCheckpoints.rebuild.keepTokens',
] as const satisfies readonly (keyof SettingTypes)[];

/** Fails to compile where a setting has a type and is missing from the list. */
export type ForgottenSetting = Exclude<keyof SettingTypes, (typeof settingIds)[number]>;
export const noForgottenSetting: [ForgottenSetting] extends [never] ? true : ForgottenSetting = true;

/** The value in force. */
export function setting<K extends keyof SettingTypes>(workspace: typeof vscode.workspace, id: K): SettingTypes[K] {
  return workspace.getConfiguration().get<SettingTypes[K]>(id)!;
}

/** The value that the person set for this machine, if any: defaults and workspaces do not count. */
export function ownSetting<K extends keyof SettingTypes>(
  workspace: typeof vscode.workspace,
  id: K,
): SettingTypes[K] | undefined {
  return workspace.getConfiguration().inspect<SettingTypes[K]>(id)?.globalValue;
}
