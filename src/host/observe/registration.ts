// What the programs outside VS Code need to know of it, kept in user state: the open folders, the person's settings,
// and which files have unsaved text.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { realPlace } from '../../core/capture/roots';
import { registerRoots } from '../../core/state/roots';
import { readSettings, writeSettings, type Settings } from '../../core/state/settings';
import { writeUnsaved } from '../../core/state/unsaved';
import { ownSetting, setting, settingIds } from '../contributions';
import { debounce, Disposer } from '../disposable';
import type { Log } from '../log';
import type { WorkspaceRoots } from '../workspaceRoots';

const unsavedDelayMs = 200;
const mebibyte = 2 ** 20;

export class Registration extends Disposer {
  readonly #window = randomUUID();
  #reported = '[]';

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly log: Log,
  ) {
    super();
    const report = this.own(debounce(unsavedDelayMs, () => this.#reportUnsaved()));
    this.own(roots.onDidChange(() => this.#registerRoots()));
    this.own(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (settingIds.some((id) => event.affectsConfiguration(id))) this.#mirrorSettings();
      }),
    );
    this.own(vscode.workspace.onDidChangeTextDocument(report));
    this.own(vscode.workspace.onDidSaveTextDocument(report));
    this.own(vscode.workspace.onDidCloseTextDocument(report));
    this.own(vscode.workspace.onDidChangeNotebookDocument(report));
    this.own(vscode.workspace.onDidSaveNotebookDocument(report));
    this.own({ dispose: () => this.#attempt('unsaved files', () => writeUnsaved(this.ports, this.#window, [])) });
  }

  /** Everything once. */
  start(): void {
    this.#registerRoots();
    this.#mirrorSettings();
    this.#reportUnsaved();
  }

  /** What other windows and programs read of this window's editors is as of now. */
  flush(): void {
    this.#reportUnsaved();
  }

  /** Only folders of a product that is in use are noted: a fresh install leaves no trace. */
  #registerRoots(): void {
    if (!this.#isInUse()) return;
    const folders = this.roots.all.filter(({ prefix }) => prefix === '').map((root) => root.path);
    if (folders.length > 0) this.#attempt('open folders', () => registerRoots(this.ports, folders));
  }

  #mirrorSettings(): void {
    const settings = personsSettings();
    const before = JSON.stringify(readSettings(this.ports));
    if (JSON.stringify(orderedAs(readSettings(this.ports), settings)) === before) return;
    this.#attempt('settings', () => writeSettings(this.ports, settings));
    this.#registerRoots();
  }

  #reportUnsaved(): void {
    const paths = [
      ...vscode.workspace.textDocuments.filter((document) => document.isDirty).map(({ uri }) => uri),
      ...vscode.workspace.notebookDocuments.filter((document) => document.isDirty).map(({ uri }) => uri),
    ]
      .filter(({ scheme }) => scheme === 'file')
      .map(({ fsPath }) => this.#place(fsPath))
      .sort();
    const report = JSON.stringify(paths);
    if (report === this.#reported) return;
    this.#reported = report;
    if (this.#isInUse()) this.#attempt('unsaved files', () => writeUnsaved(this.ports, this.#window, paths));
  }

  #place(file: string): string {
    try {
      return realPlace(this.ports.fs, file);
    } catch {
      return file;
    }
  }

  #isInUse(): boolean {
    const { fs, stateDir } = this.ports;
    return (
      setting(vscode.workspace, 'agentCheckpoints.enabled') ||
      fs.statSync(stateDir, { throwIfNoEntry: false }) !== undefined
    );
  }

  #attempt(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.log.error('registration', `The ${what} could not be noted in ${this.ports.stateDir}`, error);
    }
  }
}

/** The values in force; `enabled` only where the person set it, since absent means "on" for a hook that was installed. */
function personsSettings(): Settings {
  const { workspace } = vscode;
  const enabled = ownSetting(workspace, 'agentCheckpoints.enabled');
  const maxAgeDays = setting(workspace, 'agentCheckpoints.retention.maxAgeDays');
  return {
    ...(enabled !== undefined && { enabled }),
    maxFileBytes: Math.round(setting(workspace, 'agentCheckpoints.maxFileSize') * mebibyte),
    retention: {
      maxCheckpoints: setting(workspace, 'agentCheckpoints.retention.maxCheckpoints'),
      maxBytes: Math.round(setting(workspace, 'agentCheckpoints.retention.maxSize') * mebibyte),
      ...(maxAgeDays !== null && { maxAgeDays }),
    },
    annotations: setting(workspace, 'agentCheckpoints.annotations'),
    rebuild: { keepTokens: setting(workspace, 'agentCheckpoints.rebuild.keepTokens') },
    includeIgnored: setting(workspace, 'agentCheckpoints.includeIgnored'),
  };
}

/** `settings` with the keys in the order of `like`, so that equal ones have equal JSON. */
function orderedAs(like: Settings, settings: Settings): Settings {
  const ordered = { ...like, ...settings, retention: { ...like.retention, ...settings.retention } };
  if (settings.enabled === undefined) delete ordered.enabled;
  if (settings.retention.maxAgeDays === undefined) delete ordered.retention.maxAgeDays;
  return ordered;
}
