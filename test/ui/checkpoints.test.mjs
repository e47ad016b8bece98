// The product as a person uses it: the real workbench, real clicks, real files.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { turns } from '../sample/turns.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const view = 'Checkpoints';

for (const theme of ['dark', 'light']) {
  describe(`The Checkpoints view in VS Code ${host}, ${theme}`, function () {
    this.timeout(120_000);
    this.slow(30_000);
    let history;
    let workbench;
    /** The workspace after each turn; at(0) is the one before all. */
    const at = [];

    before(async () => {
      history = temporaryHistory();
      at.push(history.tree());
      for (const turn of turns(history.root)) {
        history.play([turn]);
        at.push(history.tree());
      }
      workbench = await openWorkbench({
        host,
        theme,
        folder: history.root,
        extensions: [checkout],
        env: history.env,
      });
      await workbench.openView('Agent Checkpoints');
    });

    afterEach(async function () {
      if (this.currentTest?.state !== 'failed' || !workbench) return;
      await workbench.screenshot(`failed-${theme}-${this.currentTest.title.replace(/\W+/g, '-')}`).catch(() => {});
    });

    after(async () => {
      await workbench?.close();
      history?.remove();
    });

    /** Waits until the workspace is what it was after that many turns. */
    const treeBecomes = (turn) =>
      workbench.poll(() => {
        try {
          assert.deepEqual(history.tree(), at[turn]);
          return true;
        } catch {
          return false;
        }
      }, `the workspace is as after turn ${turn}`);

    it('lists the turns newest first, by their prompts, with agent and line counts', async () => {
      await workbench.row(view, /^Fail with a clear message/);
      const rows = (await workbench.treeRows(view)).filter(({ level }) => level === 1);
      assert.deepEqual(
        rows.map(({ label }) => label),
        turns('')
          .map(({ prompt }) => prompt)
          .reverse(),
      );
      await workbench.row(view, /^Use reduce.*Claude Code.*2 files \+4 −7/);
      await workbench.row(view, /^Tidy up.*VS Code.*3 files/);
    });

    it('unfolds a turn into files, and a file into its edits', async () => {
      await workbench.expand(await workbench.row(view, /^Use reduce/));
      const file = await workbench.row(view, /^cart\.ts src.*2 edits/);
      await workbench.row(view, /^stock list\.csv data/);
      await workbench.expand(file);
      await workbench.row(view, /^Edit .*\+1 −5/);
      await workbench.screenshot(`view-${theme}`);
    });

    it('shows a short diff when a file is pointed at', async () => {
      const row = await workbench.row(view, /^stock list\.csv/);
      const text = await workbench.poll(async () => {
        const shown = await workbench.hover(row);
        return shown.includes('milk,48') && shown;
      }, 'the diff in the hover');
      assert.match(text, /-\s*milk,33/);
      await workbench.screenshot(`hover-${theme}`);
    });

    it('opens the diff of a file through Preview, before against after', async () => {
      await workbench.clickInline(await workbench.row(view, /^stock list\.csv/), 'Preview Changes');
      await workbench.poll(
        async () => (await workbench.activeEditorText('original')).includes('milk,33'),
        'the left side',
      );
      await workbench.poll(
        async () => (await workbench.activeEditorText('modified')).includes('milk,48'),
        'the right side',
      );
      await workbench.screenshot(`diff-${theme}`);
    });

    it('opens all changes of a turn in one editor through Preview', async () => {
      await workbench.clickInline(await workbench.row(view, /^Tidy up/), 'Preview Changes');
      const multi = workbench.page.locator('.multiDiffEntry, .monaco-component.multiDiffEditor');
      await multi.first().waitFor();
      await workbench.poll(
        async () => /How to run|README\.md/.test(await workbench.page.locator('.part.editor').innerText()),
        'the files of the turn',
      );
      await workbench.screenshot(`changes-${theme}`);
    });

    it('restores a middle turn by one click and one answer, byte for byte, and the other turns stay', async () => {
      await workbench.clickInline(await workbench.row(view, /^Use reduce/), 'Restore: Undo This Turn…');
      const question = await workbench.dialog();
      assert.match(question.message, /Undo/);
      assert.match(question.detail, /cart\.ts/);
      await workbench.screenshot(`question-${theme}`);
      await workbench.dialog('Restore');
      await workbench.notification('Restored 2 files');
      await workbench.screenshot(`restored-${theme}`);
      const now = history.tree();
      assert.equal(now['src/cart.ts'], at[0]['src/cart.ts']);
      assert.equal(now['data/stock list.csv'], at[0]['data/stock list.csv']);
      assert.equal(now['README.md'], at[3]['README.md']);
      await workbench.row(view, /^Restored 2 files/);
    });

    it('takes the restore back through its message', async () => {
      await workbench.clickNotification('Restored 2 files', 'Undo');
      await treeBecomes(3);
      await workbench.clearNotifications();
    });

    it('undoes turn by turn and redoes, from the palette', async () => {
      for (const turn of [2, 1, 0]) {
        await workbench.runCommand('Agent: Undo Last Turn');
        await workbench.dialog('Restore');
        await treeBecomes(turn);
        await workbench.notification('A guard checkpoint keeps');
        await workbench.clearNotifications();
      }
      for (const turn of [1, 2, 3]) {
        await workbench.runCommand('Agent: Redo');
        await workbench.dialog('Restore');
        await treeBecomes(turn);
        await workbench.notification('A guard checkpoint keeps');
        await workbench.clearNotifications();
      }
    });

    it('follows what hooks in other processes write', async () => {
      const [turn] = turns(history.root);
      const text = '# Written while VS Code watches\n';
      const calls = [{ tool: 'Write', input: { file_path: join(history.root, 'notes.md'), content: text } }];
      history.play([{ ...turn, prompt: 'Write a note', calls }]);
      const before = Date.now();
      await workbench.row(view, /^Write a note.*1 file/);
      // A person must not wait; the limit leaves room for a busy machine.
      assert.ok(Date.now() - before < 10_000);
    });

    it('leaves alone what the person changed since, unless told to overwrite, and then keeps it in a guard', async () => {
      const note = join(history.root, 'notes.md');
      writeFileSync(note, 'A thought of my own\n');
      await workbench.runCommand('Agent: Undo Last Turn');
      const question = await workbench.dialog();
      assert.match(question.detail, /notes\.md/);
      await workbench.screenshot(`conflict-${theme}`);
      await workbench.dialog('Cancel');
      assert.ok(history.tree()['notes.md'].endsWith(Buffer.from('A thought of my own\n').toString('base64')));
      await workbench.runCommand('Agent: Undo Last Turn');
      await workbench.dialog('Overwrite (Keeps a Guard)');
      await workbench.poll(() => history.tree()['notes.md'] === undefined, 'the note is removed');
      await workbench.clickNotification('Removed 1 file', 'Undo');
      await workbench.poll(() => history.tree()['notes.md'] !== undefined, 'the note is back');
      await workbench.clearNotifications();
    });

    it('makes a checkpoint of the person’s own', async () => {
      await workbench.runCommand('Agent: Create Checkpoint');
      await workbench.quickInput('Before the release');
      await workbench.row(view, /^Before the release/);
    });

    it('verifies every stored byte, and says so', async () => {
      await workbench.runCommand('Agent: Verify Store');
      await workbench.notification(/^\d+ checkpoints verified, every stored byte is as it was captured/);
      await workbench.clearNotifications();
    });
  });
}
