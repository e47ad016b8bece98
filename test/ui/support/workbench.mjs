// Opens VS Code as a user sees it and drives it like one: through keys, clicks and what is on screen.
import { join } from 'node:path';
import { launchBrowser } from '../../hosts/browser.mjs';
import { ensure, screenshotsFolder } from '../../hosts/paths.mjs';
import { newest } from '../../hosts/recipes.mjs';
import { startServer } from '../../hosts/server.mjs';
import { setUpHost } from '../../hosts/setup.mjs';
import { editorsOf } from './editors.mjs';
import { installExtensions } from './extensions.mjs';
import { messagesOf } from './messages.mjs';
import { LIMIT_MS, poll } from './poll.mjs';
import { quickInputOf } from './quick-input.mjs';
import { keepsEditor } from './reload.mjs';
import { treesOf } from './trees.mjs';
import { serveWebviews, webviewOf } from './webviews.mjs';

const themeNames = { dark: /^(Dark 2026|Dark Modern)/, light: /^(Light 2026|Light Modern)/, hc: /^Dark High Contrast/ };
const themeFilters = { dark: 'Dark', light: 'Light', hc: 'Dark High Contrast' };
const themeKinds = { dark: 'vs-dark', light: 'vs', hc: 'hc-black' };

const VIEWPORT = { width: 1280, height: 800 };

/**
 * Starts a host with a profile of its own and opens a folder in it.
 * @param {object} options see workbench.d.mts
 */
export async function openWorkbench(options) {
  const { host: version = newest, folder, extensions = [], viewport = VIEWPORT } = options;
  const host = await setUpHost(version);
  const server = await startServer(host, { ...options, install: (dir) => installExtensions(host, extensions, dir) });
  let browser;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(LIMIT_MS);
    await serveWebviews(page.context(), host);
    const consoleLines = [];
    page.on('console', (message) => consoleLines.push(`[${message.type()}] ${message.text()}`));
    const { payload } = options;
    const workbench = driverOf({ version, folder, server, browser, page, consoleLines, payload });
    await seedStorage(page, server, options.storage);
    await workbench.load();
    return workbench;
  } catch (error) {
    await browser?.close();
    await server.stop();
    throw error;
  }
}

/**
 * Puts values into the browser's storage where the workbench keeps its own state, before it is first loaded: for what
 * is neither a setting nor a file.
 */
async function seedStorage(page, server, values = {}) {
  if (Object.keys(values).length === 0) return;
  const address = new URL('/empty-page-of-the-tests', server.url()).href;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(address);
  await page.evaluate(
    (entries) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('vscode-web-state-db-global', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('ItemTable');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const writing = opening.result.transaction('ItemTable', 'readwrite');
          for (const [key, value] of entries) writing.objectStore('ItemTable').put(value, key);
          writing.onerror = () => reject(writing.error);
          writing.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
    Object.entries(values),
  );
}

function driverOf({ version, folder, server, browser, page, consoleLines, payload }) {
  const quick = quickInputOf(page);
  const trees = treesOf(page);

  /** Loads the page, or loads it again as "Reload Window" does, and waits until the workbench has settled. */
  async function load() {
    await page.goto(server.url({ payload }));
    await page.waitForSelector('.monaco-workbench .part.statusbar');
    // The workbench marks its own milestones; this one comes when the window has been restored.
    await page.waitForFunction(() => performance.getEntriesByName('code/didStartWorkbench').length > 0);
  }

  /** Runs a command through the command palette, by its full title ("Category: Title"). */
  async function runCommand(title) {
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      await quick.open('F1', `>${title}`);
      try {
        // Short: the palette does not show commands that come while it is open.
        return await quick.accept(title, { limit: 2000, before: '' });
      } catch (error) {
        if (Date.now() > end) throw error;
        await quick.close();
      }
    }
  }

  const quoted = (text) => JSON.stringify(text);
  const viewItem = (container) =>
    page
      .locator('.composite-bar .action-item')
      .filter({
        has: page.locator(
          `.action-label[aria-label=${quoted(container)}], .action-label[aria-label^=${quoted(`${container} `)}]`,
        ),
      })
      .first();

  /** Whether a view container is the one that is shown. */
  async function isViewOpen(container) {
    const item = viewItem(container);
    await item.waitFor();
    return /\bchecked\b/.test((await item.getAttribute('class')) ?? '');
  }

  /** Shows a view container by its title in the activity bar or a panel. */
  async function openView(container) {
    if (!(await isViewOpen(container))) await viewItem(container).click();
    await poll(() => isViewOpen(container), `the view container ${container} opens`);
    await page.mouse.move(1, 1);
  }

  return {
    version,
    folder,
    server,
    browser,
    page,
    consoleLines,
    load,
    keepsEditor: (viewType) => keepsEditor(page, viewType),
    runCommand,
    openView,
    ...trees,
    ...messagesOf(page),
    ...editorsOf(page, quick),
    quick,
    quickPick: (item) => quick.accept(item),
    quickPickItems: () => quick.items(),
    quickInput: (text) => quick.submit(text),
    statusBar: () =>
      page
        .locator('.part.statusbar .statusbar-item:visible')
        .evaluateAll((items) => items.map((item) => item.textContent.trim()).filter(Boolean)),
    webview: () => webviewOf(page),
    poll,

    /**
     * Changes the colour theme of the open window, as a person does; again where something else took the focus, since
     * the picker closes then.
     */
    async setTheme(theme) {
      let problem;
      const pick = async () => {
        await runCommand('Preferences: Color Theme');
        await quick.filter(themeFilters[theme], 3000);
        const found = () => quick.items().then((items) => items.find(({ label }) => themeNames[theme].test(label)));
        const { label } = await poll(found, `a theme for ${theme}`, 5000);
        await quick.accept(label, { limit: 5000 });
        await page.locator(`.monaco-workbench.${themeKinds[theme]}`).waitFor({ timeout: 5000 });
        return true;
      };
      await poll(
        () =>
          pick().catch(async (error) => {
            problem = error;
            await quick.close();
          }),
        () => `the theme ${theme}: ${problem?.message}`,
      );
    },

    /** Writes a PNG of the window (or of a clip of it) and returns its path. */
    async screenshot(name, options = {}) {
      const path = join(await ensure(join(screenshotsFolder, version)), `${name}.png`);
      await page.screenshot({ path, animations: 'disabled', ...options });
      return path;
    },

    async close() {
      await browser.close().catch(() => {});
      await server.stop();
    },
  };
}
