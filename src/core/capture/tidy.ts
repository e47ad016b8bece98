// Upkeep of stores when an agent has stopped: never in the way of a write.
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import { prune } from '../store/retention';
import { rootStores } from '../store/stores';
import { sweep } from '../store/sweep';
import { removeOldSessions } from './session';

/** ms after which nobody goes on with a session. */
const sessionAge = 90 * 24 * 3600 * 1000;

/** Prunes to the limits of the settings and removes leftovers. One store that fails leaves the others their turn. */
export function tidyStores(ports: Ports, roots: readonly string[]): void {
  const { retention } = readSettings(ports);
  removeOldSessions(ports, ports.now() - sessionAge);
  for (const root of roots) {
    const stores = rootStores(ports, root);
    for (const step of [() => sweep(ports, stores), () => prune(ports, stores, retention)]) {
      try {
        step();
      } catch {
        // A store that is locked, refused or unwritable: the next turn's end does it.
      }
    }
  }
}
