// Taking a turn back with eyes open: the preview with its check boxes, and the choice for each path that a person
// changed since; by mouse, and by keyboard alone.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const view = 'Checkpoints';
const preview = 'Restore Preview';

/** Forty numbered lines, some of them changed. */
const lines = (changes = {}) =>
  Array.from({ length: 40 }, (_, i) => `${changes[i + 1] ?? `Line ${i + 1} of the report.`}\n`).join('');
const [top, middle, end] = ['The agent wrote the top.', 'The agent wrote the middle.', 'The agent wrote the end.'];

const session = '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11';

describe(`Restoring with a preview in VS Code ${host}`, function () {
  this.timeout(180_000);
  this.slow(30_000);
  let history;
  let workbench;
  const at = (name) => join(history.root, name);
  const read = (name) => readFileSync(at(name), 'utf8');
  const files = () => ({ report: read('report.md'), cart: read('src/cart.ts'), note: history.tree()['note.md'] });
  let cart;
  const agentsCart = () => cart.replace('let sum = 0;', 'let sum = 0; // cents');

  before(async () => {
    history = temporaryHistory();
    writeFileSync(at('report.md'), lines());
    cart = read('src/cart.ts');
    const edit = (line, text) => ({
      tool: 'Edit',
      input: { file_path: at('report.md'), old_string: `Line ${line} of the report.`, new_string: text },
    });
    const turn = (prompt, ...calls) => ({ agent: 'claude-code', session, prompt, calls });
    history.play([
      turn('Write the top', edit(3, top)),
      turn(
        'Write the middle',
        edit(20, middle),
        {
          tool: 'Edit',
          input: { file_path: at('src/cart.ts'), old_string: 'let sum = 0;', new_string: 'let sum = 0; // cents' },
        },
        { tool: 'Write', input: { file_path: at('note.md'), content: 'A note\n' } },
      ),
      turn('Write the end', edit(37, end)),
    ]);
    workbench = await openWorkbench({ host, folder: history.root, extensions: [checkout], env: history.env });
    await workbench.openView('Agent Checkpoints');
  });

  afterEach(async function () {
    if (this.currentTest?.state !== 'failed' || !workbench) return;
    await workbench.screenshot(`failed-restore-${this.currentTest.title.replace(/\W+/g, '-')}`).catch(() => {});
  });

  after(async () => {
    await workbench?.close();
    history?.remove();
  });

  /** Waits until the files are as given; what is not named stays as the agent left it. */
  const becomes = ({ report = lines({ 3: top, 20: middle, 37: end }), cart: wanted = agentsCart(), note = true }) =>
    workbench.poll(
      () => {
        const now = files();
        return now.report === report && now.cart === wanted && (now.note !== undefined) === note;
      },
      () => `the files; they are: ${JSON.stringify(files())}`,
    );
  /** The message comes after the files; left there, it would take the next Escape. */
  const told = async () => {
    await workbench.notification('A guard checkpoint keeps');
    await workbench.clearNotifications();
  };
  const row = (what) => workbench.row(preview, what);
  const ended = () =>
    workbench.poll(async () => (await workbench.treeRows(preview)).length === 0, 'the preview closes');
  const rowFocused = async () => ((await workbench.treeRows(preview)).length > 0 ? workbench.focusedRow(preview) : '');
  /** What the view shows comes before the diff and the focus. */
  const previewFocused = (what) =>
    workbench.poll(
      async () => what.test(await rowFocused()),
      async () => `the focus on ${what}; it is on ${await rowFocused()}`,
    );
  const themes = async (name) => {
    for (const theme of ['light', 'hc', 'dark']) {
      await workbench.setTheme(theme);
      await workbench.screenshot(`${name}-${theme}`);
    }
  };

  it('shows what will happen, in words and as one diff of all files', async () => {
    await workbench.clickInline(await workbench.row(view, /^Write the middle/), 'Restore: Undo This Turn…');
    await workbench.dialog('Preview and Choose…');
    await previewFocused(/^Restore 3 Files/);
    await row(/^report\.md merged with what came later/);
    await row(/^cart\.ts src · restored/);
    await row(/^note\.md removed/);
    await workbench.poll(
      async () => /report\.md/.test(await workbench.page.locator('.part.editor').innerText()),
      'the diff of all files',
    );
    await themes('preview');
  });

  it('restores what is checked, and the rest stands', async () => {
    await workbench.check(await row(/^cart\.ts/));
    await row(/^Restore 2 Files/);
    await workbench.clickRow(await row(/^Restore 2 Files/));
    await becomes({ report: lines({ 3: top, 37: end }), note: false });
    await ended();
    await told();
  });

  it('takes the rest of the middle turn back later, and redoes it all', async () => {
    await workbench.clickInline(await workbench.row(view, /^Write the middle/), 'Restore: Undo This Turn…');
    await workbench.dialog('Restore');
    await becomes({ report: lines({ 3: top, 37: end }), cart, note: false });
    await told();
    await workbench.runCommand('Agent: Redo');
    await workbench.dialog('Restore');
    await becomes({ report: lines({ 3: top, 37: end }), note: false });
    await told();
    await workbench.runCommand('Agent: Redo');
    await workbench.dialog('Restore');
    await becomes({});
    await told();
  });

  /** The person writes where the agent wrote, and elsewhere in a file. */
  let mine;
  /** Each time something else: what a restore has seen is no longer the person's alone. */
  const writeMine = (words) => {
    mine = {
      report: lines({ 3: top, 20: `${words} in the middle.`, 37: end }),
      cart: () => `// ${words}\n${agentsCart()}`,
    };
    writeFileSync(at('report.md'), mine.report);
    writeFileSync(at('src/cart.ts'), mine.cart());
  };

  it('asks for each path that was changed since: one is merged by itself, one in the merge editor', async () => {
    writeMine('Mine');
    await workbench.clickInline(await workbench.row(view, /^Write the middle/), 'Restore: Undo This Turn…');
    const { detail } = await workbench.dialog('Decide for Each…');
    assert.match(detail, /report\.md: it was changed after the last recorded write \(of /);
    await previewFocused(/^Restore 1 File/);
    await row(/^report\.md keep mine · it was changed after/);
    await workbench.clickInline(await row(/^cart\.ts .*keep mine/), 'Merge');
    await row(/^cart\.ts src · merged/);
    await themes('conflicts');

    await workbench.clickRow(await row(/^report\.md/));
    await workbench.poll(() => workbench.quick.find('Merge'), 'the choices for the file');
    await workbench.screenshot('conflict-choices');
    await workbench.quickPick('Merge');
    const side = workbench.page.locator('.part.editor a').filter({ hasText: /^Accept Before the agent$/ });
    await side.first().waitFor();
    await workbench.screenshot('merge');
    await side.first().click();
    await workbench.page.locator('.part.editor .editor-actions').getByLabel('Use This Merge').first().click();
    await row(/^report\.md merged by you/);
    await row(/^Restore 3 Files/);
    await workbench.screenshot('merged');
    await workbench.titleAction('Restore What Is Checked');
    await becomes({ report: lines({ 3: top, 37: end }), cart: `// Mine\n${cart}`, note: false });
    await ended();
  });

  it('gives all of it back through the message, the person’s changes too', async () => {
    await workbench.clickNotification('Restored', 'Undo');
    await becomes({ report: mine.report, cart: mine.cart() });
    await told();
  });

  it('does all of it by keyboard alone', async () => {
    writeMine('Mine again');
    const { keyboard } = workbench.page;
    const focused = () => workbench.page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const goTo = async (what) => {
      for (let i = 0; i < 12 && !what.test(await rowFocused()); i++) {
        const before = await rowFocused();
        await keyboard.press('ArrowDown');
        await workbench.poll(async () => (await rowFocused()) !== before, 'the next row');
      }
      assert.match(await rowFocused(), what);
    };
    const choose = async (text) => {
      await workbench.poll(async () => (await workbench.quickPickItems()).length > 0, 'a picker');
      await keyboard.type(text);
      await workbench.poll(
        async () => (await workbench.quickPickItems())[0]?.label.startsWith(text),
        `the entry ${text}`,
      );
      await keyboard.press('Enter');
    };
    await workbench.quick.open('F1', '>Agent: Restore Checkpoint…');
    await workbench.poll(
      async () => (await workbench.quickPickItems())[0]?.label === 'Agent: Restore Checkpoint…',
      'the command',
    );
    await keyboard.press('Enter');
    await choose('Write the middle');
    await choose('Undo this turn');
    await workbench.dialog();
    for (let i = 0; i < 8 && (await focused()) !== 'Decide for Each…'; i++) await keyboard.press('Tab');
    assert.equal(await focused(), 'Decide for Each…');
    await keyboard.press('Enter');
    await previewFocused(/^Restore 1 File/);
    await goTo(/^note\.md/);
    await keyboard.press('Space');
    await row(/^Nothing to Restore/);
    await goTo(/^report\.md/);
    await keyboard.press('Enter');
    await choose('Overwrite');
    await row(/^report\.md overwritten/);
    await previewFocused(/^report\.md/);
    await workbench.screenshot('keyboard');
    await keyboard.press('Control+Enter');
    // What came later goes with it: that is what overwriting means.
    await becomes({ report: lines({ 3: top }), cart: mine.cart() });
    await ended();
    await told();
    await workbench.runCommand('Agent: Redo');
    await workbench.dialog('Restore');
    await becomes({ report: mine.report, cart: mine.cart() });
    await told();
  });

  it('is cancelled by Escape, and nothing is written', async () => {
    writeMine('Mine once more');
    const { keyboard } = workbench.page;
    await workbench.clickInline(await workbench.row(view, /^Write the middle/), 'Restore: Undo This Turn…');
    await workbench.dialog('Decide for Each…');
    await previewFocused(/^Restore 1 File/);
    await workbench.page.setViewportSize({ width: 600, height: 700 });
    await workbench.screenshot('preview-narrow');
    await workbench.page.setViewportSize({ width: 1280, height: 800 });
    await keyboard.press('Escape');
    await ended();
    await becomes({ report: mine.report, cart: mine.cart() });
  });

  it('never writes under unsaved text: the result goes into the editor, and one undo takes it back', async () => {
    const { keyboard } = workbench.page;
    writeFileSync(at('report.md'), lines({ 3: top, 20: middle, 37: end }));
    await workbench.openFile('report.md');
    await workbench.poll(
      async () => (await workbench.activeEditorText()).includes(middle),
      'the editor follows the file',
    );
    await keyboard.press('Control+End');
    await keyboard.type('Not saved.');
    await workbench.runCommand('Agent: Undo Last Turn');
    const { buttons } = await workbench.dialog();
    assert.ok(buttons.includes('Save First'), buttons.join());
    await workbench.screenshot('unsaved');
    await workbench.dialog('Decide for Each…');
    await previewFocused(/^Nothing to Restore/);
    await workbench.clickRow(await row(/^report\.md/));
    await workbench.quickPick('Merge');
    await row(/^report\.md merged/);
    await workbench.clickRow(await row(/^Restore 1 File/));
    await ended();
    await workbench.openFile('report.md');
    await keyboard.press('Control+End');
    await workbench.poll(async () => {
      const text = await workbench.activeEditorText();
      return text.includes('Not saved.') && !text.includes(end);
    }, 'the result in the editor, with what was typed');
    await becomes({ cart: mine.cart() });
    await keyboard.press('Control+Z');
    await workbench.poll(async () => {
      const text = await workbench.activeEditorText();
      return text.includes('Not saved.') && text.includes(end);
    }, 'one undo takes it back');
    await becomes({ cart: mine.cart() });
  });
});
