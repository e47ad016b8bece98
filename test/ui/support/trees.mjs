// Views with trees: finding a view, its rows, and what a person does with a row.
import { poll } from './poll.mjs';

/** @param {import('playwright-core').Page} page */
export function treesOf(page) {
  const quoted = (text) => JSON.stringify(text);

  /** The tree or list of a view, by the view's title. */
  const tree = (view) =>
    page
      .locator(`.monaco-list[aria-label=${quoted(view)}], .pane:has(h3.title[title^=${quoted(view)}]) .monaco-list`)
      .first();

  /** The rows of a view that are on screen, in order. */
  async function treeRows(view) {
    const list = tree(view);
    const rows = await list.locator('.monaco-list-row').evaluateAll((elements) =>
      elements
        .map((element) => {
          const part = (selector) => element.querySelector(selector)?.textContent?.trim() ?? '';
          return {
            index: Number(element.getAttribute('data-index')),
            label:
              part('.monaco-icon-name-container') + part('.monaco-icon-suffix-container') || element.textContent.trim(),
            description: part('.label-description'),
            level: Number(element.getAttribute('aria-level') ?? 1),
            expanded: element.hasAttribute('aria-expanded')
              ? element.getAttribute('aria-expanded') === 'true'
              : undefined,
            focused: element.classList.contains('focused'),
            selected: element.getAttribute('aria-selected') === 'true',
            checked: element.querySelector('.custom-view-tree-node-item-checkbox')
              ? Boolean(element.querySelector('.custom-view-tree-node-item-checkbox.checked'))
              : undefined,
            ariaLabel: element.getAttribute('aria-label') ?? '',
            icon:
              [...(element.querySelector('.custom-view-tree-node-item-icon')?.classList ?? [])]
                .filter((name) => name.startsWith('codicon-'))
                .map((name) => name.slice('codicon-'.length))[0] ?? '',
          };
        })
        .sort((a, b) => a.index - b.index),
    );
    return rows.map((row) => ({ ...row, view, locator: list.locator(`.monaco-list-row[data-index="${row.index}"]`) }));
  }

  /**
   * Waits for a row.
   * @param {string} view the view's title
   * @param {string | RegExp | ((row: object) => boolean)} what its label, a pattern of its label and description, or a test
   */
  function row(view, what) {
    const matches =
      typeof what === 'function'
        ? what
        : typeof what === 'string'
          ? (each) => each.label === what
          : (each) => what.test(`${each.label} ${each.description}`);
    return poll(
      async () => (await treeRows(view)).find(matches),
      async () => `a row ${what} in "${view}"; there are:\n${(await treeRows(view)).map(lineOf).join('\n')}`,
    );
  }

  /** The label and description of the row that the keys act on; empty where the focus is elsewhere. */
  async function focusedRow(view) {
    const rows = await treeRows(view);
    const focused = rows.find((each) => each.focused);
    const isFocused = await tree(view)
      .evaluate((list) => list.contains(document.activeElement))
      .catch(() => false);
    return focused && isFocused ? `${focused.label} ${focused.description}` : '';
  }

  /**
   * Rows are passed as treeRows() gave them, or as Playwright locators. A row may have moved since: one above it came or
   * went.
   */
  async function locatorOf(target) {
    if (typeof target.locator === 'function') return target;
    const rows = await treeRows(target.view);
    const isSame = (each) => each.label === target.label && each.level === target.level;
    const same = rows.find((each) => each.index === target.index && isSame(each)) ?? rows.find(isSame);
    return (same ?? target).locator;
  }

  /** Points at a row and returns the text of the hover that appears. */
  async function hover(target) {
    await page.mouse.move(1, 1);
    await (await locatorOf(target)).locator('.monaco-icon-label, .monaco-tl-contents').first().hover();
    const box = page.locator('.monaco-hover:not(.hidden):visible').last();
    await box.waitFor();
    return (await box.innerText()).trim();
  }

  async function clickRow(target, options) {
    await (await locatorOf(target)).locator('.monaco-icon-label, .monaco-tl-contents').first().click(options);
  }

  /** Clicks one of the buttons that a row shows while the pointer is on it; again where the row moved away under it. */
  async function clickInline(target, title) {
    const limit = { timeout: 3000 };
    let problem;
    await poll(
      async () => {
        try {
          const element = await locatorOf(target);
          await element.hover(limit);
          await actionIn(element, title).click(limit);
          return true;
        } catch (error) {
          problem = error;
          return false;
        }
      },
      () => `the button "${title}" of ${target.label ?? 'a row'}: ${problem?.message}`,
    );
  }

  /** The titles of the buttons that a row shows while the pointer is on it. */
  async function inlineActions(target) {
    const element = await locatorOf(target);
    await element.hover();
    return element
      .locator('.actions .action-label')
      .evaluateAll((labels) => labels.map((label) => label.getAttribute('aria-label') ?? label.textContent));
  }

  /** Opens (or closes) a row that has children. */
  async function expand(target, wanted = true) {
    const element = await locatorOf(target);
    const expanded = async () => (await element.getAttribute('aria-expanded')) === String(wanted);
    if (await expanded()) return;
    await element.locator('.monaco-tl-twistie').click();
    await poll(expanded, `the row ${wanted ? 'opens' : 'closes'}`);
  }

  /** Ticks or unticks the checkbox of a row. */
  async function check(target) {
    await (await locatorOf(target)).locator('.custom-view-tree-node-item-checkbox').click();
  }

  /** Chooses an entry of a row's context menu. */
  async function contextMenu(target, title) {
    await (
      await locatorOf(target)
    )
      .locator('.monaco-icon-label, .monaco-tl-contents')
      .first()
      .click({ button: 'right' });
    await menuItem(title).click();
  }

  const menuItem = (title) => page.locator('.monaco-menu .action-label').getByText(title, { exact: true });

  /** The titles in a row's context menu; the menu is closed again. */
  async function contextMenuTitles(target) {
    await (
      await locatorOf(target)
    )
      .locator('.monaco-icon-label, .monaco-tl-contents')
      .first()
      .click({ button: 'right' });
    const labels = page.locator('.monaco-menu .action-item:not(.disabled) .action-label:not(.separator)');
    const titles = await poll(async () => {
      const texts = await labels.evaluateAll((elements) => elements.map((element) => element.textContent.trim()));
      return texts.filter(Boolean).length > 0 && texts.filter(Boolean);
    }, 'a context menu');
    await page.keyboard.press('Escape');
    await labels.first().waitFor({ state: 'hidden' });
    return titles;
  }

  /** Clicks a button in the title bar of a view or of the view's container. */
  async function titleAction(title) {
    const bars = page.locator('.part .title-actions, .part .pane-header .actions, .part .global-actions');
    const bar = bars.filter({ has: actionIn(page, title, '.action-label') });
    await page.locator('.part.sidebar').hover();
    await actionIn(bar.first(), title, '.action-label').click();
  }

  return {
    treeRows,
    row,
    focusedRow,
    hover,
    clickRow,
    clickInline,
    inlineActions,
    expand,
    check,
    contextMenu,
    contextMenuTitles,
    menuItem,
    titleAction,
  };
}

/** A button by its title; VS Code appends the keys in brackets. */
function actionIn(root, title, selector = '.actions .action-label') {
  const prefix = JSON.stringify(`${title} (`);
  return root.locator(`${selector}[aria-label=${JSON.stringify(title)}], ${selector}[aria-label^=${prefix}]`).first();
}

function lineOf({ level, label, description }) {
  return `${'  '.repeat(level)}${label}  ${description}`;
}
