// Takes the pictures of the README from the real product: `npm run pictures`. Look at them before you commit them.
import path from 'node:path';
import { copyFileSync, mkdirSync } from 'node:fs';
import { checkout, prepare } from '../setup/prepare.mjs';
import { temporaryHistory } from '../ui/support/history.mjs';
import { openWorkbench } from '../ui/support/workbench.mjs';
import { turns } from './turns.mjs';

const images = path.join(checkout, 'docs', 'images');
const view = 'Checkpoints';

await prepare();
mkdirSync(images, { recursive: true });
const history = temporaryHistory();
history.play(turns(history.root));
const workbench = await openWorkbench({
  folder: history.root,
  extensions: [checkout],
  env: history.env,
  theme: 'light',
  viewport: { width: 1100, height: 620 },
  settings: { 'workbench.activityBar.location': 'default' },
});
try {
  await workbench.openView('Agent Checkpoints');
  // A wider side bar, as people have it who read prompts in it.
  const sash = await workbench.page.locator('.part.sidebar').boundingBox();
  await workbench.page.mouse.move(sash.x + sash.width, 300);
  await workbench.page.mouse.down();
  await workbench.page.mouse.move(sash.x + sash.width + 170, 300, { steps: 5 });
  await workbench.page.mouse.up();

  await workbench.expand(await workbench.row(view, /^Tidy up/));
  await workbench.expand(await workbench.row(view, /^Use reduce/));
  await workbench.expand(await workbench.row(view, /^cart\.ts/));
  await workbench.clickInline(await workbench.row(view, /^Use reduce/), 'Preview Changes');
  await workbench.poll(
    async () => /line\.count/.test(await workbench.page.locator('.part.editor').innerText()),
    'the changes of the turn',
  );
  await workbench.page.mouse.move(600, 560);
  copyFileSync(await workbench.screenshot('readme-preview'), path.join(images, 'preview.png'));

  await workbench.runCommand('View: Close All Editors');
  const row = await workbench.row(view, /^stock list\.csv/);
  await workbench.poll(async () => (await workbench.hover(row)).includes('milk,48'), 'the diff in the hover');
  const clip = { x: 0, y: 0, width: 760, height: 420 };
  copyFileSync(await workbench.screenshot('readme-view', { clip }), path.join(images, 'view.png'));
} finally {
  await workbench.close();
  history.remove();
}
