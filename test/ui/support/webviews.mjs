// Webviews in the browser: VS Code loads their frame from the internet; here it comes from the host's own files.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const types = { html: 'text/html', js: 'text/javascript' };

/** @param {import('playwright-core').BrowserContext} context @param {{ server: string }} host */
export async function serveWebviews(context, host) {
  const folder = join(host.server, 'out/vs/workbench/contrib/webview/browser/pre');
  await context.route(
    (url) => url.hostname.endsWith('.vscode-cdn.net'),
    async (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1);
      const isFrame = /^[\w-]+\.(html|js)$/.test(name) && route.request().url().includes('/webview/browser/pre/');
      if (!isFrame) return await route.fallback();
      const body = await readFile(join(folder, name));
      return await route.fulfill({ body, contentType: types[name.split('.').at(-1)] });
    },
  );
}

/**
 * The page inside of the webview that is shown.
 * @param {import('playwright-core').Page} page
 */
export const webviewOf = (page) => page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
