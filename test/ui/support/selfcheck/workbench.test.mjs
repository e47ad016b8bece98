// Proves the workbench driver in both versions of VS Code, with an extension that has one of everything.
// Run: node --test test/ui/support/selfcheck/workbench.test.mjs
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { recipes } from '../../../hosts/recipes.mjs';
import { openWorkbench } from '../workbench.mjs';

const extension = join(dirname(fileURLToPath(import.meta.url)), 'extension');

for (const host of Object.keys(recipes)) {
  for (const theme of ['dark', 'light']) {
    describe(`VS Code ${host}, ${theme}`, () => {
      let folder;
      let workbench;
      before(async () => {
        folder = await realpath(await mkdtemp(join(tmpdir(), 'ui-selfcheck-')));
        await writeFile(join(folder, 'note.txt'), 'one\ntwo\n');
        await writeFile(join(folder, 'other.txt'), 'one\n2\n');
        const settings = { 'editor.fontSize': 15 };
        workbench = await openWorkbench({ host, folder, extensions: [extension], theme, settings });
      });
      after(async () => {
        await workbench?.close();
        if (folder) await rm(folder, { recursive: true, force: true });
      });

      it('opens a file', async () => {
        await workbench.openFile('note.txt');
        assert.equal((await workbench.activeEditorText()).trimEnd(), 'one\ntwo');
      });

      it('runs a command with a picker, an input box and a notification', async () => {
        await workbench.runCommand('UI Selfcheck: Pick a Fruit');
        await workbench.quickPick('Lemon');
        await workbench.quickInput('3');
        await workbench.clickNotification('Picked 3 of Lemon', 'Thanks');
        await workbench.notification('Pressed Thanks');
        await workbench.clearNotifications();
        assert.deepEqual(await workbench.notifications(), []);
      });

      it('reads and works a tree', async () => {
        await workbench.openView('Fruit Basket');
        const citrus = await workbench.row('Fruit', 'Citrus');
        assert.equal(citrus.description, '2 kinds');
        await workbench.expand(citrus);
        const lemon = await workbench.row('Fruit', 'Lemon');
        assert.deepEqual([lemon.level, lemon.icon], [2, 'circle-filled']);
        assert.match(await workbench.hover(lemon), /About Lemon/);
        await workbench.clickRow(lemon);
        await workbench.poll(async () => (await workbench.activeEditor()) === 'Lemon (diff)', 'the diff opens');
        await workbench.poll(
          async () => (await workbench.activeEditorText('original')).startsWith('one\ntwo'),
          'the left side',
        );
        assert.match(await workbench.activeEditorText(), /^one\n2/);
        assert.deepEqual(await workbench.contextMenuTitles(lemon), ['Look At']);
        await workbench.screenshot(`selfcheck-${theme}-tree`);
      });

      it('presses an inline button and answers its dialog', async () => {
        await workbench.clickInline(await workbench.row('Fruit', 'Lemon'), 'Eat');
        const { message, detail } = await workbench.dialog();
        assert.deepEqual([message, detail], ['Eat the Lemon?', 'It will be gone.']);
        await workbench.screenshot(`selfcheck-${theme}-dialog`);
        await workbench.dialog('Eat');
        await workbench.row('Fruit', (row) => row.label === 'Citrus' && row.description === '1 kinds');
        assert.deepEqual(
          (await workbench.treeRows('Fruit')).map((row) => row.label),
          ['Citrus', 'Orange', 'Berries'],
        );
      });

      it('presses a button in the title of a view, with our settings in force', async () => {
        await workbench.titleAction('Refresh Fruit');
        await workbench.notification('Setting is 15');
        await workbench.screenshot(`selfcheck-${theme}-notification`);
      });
    });
  }
}
