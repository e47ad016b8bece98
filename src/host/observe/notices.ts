// Tells the person, once, what happened while nobody could be told: warnings of hooks, restores that were cut off.
import type { Ports } from '../../core/ports';
import { markWarningShown, readWarnings } from '../../core/state/warnings';
import type { Dialogs } from '../dialogs';
import type { Log } from '../log';
import type { WorkspaceRoots } from '../workspaceRoots';

export function showWarnings(ports: Ports, roots: WorkspaceRoots, dialogs: Dialogs, log: Log): void {
  for (const { key, text, shown } of readWarnings(ports)) {
    if (shown) continue;
    log.warn('capture', text);
    markWarningShown(ports, key);
    // Of an open folder, `Vanished` tells it, with a way to put it back.
    if (key.startsWith('vanished:') && roots.byPath(key.slice('vanished:'.length)) !== undefined) continue;
    void dialogs.tell('warning', `Agent Checkpoints: ${text}`, ['Show Log']).then((action) => {
      if (action === 'Show Log') log.show();
    });
  }
}

/** A restore that was cut off is finished or undone before anything else is restored. */
export async function finishInterrupted(ports: Ports, dialogs: Dialogs, log: Log): Promise<void> {
  const { recoverJournal } = await import('../../core/restore/journal');
  try {
    for (const recovered of recoverJournal(ports)) {
      log.warn('restore', `${recovered.root}: ${recovered.message}`);
      void dialogs.tell('warning', `Agent Checkpoints: ${recovered.message}`, ['Show Log']).then((action) => {
        if (action === 'Show Log') log.show();
      });
    }
  } catch (error) {
    log.error('restore', 'A restore that was cut off could not be completed', error);
  }
}
