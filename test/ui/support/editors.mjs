// The editor area.
import { basename } from 'node:path';
import { poll } from './poll.mjs';

/** @param {import('playwright-core').Page} page @param {ReturnType<import('./quick-input.mjs').quickInputOf>} quick */
export function editorsOf(page, quick) {
  const group = page.locator('.part.editor .editor-group-container.active');

  /** The titles of the open editors, in all groups. */
  async function editorTitles() {
    const tabs = page.locator('.part.editor .tabs-container .tab');
    return tabs.evaluateAll((elements) => elements.map((tab) => tab.querySelector('.label-name')?.textContent ?? ''));
  }

  /** The title of the active editor, or undefined. */
  async function activeEditor() {
    const tab = group.locator('.tab.active .label-name').first();
    return (await tab.count()) ? ((await tab.textContent()) ?? '').trim() : undefined;
  }

  /** The lines on screen in the active editor; of a diff editor, those of the side asked for. */
  async function activeEditorText(side = 'modified') {
    const diff = group.locator(`.monaco-diff-editor .editor.${side}`);
    const editor = (await diff.count()) ? diff : group.locator('.editor-instance .monaco-editor');
    return editor
      .first()
      .locator('.view-line')
      .evaluateAll((lines) =>
        lines
          .map((line) => ({ top: Number.parseInt(line.style.top, 10), text: line.textContent.replaceAll('\u00a0', ' ') }))
          .sort((a, b) => a.top - b.top)
          .map(({ text }) => text)
          .join('\n'),
      );
  }

  /** Opens a file of the workspace through "Go to File". */
  async function openFile(path) {
    const name = basename(path);
    await quick.open('Control+P', path);
    await quick.accept(name);
    await poll(async () => (await activeEditor()) === name, `the editor of ${path}`);
  }

  return { editorTitles, activeEditor, activeEditorText, openFile };
}
