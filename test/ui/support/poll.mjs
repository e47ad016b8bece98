// Waiting for what no event tells: repeats a look until it finds something, within a limit.

export const LIMIT_MS = 60_000;
const PAUSE_MS = 50;

/**
 * Calls `look` until it returns something other than undefined, null or false.
 * @template T
 * @param {() => T | Promise<T>} look
 * @param {string | (() => string | Promise<string>)} what for the error message: what was waited for
 * @param {number} [limit]
 * @returns {Promise<NonNullable<T>>}
 */
export async function poll(look, what, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) {
      throw new Error(`Not within ${limit / 1000} seconds: ${typeof what === 'string' ? what : await what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
