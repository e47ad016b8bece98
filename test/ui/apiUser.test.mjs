// Another extension writes through the exported API, and a person takes it back in the real workbench.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const view = 'Checkpoints';

describe(`Another extension's edit in VS Code ${host}`, function () {
  this.timeout(120_000);
  this.slow(30_000);
  let history;
  let workbench;

  before(async () => {
    history = temporaryHistory();
    writeFileSync(join(history.root, 'typed.txt'), 'on disk\n');
    writeFileSync(join(history.root, 'old.txt'), 'old\r\n');
    workbench = await openWorkbench({
      host,
      folder: history.root,
      extensions: [checkout, join(checkout, 'test/host/fixtures/api-user')],
      settings: { 'agentCheckpoints.enabled': true },
      env: history.env,
    });
    await workbench.openView('Agent Checkpoints');
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await workbench?.screenshot('failed-api-user').catch(() => {});
  });

  after(async () => {
    await workbench?.close();
    history?.remove();
  });

  it('over an unsaved, a new and a renamed file is one row, and one click gives all back', async () => {
    const before = history.tree();
    await workbench.openFile('typed.txt');
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('not saved ');
    await workbench.runCommand('API User: Edit Three Files');
    const row = await workbench.row(view, /^Change three files.*4 files/);
    await workbench.poll(() => history.tree()['new.txt'] === before['old.txt'], 'the file is renamed');

    await workbench.clickInline(row, 'Restore: Undo This Turn…');
    const question = await workbench.dialog('Restore');
    assert.match(question.detail, /typed\.txt: changed, in its editor and not saved/);
    await workbench.notification(/^Restored/);
    assert.deepEqual(history.tree(), before);
    await workbench.poll(async () => {
      const text = await workbench.activeEditorText();
      return text.includes('not saved on disk') && !text.includes('The agent was here');
    }, 'the unsaved text is back in the editor');
    await workbench.screenshot('api-user');
  });
});
