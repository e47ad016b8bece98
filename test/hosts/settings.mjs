// The user settings of every test host. The browser-served workbench keeps them in the server's data folder, so that
// they are in force at the first page load.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Each host's own default themes, and its high-contrast ones. */
const THEMES = {
  '1.139.1': { dark: 'Dark 2026', light: 'Light 2026' },
  '1.100.3': { dark: 'Default Dark Modern', light: 'Default Light Modern' },
};
const HIGH_CONTRAST = { hc: 'Default High Contrast', hcLight: 'Default High Contrast Light' };

/** As on the desktop, where the browser-served workbench differs from it. */
const LIKE_DESKTOP = {
  'files.autoSave': 'off',
  'files.simpleDialog.enable': true,
  'window.menuBarVisibility': 'hidden',
  'remote.autoForwardPorts': false,
};

/** What would disturb a test or a screenshot: offers, news, animations, background traffic. */
const QUIET = {
  'telemetry.telemetryLevel': 'off',
  'update.showReleaseNotes': false,
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.welcomePage.experimentalOnboarding': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.reduceMotion': 'on',
  'workbench.hover.delay': 100,
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  // Without trust, a folder opens in Restricted Mode at once; the two versions ask differently.
  'security.workspace.trust.startupPrompt': 'never',
  'git.openRepositoryInParentFolders': 'never',
  // VS Code's own agent is switched on by the tests of agent mode alone.
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'chat.agentHost.enabled': false,
};

/** Writes the settings of a host before its first page load. */
export async function writeSettings(version, dataDir, { theme = 'dark', settings = {} } = {}) {
  const colorTheme = { ...HIGH_CONTRAST, ...THEMES[version] }[theme];
  if (!colorTheme) throw new Error(`No theme ${theme}.`);
  const all = {
    ...LIKE_DESKTOP,
    ...QUIET,
    'workbench.colorTheme': colorTheme,
    'window.autoDetectColorScheme': false,
    'window.autoDetectHighContrast': false,
    ...settings,
  };
  await writeUserFiles(dataDir, { 'settings.json': JSON.stringify(all, undefined, 2) });
  // A page of a server is a remote window: once VS Code knows that a setting belongs to the machine, it takes it from
  // this file alone.
  const folder = join(dataDir, 'data', 'Machine');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings, undefined, 2));
}

/** Writes files into the folder of the user's settings. */
export async function writeUserFiles(dataDir, files = {}) {
  const folder = join(dataDir, 'data', 'User');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
