import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';

export type HostVersion = '1.139.1' | '1.100.3';

export interface WorkbenchOptions {
  /** Version of VS Code. Default: the newest. */
  host?: HostVersion;
  /** The folder to open. */
  folder: string;
  /** Extensions to install: folders of unpacked ones (a checkout with its bundle built will do), or .vsix files. */
  extensions?: string[];
  /** User settings, in force before the first page load. */
  settings?: Record<string, unknown>;
  theme?: 'dark' | 'light' | 'hc' | 'hcLight';
  viewport?: { width: number; height: number };
  /** False: Workspace Trust is on, and the folder opens in Restricted Mode. */
  trust?: boolean;
  /** Environment of the server and the extension host, on top of this process's. */
  env?: Record<string, string | undefined>;
  /** Values for the workbench's own state in the browser, put there before it is first loaded. */
  storage?: Record<string, string>;
  /** Files to put beside the user settings, by name. */
  userFiles?: Record<string, string>;
  /** Pairs for the workbench that only a host with `forTests` heeds. The oldest host then shows no modal dialogs. */
  payload?: [string, string][];
  forTests?: boolean;
  /** What the server prints. */
  onOutput?: (text: string) => void;
}

export interface TreeRow {
  index: number;
  label: string;
  description: string;
  /** 1 is the top. */
  level: number;
  /** Undefined: the row has no children. */
  expanded: boolean | undefined;
  selected: boolean;
  /** The keys act on it when the view has the focus. */
  focused: boolean;
  /** Undefined: the row has no checkbox. */
  checked: boolean | undefined;
  ariaLabel: string;
  /** The name of its codicon, or empty. */
  icon: string;
  /** Where the row stands now; it does not follow the row when the tree changes. */
  locator: Locator;
}

export interface Notification {
  message: string;
  buttons: string[];
  severity: 'error' | 'warning' | 'info' | undefined;
}

export interface ModalDialog {
  message: string;
  detail: string;
  buttons: string[];
}

export interface QuickPickItem {
  index: number;
  label: string;
  description: string;
  detail: string;
  /** Undefined: the entry has no checkbox. */
  checked: boolean | undefined;
}

type Row = TreeRow | Locator;

export interface Workbench {
  version: HostVersion;
  folder: string;
  page: Page;
  browser: Browser;
  server: { port: number; dataDir: string; extensionsDir: string; remoteUri(path: string): string };
  /** What the page's console said so far. */
  consoleLines: string[];

  /** Loads the window again, as "Reload Window" does. */
  load(): Promise<void>;
  /** Waits until the window has written down that a webview of this type is open; a reload restores what was. */
  keepsEditor(viewType: string): Promise<void>;
  /** Runs a command through the command palette, by its full title ("Category: Title"). */
  runCommand(title: string): Promise<void>;
  /** Shows a view container by its title in the activity bar or a panel. */
  openView(containerTitle: string): Promise<void>;
  /** The rows of a view that are on screen, in order. */
  treeRows(viewName: string): Promise<TreeRow[]>;
  /** Waits for a row: by its label, by a pattern of "label description", or by a test. */
  row(viewName: string, what: string | RegExp | ((row: TreeRow) => boolean)): Promise<TreeRow>;
  /** The label and description of the row that the keys act on; empty where the focus is elsewhere. */
  focusedRow(viewName: string): Promise<string>;
  /** Points at a row and returns the text of the hover that appears. */
  hover(row: Row): Promise<string>;
  clickRow(
    row: Row,
    options?: { button?: 'left' | 'right'; clickCount?: number; modifiers?: ('Control' | 'Shift')[] },
  ): Promise<void>;
  /** Clicks one of the buttons that a row shows while the pointer is on it. */
  clickInline(row: Row, actionTitle: string): Promise<void>;
  inlineActions(row: Row): Promise<string[]>;
  /** Opens a row that has children, or closes it. */
  expand(row: Row, wanted?: boolean): Promise<void>;
  /** Ticks or unticks the checkbox of a row. */
  check(row: Row): Promise<void>;
  contextMenu(row: Row, title: string): Promise<void>;
  contextMenuTitles(row: Row): Promise<string[]>;
  menuItem(title: string): Locator;
  /** Clicks a button in the title bar of a view or of the view's container. */
  titleAction(title: string): Promise<void>;

  notifications(): Promise<Notification[]>;
  /** Waits for a notification. */
  notification(text: string | RegExp): Promise<Notification>;
  clickNotification(text: string | RegExp, button: string): Promise<void>;
  clearNotifications(): Promise<void>;
  /** Waits for a modal dialog and reads it; with a button, presses it and waits until the dialog has gone. */
  dialog(button?: string): Promise<ModalDialog>;

  /** Waits for an entry of the quick pick, accepts it, and waits until the quick pick has gone or become another. */
  quickPick(item: string): Promise<void>;
  quickPickItems(): Promise<QuickPickItem[]>;
  /** Types into the input box that is shown and confirms with Enter. */
  quickInput(text: string): Promise<void>;
  quick: {
    isShown(): Promise<boolean>;
    open(key: string, text: string): Promise<void>;
    title(): Promise<string | undefined>;
    text(): Promise<string>;
    /** Ticks or unticks an entry of a picker of many. */
    toggle(label: string): Promise<void>;
    /** Presses the OK button of a picker of many. */
    confirm(): Promise<void>;
    /** Takes the name that the dialog that saves offers. */
    save(name: string): Promise<void>;
    close(): Promise<void>;
  };

  editorTitles(): Promise<string[]>;
  activeEditor(): Promise<string | undefined>;
  /** The lines on screen in the active editor; of a diff, those of one side (default: the right one). */
  activeEditorText(side?: 'original' | 'modified'): Promise<string>;
  /** Opens a file of the workspace through "Go to File". */
  openFile(path: string): Promise<void>;

  /** The page inside of the webview that is shown. */
  webview(): FrameLocator;

  /** The texts in the status bar. */
  statusBar(): Promise<string[]>;
  /** Calls `look` until it returns something other than undefined, null or false. */
  poll<T>(
    look: () => T | Promise<T>,
    what: string | (() => string | Promise<string>),
    limit?: number,
  ): Promise<NonNullable<T>>;
  /** Changes the colour theme of the open window, as a person does. */
  setTheme(theme: 'dark' | 'light' | 'hc'): Promise<void>;
  /** Writes .vscode-test/screenshots/<version>/<name>.png and returns its path. */
  screenshot(
    name: string,
    options?: { clip?: { x: number; y: number; width: number; height: number } },
  ): Promise<string>;
  close(): Promise<void>;
}

export function openWorkbench(options: WorkbenchOptions): Promise<Workbench>;
