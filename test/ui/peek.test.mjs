// Seeing an agent's changes in the editor itself, and taking single ones back: by mouse, and by keyboard alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const view = 'Checkpoints';
const name = 'src/shelf.ts';

const original = `// Where things stand in the shop.
export interface Shelf {
  readonly name: string;
  readonly items: readonly string[];
}

export function names(shelves: readonly Shelf[]): string[] {
  const found: string[] = [];
  for (const shelf of shelves) {
    found.push(shelf.name);
  }
  return found;
}

export function find(shelves: readonly Shelf[], item: string): Shelf | undefined {
  return shelves.find((shelf) => shelf.items.includes(item));
}

/** Kept for the old till. */
export function first(shelves: readonly Shelf[]): Shelf {
  return shelves[0];
}

${Array.from({ length: 30 }, (_, i) => `export const row${i} = ${i};`).join('\n')}

export function label(shelf: Shelf): string {
  return shelf.name + ': ' + shelf.items.join(', ');
}
`;

const loop = `  const found: string[] = [];
  for (const shelf of shelves) {
    found.push(shelf.name);
  }
  return found;
`;
const till = `/** Kept for the old till. */
export function first(shelves: readonly Shelf[]): Shelf {
  return shelves[0];
}

`;
/** What the agent does, each as one hunk of the file, from the top. */
const edits = [
  [loop, '  return shelves.map((shelf) => shelf.name);\n'],
  [
    'item: string): Shelf | undefined {\n',
    'item: string): Shelf | undefined {\n  // An empty name is on no shelf.\n  if (item === "") return undefined;\n',
  ],
  [till, ''],
  ["  return shelf.name + ': ' + shelf.items.join(', ');\n", "  return `${shelf.name}: ${shelf.items.join(', ')}`;\n"],
];

for (const { theme, git } of [
  { theme: 'dark', git: true },
  { theme: 'light', git: false },
]) {
  describe(`Peek Changes in VS Code ${host}, ${theme}, ${git ? 'with' : 'without'} Git`, function () {
    this.timeout(120_000);
    this.slow(30_000);
    let history;
    let workbench;
    const file = () => join(history.root, name);
    const onDisk = () => readFileSync(file(), 'utf8');
    /** The file as the agent left it, with some of its edits, by number, put back. */
    const without = (...undone) =>
      edits.reduce((text, [from, to], i) => (undone.includes(i) ? text : text.replace(from, () => to)), original);
    const becomes = (text) =>
      workbench.poll(
        () => onDisk() === text,
        () => `the file on disk becomes:\n${text}\nit is:\n${onDisk()}`,
      );

    before(async () => {
      history = temporaryHistory();
      writeFileSync(file(), original);
      if (git) {
        const run = (...args) => execFileSync('git', args, { cwd: history.root, stdio: 'ignore' });
        run('init');
        run('add', '-A');
        run('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-m', 'x');
      }
      const calls = edits.map(([old_string, new_string]) => ({
        tool: 'Edit',
        input: { file_path: file(), old_string, new_string },
      }));
      const session = '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11';
      history.play([{ agent: 'claude-code', session, prompt: 'Shorten the shelf module', calls }]);
      assert.equal(onDisk(), without());
      workbench = await openWorkbench({ host, theme, folder: history.root, extensions: [checkout], env: history.env });
      await workbench.openView('Agent Checkpoints');
    });

    afterEach(async function () {
      if (this.currentTest?.state !== 'failed' || !workbench) return;
      await workbench.screenshot(`failed-peek-${theme}-${this.currentTest.title.replace(/\W+/g, '-')}`).catch(() => {});
    });

    after(async () => {
      await workbench?.close();
      history?.remove();
    });

    const lenses = () => workbench.page.locator('.codelens-decoration').filter({ hasText: 'Undo This Hunk' });
    /** The buttons above the hunk whose position is `1 of 4`. */
    const lens = (position, title) =>
      workbench.page
        .locator('.codelens-decoration')
        .filter({ hasText: position })
        .locator('a')
        .filter({ hasText: new RegExp(`^${title}$`) });
    /** Waits until that many changes are left. Those out of sight have no buttons. */
    const left = (count) =>
      workbench.page
        .locator('.codelens-decoration')
        .filter({ hasText: `of ${count} (` })
        .first()
        .waitFor();
    const cursorAt = (line) =>
      workbench.poll(
        async () => (await workbench.statusBar()).some((text) => text.startsWith(`Ln ${line},`)),
        async () => `the cursor in line ${line}: ${await workbench.statusBar()}`,
      );
    const isPanelOpen = () => workbench.page.locator('.part.panel, .part.auxiliarybar').locator('visible=true').count();
    const peeked = async () => {
      await workbench.poll(async () => (await workbench.activeEditor()) === 'shelf.ts', 'the editor of the file');
      await lenses().first().waitFor();
    };
    const closed = () => workbench.poll(async () => (await lenses().count()) === 0, 'the buttons are gone');
    const openFromView = async () => {
      const turn = await workbench.row(view, /^Shorten the shelf/);
      await workbench.expand(turn);
      await workbench.clickRow(await workbench.row(view, /^shelf\.ts/));
      await peeked();
    };

    it('opens on a click on the file in the view, at the first change, and opens nothing else', async () => {
      const panels = await isPanelOpen();
      await openFromView();
      await cursorAt(8);
      assert.deepEqual(await workbench.editorTitles(), ['shelf.ts']);
      assert.equal(await isPanelOpen(), panels);
      assert.equal(await workbench.page.locator('.comments-panel, .review-widget').count(), 0);
      await workbench.screenshot(`peek-${theme}`);
      if (theme !== 'dark') return;
      await workbench.setTheme('hc');
      await workbench.screenshot('peek-hc');
      await workbench.setTheme('dark');
    });

    it('goes to the next and the previous change by its buttons', async () => {
      await lens('1 of 4', 'Next').click();
      await cursorAt(12);
      await workbench.screenshot(`peek-added-${theme}`);
      await lens('2 of 4', 'Next').click();
      await cursorAt(17);
      await workbench.screenshot(`peek-removed-${theme}`);
      await lens('3 of 4', 'Next').click();
      await cursorAt(49);
      await workbench.screenshot(`peek-last-${theme}`);
      await lens('4 of 4', 'Previous').click();
      await cursorAt(17);
    });

    it('shows the lines from before and now where they are pointed at', async () => {
      const line = workbench.page.locator('.editor-instance .view-line').filter({ hasText: 'shelves.map' });
      await line.first().hover({ position: { x: 60, y: 8 } });
      const hover = workbench.page.locator('.part.editor .monaco-hover:visible').filter({ hasText: 'Show Before' });
      await hover.waitFor();
      assert.match(await hover.innerText(), /-\s*return found;/);
      await workbench.screenshot(`peek-hover-${theme}`);
      await workbench.page.mouse.move(1, 1);
      await hover.waitFor({ state: 'hidden' });
    });

    it('shows what was there before, in place', async () => {
      await lens('3 of 4', 'Show Before').click();
      const zone = workbench.page.locator('.peekview-widget');
      await workbench.poll(
        async () =>
          (await zone.locator('.view-lines').first().innerText()).replaceAll('\u00a0', ' ').includes('old till'),
        'the lines before in the peek view',
      );
      await workbench.screenshot(`peek-before-${theme}`);
      await workbench.page.keyboard.press('Escape');
      await zone.first().waitFor({ state: 'detached' });
    });

    it('takes one change back by its button, and that back by its message', async () => {
      await lens('3 of 4', 'Undo This Hunk').click();
      await becomes(without(2));
      // At once: a busy machine may take the message away before it is clicked.
      await workbench.clickNotification('Restored 1 file', 'Undo');
      await becomes(without());
      await left(4);
      await workbench.clearNotifications();
    });

    it('is closed by its button', async () => {
      await lens('3 of 4', 'Close').click();
      await closed();
    });

    it('does all of it by keyboard alone', async () => {
      const { keyboard } = workbench.page;
      const undo = async () => {
        await keyboard.press('Control+K');
        await keyboard.press('Control+Z');
      };
      await workbench.runCommand('Agent: Peek Changes');
      await peeked();
      await cursorAt(8);
      await keyboard.press('F7');
      await cursorAt(12);
      await keyboard.press('F7');
      await cursorAt(17);
      await keyboard.press('Shift+F7');
      await cursorAt(12);
      await undo();
      await becomes(without(1));
      await left(3);
      await workbench.screenshot(`peek-undone-${theme}`);
      await keyboard.press('F7');
      await undo();
      await workbench.poll(() => onDisk() !== without(1), 'another change is taken back');
      assert.ok([without(1, 0), without(1, 2)].includes(onDisk()));
      await workbench.clearNotifications();
      await keyboard.press('Control+1');
      await workbench.poll(async () => {
        await keyboard.press('Escape');
        return (await lenses().count()) === 0;
      }, 'Escape closes it');
      for (const left of [without(1), without()]) {
        await workbench.runCommand('Agent: Redo');
        await workbench.dialog('Restore');
        await becomes(left);
        await workbench.clearNotifications();
      }
    });

    it('follows what is typed, and puts a result into an editor with unsaved text, never under it', async () => {
      const { keyboard } = workbench.page;
      await workbench.runCommand('Agent: Peek Changes');
      await peeked();
      await cursorAt(8);
      await keyboard.press('Control+Home');
      await keyboard.type('0;');
      await keyboard.press('Enter');
      await left(4);
      await keyboard.press('F7');
      await cursorAt(9);
      await lens('1 of 4', 'Undo This Hunk').click();
      await workbench.poll(
        async () => (await workbench.activeEditorText()).includes('found.push(shelf.name)'),
        'the lines from before in the editor',
      );
      assert.equal(onDisk(), without());
      await workbench.clearNotifications();
      await workbench.page.locator('.editor-instance .view-line').first().click();
      await keyboard.press('Control+S');
      await becomes(`0;\n${without(0)}`);
      await keyboard.press('Control+Z');
      await keyboard.press('Control+S');
      await becomes(`0;\n${without()}`);
    });

    it('tells what stands in the way where its lines were changed, and changes nothing', async () => {
      const text = `0;\n${without().replace('An empty name', 'Nothing')}`;
      await lenses().first().waitFor();
      // The save has to be over: what is written within it VS Code takes for its own, and does not load.
      await workbench.page.locator('.part.editor .tab.dirty').waitFor({ state: 'detached' });
      writeFileSync(file(), text);
      await left(3);
      await workbench.runCommand('Agent: Undo Last Turn');
      await workbench.dialog('Cancel');
      assert.equal(onDisk(), text);
    });

    it('fits into a narrow window', async () => {
      await workbench.page.setViewportSize({ width: 600, height: 700 });
      await lenses().first().waitFor();
      await workbench.screenshot(`peek-narrow-${theme}`);
      await workbench.page.setViewportSize({ width: 1280, height: 800 });
    });
  });
}
