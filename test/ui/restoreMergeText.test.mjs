// Merging by hand where there is no merge editor: a text with markers, beside a diff.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const preview = 'Restore Preview';

describe(`Merging without a merge editor in VS Code ${host}`, function () {
  this.timeout(120_000);
  this.slow(30_000);
  let history;
  let workbench;
  const note = () => join(history.root, 'note.md');

  before(async () => {
    history = temporaryHistory();
    writeFileSync(note(), 'first\nsecond\nthird\n');
    const edit = { file_path: note(), old_string: 'second', new_string: 'The agent’s words' };
    const turn = { agent: 'claude-code', session: '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11', prompt: 'Write the second' };
    history.play([{ ...turn, calls: [{ tool: 'Edit', input: edit }] }]);
    writeFileSync(note(), 'first\nMy words\nthird\n');
    const extensions = [checkout, join(checkout, 'test/ui/fixtures/no-merge-editor')];
    workbench = await openWorkbench({ host, folder: history.root, extensions, env: history.env });
    await workbench.openView('Agent Checkpoints');
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed' || !workbench) return;
    await workbench.screenshot(`failed-merge-text-${this.currentTest.title.replace(/\W+/g, '-')}`).catch(() => {});
  });

  after(async () => {
    await workbench?.close();
    history?.remove();
  });

  const shows = (what) =>
    workbench.poll(
      async () => what.test(await workbench.activeEditorText()),
      async () => `${what} in the editor, which shows:\n${await workbench.activeEditorText()}`,
    );

  it('opens the text with both versions between markers', async () => {
    await workbench.clickInline(await workbench.row('Checkpoints', /^Write the second/), 'Restore: Undo This Turn…');
    await workbench.dialog('Decide for Each…');
    await workbench.clickRow(await workbench.row(preview, /^note\.md keep mine/));
    await workbench.poll(() => workbench.quick.find('Merge'), 'the choices for the file');
    await workbench.quickPick('Merge');
    await shows(/<<<<<<< .*\nMy words\n(\|{7}.*\n[^]*)?=======\nsecond\n>>>>>>> /);
    await workbench.screenshot('merge-text');
  });

  it('does not take it while markers are left', async () => {
    const { editorTitles, page } = workbench;
    await page.locator('.part.editor .editor-actions').getByLabel('Use This Merge').first().click();
    await workbench.notification('still has conflict markers');
    await workbench.clearNotifications();
    assert.ok((await editorTitles()).includes('note.md'));
    await workbench.row(preview, /^note\.md keep mine/);
  });

  it('takes the text as the person leaves it, and restores that', async () => {
    const { keyboard } = workbench.page;
    await workbench.page.locator('.part.editor .editor-group-container.active .view-lines').first().click();
    await keyboard.press('Control+A');
    await keyboard.type('first\nBoth words\nthird\n');
    await shows(/^first\nBoth words\nthird\n?$/);
    await workbench.page.locator('.part.editor .editor-actions').getByLabel('Use This Merge').first().click();
    await workbench.row(preview, /^note\.md merged by you/);
    await workbench.titleAction('Restore What Is Checked');
    await workbench.poll(() => readFileSync(note(), 'utf8') === 'first\nBoth words\nthird\n', 'the merged file');
    await workbench.clickNotification('Restored', 'Undo');
    await workbench.poll(() => readFileSync(note(), 'utf8') === 'first\nMy words\nthird\n', 'the person’s words again');
  });
});
