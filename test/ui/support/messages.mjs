// Notifications and modal dialogs.
import { poll } from './poll.mjs';

/** About as long as a toast stays. */
const toastMs = 10_000;

/** @param {import('playwright-core').Page} page */
export function messagesOf(page) {
  const center = page.locator('.notifications-center.visible');
  const toasts = page
    .locator('.notifications-toasts .notification-list-item')
    .or(center.locator('.notification-list-item'));
  const box = page.locator('.monaco-dialog-box:visible');
  const trimmed = (texts) => texts.map((text) => text.trim()).filter(Boolean);

  /** The notifications on screen: their messages and the titles of their buttons. */
  async function notifications() {
    return toasts.evaluateAll((elements) =>
      elements.map((element) => ({
        message: element.querySelector('.notification-list-item-message')?.textContent?.trim() ?? '',
        buttons: [...element.querySelectorAll('.notification-list-item-buttons-container .monaco-button')]
          .map((button) => button.textContent.trim())
          .filter(Boolean),
        severity: ['error', 'warning', 'info'].find((name) => element.querySelector(`.codicon-${name}`)),
      })),
    );
  }

  /** Waits for a notification whose message contains the text or matches the pattern. */
  function notification(text, limit) {
    const matches = typeof text === 'string' ? (message) => message.includes(text) : (message) => text.test(message);
    return poll(
      async () => (await notifications()).find(({ message }) => matches(message)),
      async () => `a notification "${text}"; there are: ${JSON.stringify(await notifications())}`,
      limit,
    );
  }

  /** Clicks a button of a notification; the notification goes. One that went by itself is in the list behind the bell. */
  async function clickNotification(text, button) {
    const bell = page.locator('.part.statusbar .statusbar-item[id="status.notifications"]');
    for (let look = 1; ; look++) {
      const found = await notification(text, look === 1 ? toastMs : undefined).catch((error) => {
        if (look > 1) throw error;
      });
      const toast = found && toasts.filter({ hasText: found.message }).first();
      // It may go while it is pointed at.
      const clicked =
        toast &&
        (await buttonIn(toast, button)
          .click({ timeout: toastMs })
          .then(
            () => true,
            () => false,
          ));
      if (clicked) return;
      if (look > 2) throw new Error(`No click on "${button}" of the notification "${text}".`);
      if ((await center.count()) === 0) await bell.click();
    }
  }

  /** Takes all notifications away, for a clean picture. */
  async function clearNotifications() {
    while ((await toasts.count()) > 0) {
      const toast = toasts.first();
      // It may go by itself meanwhile.
      await toast.hover({ timeout: 2000 }).catch(() => {});
      await toast
        .locator('.codicon-notifications-clear')
        .click({ timeout: 2000 })
        .catch(() => {});
    }
  }

  /**
   * Waits for a modal dialog and reads it; with `button`, presses that button and waits until the dialog has gone.
   * @param {string} [button]
   */
  async function dialog(button) {
    await box.waitFor();
    const read = async (selector) => trimmed(await box.locator(selector).allInnerTexts()).join('\n');
    const found = {
      message: await read('.dialog-message-text'),
      detail: await read('.dialog-message-detail'),
      buttons: trimmed(await box.locator('.dialog-buttons .monaco-button').allInnerTexts()),
    };
    if (button === undefined) return found;
    const wanted = buttonIn(box, button);
    if ((await wanted.count()) === 0) throw new Error(`No button "${button}" in the dialog: ${JSON.stringify(found)}`);
    await wanted.click();
    // Another dialog may follow at once: gone is the one with this message.
    await poll(
      async () => (await box.count()) === 0 || (await read('.dialog-message-text')) !== found.message,
      `the dialog "${found.message}" closes`,
    );
    return found;
  }

  return { notifications, notification, clickNotification, clearNotifications, dialog };
}

/** A button by its exact label, whichever element of the button bears it. */
export function buttonIn(root, label) {
  const exact = new RegExp(`^\\s*${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
  return root.locator('.monaco-button').filter({ hasText: exact, visible: true }).first();
}
