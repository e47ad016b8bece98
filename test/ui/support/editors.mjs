// The editor area.
import { basename } from 'node:path';
import { poll } from './poll.mjs';

/** @param {import('playwright-core').Page} page @param {ReturnType<import('./quick-input.mjs').quickInputOf>} quick */
export function editorsOf(page, quick) {
  const group = page.locator('.part.editor .editor-group-container.active');

  /** A tab's name may be split into parts: "note" and ".txt". */
  const namesIn = (tabs) =>
    tabs.evaluateAll((elements) =>
      elements.map((tab) =>
        [...tab.querySelectorAll('.monaco-icon-name-container, .monaco-icon-suffix-container')]
          .map((part) => part.textContent)
          .join('')
          .trim(),
      ),
    );

  /** The titles of the open editors, in all groups. */
  const editorTitles = () => namesIn(page.locator('.part.editor .tabs-container .tab'));

  /** The title of the active editor, or undefined. */
  const activeEditor = async () => (await namesIn(group.locator('.tab.active')))[0];

  /** The lines on screen in the active editor; of a diff editor, those of the side asked for. */
  async function activeEditorText(side = 'modified') {
    const diff = group.locator(`.monaco-diff-editor .editor.${side}`);
    const editor = (await diff.count()) ? diff : group.locator('.editor-instance .monaco-editor');
    return editor
      .first()
      .locator('.view-line')
      .evaluateAll((lines) =>
        lines
          .map((line) => ({
            top: Number.parseInt(line.style.top, 10),
            text: line.textContent.replaceAll('\u00a0', ' '),
          }))
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
    await group.locator('.editor-instance .view-line').first().waitFor();
  }

  return { editorTitles, activeEditor, activeEditorText, openFile };
}
