// Upkeep of stores when an agent has stopped: never in the way of a write.
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import { addWarning } from '../state/warnings';
import { prune } from '../store/retention';
import { rootStores, type RootStores } from '../store/stores';
import { sweep } from '../store/sweep';
import { syncTwin, vanished } from '../store/twin';
import { removeOldSessions } from './session';

/** ms after which nobody goes on with a session. */
const sessionAge = 90 * 24 * 3600 * 1000;

/** Prunes to the limits of the settings and removes leftovers. One store that fails leaves the others their turn. */
export function tidyStores(ports: Ports, roots: readonly string[]): void {
  const { retention } = readSettings(ports);
  removeOldSessions(ports, ports.now() - sessionAge);
  for (const root of roots) {
    const stores = rootStores(ports, root);
    tellVanished(ports, stores);
    for (const step of [
      () => sweep(ports, stores),
      () => prune(ports, stores, retention),
      () => syncTwin(ports, stores),
    ]) {
      try {
        step();
      } catch {
        // A store that is locked, refused or unwritable: the next turn's end does it.
      }
    }
  }
}

function tellVanished(ports: Ports, stores: RootStores): void {
  const count = vanished(ports, stores).length;
  if (count === 0) return;
  addWarning(ports, {
    key: `vanished:${stores.root}`,
    text: `${count} checkpoints of ${stores.root} were deleted from its store. \`agent-checkpoints doctor --put-back\` brings them back.`,
  });
}
