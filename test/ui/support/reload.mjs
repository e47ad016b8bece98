// "Reload Window" in a page: the workbench keeps its state in the browser's own database, and a page that is simply left
// may be gone before it was written.
import { poll } from './poll.mjs';

/** Tells the page that its window lost the focus: this makes the workbench write down which editors are open. */
const loseFocus = () => {
  document.hasFocus = () => false;
  window.dispatchEvent(new Event('blur'));
  document.dispatchEvent(new Event('visibilitychange'));
};

/** Whether the workbench has written down an editor of this kind. Runs in the page. */
const isKept = async (viewType) => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    try {
      if (!database.objectStoreNames.contains('ItemTable')) continue;
      const editors = await done(
        database.transaction('ItemTable').objectStore('ItemTable').get('memento/workbench.parts.editor'),
      );
      if (String(editors).includes(viewType)) return true;
    } finally {
      database.close();
    }
  }
  return false;
};

/** Waits until the workbench has written down that an editor of this kind is open. */
export async function keepsEditor(page, viewType) {
  await page.evaluate(loseFocus);
  await poll(() => page.evaluate(isKept, viewType), `the workbench keeps the editor ${viewType}`);
}
