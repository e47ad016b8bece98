// VS Code's quick input at the top of the window: the command palette, pickers and input boxes.
import { LIMIT_MS, poll } from './poll.mjs';

/** @param {import('playwright-core').Page} page */
export function quickInputOf(page) {
  const widget = page.locator('.quick-input-widget:visible');
  const input = widget.locator('.quick-input-box input, .quick-input-filter input').locator('visible=true').first();
  const rows = widget.locator('.quick-input-list .monaco-list-row');
  const shown = async () => (await widget.count()) > 0;

  /** The rows on screen, in order. */
  async function items() {
    return rows.evaluateAll((elements) =>
      elements
        .map((element) => ({
          index: Number(element.getAttribute('data-index')),
          label: element.querySelector('.monaco-icon-name-container')?.textContent?.trim() ?? '',
          description: element.querySelector('.label-description')?.textContent?.trim() ?? '',
          detail: element.querySelector('.quick-input-list-label-meta')?.textContent?.trim() ?? '',
          checked: element.querySelector('input[type=checkbox], .monaco-checkbox')
            ? element.getAttribute('aria-checked') === 'true' ||
              Boolean(element.querySelector('.monaco-checkbox.checked, input[type=checkbox]:checked'))
            : undefined,
        }))
        .sort((a, b) => a.index - b.index),
    );
  }

  /** What tells one quick input from the next that a command shows in its place. */
  async function fingerprint() {
    if (!(await shown())) return undefined;
    const title = await widget
      .locator('.quick-input-title')
      .textContent({ timeout: 1000 })
      .catch(() => '');
    const placeholder = await input.getAttribute('placeholder', { timeout: 1000 }).catch(() => '');
    return JSON.stringify([title, placeholder]);
  }

  /** Opens the quick input with its text set to `text`; the keys count only once the workbench listens to them. */
  async function open(key, text) {
    await poll(async () => {
      if (!(await shown())) await page.keyboard.press(key);
      // It closes when something else takes the focus: then it is opened again.
      return input.fill(text, { timeout: 2000 }).then(
        () => true,
        () => false,
      );
    }, `the quick input opens on ${key}`);
  }

  /** Finds the row whose label is exactly `label`, else one whose description or whole text is. */
  async function find(label) {
    const all = await items();
    return (
      all.find((item) => item.label === label) ?? all.find((item) => `${item.label} ${item.description}` === label)
    );
  }

  /** Accepts a row by its label, and waits until the quick input has closed or has become another one. */
  async function accept(label, { limit, before } = {}) {
    await poll(
      () => find(label),
      async () =>
        `an entry "${label}" in the quick input; there are: ${(await items()).map((i) => i.label).join(' | ')}`,
      limit,
    );
    const old = before ?? (await fingerprint());
    // Clicking moves focus to the row and accepts it, wherever the list put the focus. The list may be drawn again
    // between the look and the click.
    let tried = false;
    await poll(
      async () => {
        const found = await find(label);
        // A click that was given up for being late may have come through.
        if (!found && !(await shown())) {
          if (tried) return true;
          throw new Error(`The quick input closed before "${label}" was clicked.`);
        }
        if (!found) return false;
        tried = true;
        const row = widget.locator(`.quick-input-list .monaco-list-row[data-index="${found.index}"]`);
        return row.click({ timeout: 2000 }).then(
          () => true,
          () => false,
        );
      },
      `a click on "${label}"`,
      limit,
    );
    await poll(async () => (await fingerprint()) !== old, `the quick input goes on after "${label}"`);
  }

  return {
    isShown: shown,
    items,
    open,
    accept,
    find,
    /** Narrows down the list that is shown. */
    async filter(text, timeout = LIMIT_MS) {
      await widget.waitFor({ timeout });
      await input.fill(text, { timeout });
    },
    /** Types into the quick input that is shown and confirms with Enter. */
    async submit(text) {
      await widget.waitFor();
      await input.fill(text);
      await input.press('Enter');
    },
    /**
     * Takes the name that the dialog that saves offers. What is typed there would be lost: the dialog puts its own name
     * into the input whenever it has looked at the folder.
     */
    async save(name) {
      await widget.waitFor();
      await poll(
        async () => {
          const offered = await input.inputValue({ timeout: 2000 }).catch(() => '');
          if (offered.endsWith(name)) await input.press('Enter', { timeout: 2000 }).catch(() => {});
          return widget.waitFor({ state: 'hidden', timeout: 3000 }).then(
            () => true,
            () => false,
          );
        },
        () => `the dialog saves ${name}`,
      );
    },
    async title() {
      await widget.waitFor();
      return (await widget.locator('.quick-input-title').textContent())?.trim();
    },
    async text() {
      await widget.waitFor();
      return (await widget.innerText()).trim();
    },
    /** Ticks or unticks a row of a picker of many. */
    async toggle(label) {
      const item = await poll(() => find(label), `an entry "${label}" in the picker`);
      await widget.locator(`.quick-input-list .monaco-list-row[data-index="${item.index}"] .label-name`).click();
    },
    /** The OK button of a picker of many. */
    async confirm() {
      await widget.locator('.quick-input-action .monaco-button, .quick-input-header .monaco-button').first().click();
    },
    async close() {
      while (await shown()) {
        await page.keyboard.press('Escape');
        await widget.waitFor({ state: 'hidden', timeout: 1000 }).catch(() => {});
      }
    },
  };
}
