// What is done once after the window has settled: nothing of it may slow down the start.
import * as vscode from 'vscode';
import { hookProgramPath } from '../agents/hookProgram';
import { finishInterrupted, showWarnings } from './observe/notices';
import type { Registration } from './observe/registration';
import type { StoreWatcher } from './observe/storeWatcher';
import type { Unseen } from './observe/unseen';
import type { Vanished } from './observe/vanished';
import type { Services } from './services';
import { refreshProgram } from './setUp/command';
import { isAnyInstalled } from './setUp/places';

const settleMs = 300;
const warningsMs = 60_000;
/** Stores are brought back under their limits when the window has nothing else to do. */
const tidyMs = 60_000;

export interface Observers {
  readonly registration: Registration;
  readonly watcher: StoreWatcher;
  readonly unseen: Unseen;
  readonly vanished: Vanished;
}

export function startLater(
  services: Services,
  { registration, watcher, unseen, vanished }: Observers,
): vscode.Disposable {
  const { ports, dialogs, log, roots, contextKeys } = services;
  const steps: readonly [string, () => unknown][] = [
    ['registration', () => registration.start()],
    ['watcher', () => watcher.start()],
    ['unseen', () => unseen.countAll()],
    ['set-up', async () => contextKeys.set('agentCheckpoints.agentsInstalled', await isAnyInstalled(ports, roots))],
    ['restore', () => vscode.workspace.isTrusted && finishInterrupted(ports, dialogs, log)],
    ['store', () => vanished.checkAll()],
    ['capture', () => showWarnings(ports, roots, dialogs, log)],
    ['set-up', () => refreshExistingProgram(services)],
  ];
  let stopped = false;
  const run = async () => {
    for (const [part, step] of steps) {
      await new Promise(setImmediate);
      if (stopped) return;
      try {
        await step();
      } catch (error) {
        log.error(part, 'Start', error);
      }
    }
  };
  const first = setTimeout(() => void run(), settleMs);
  const again = setInterval(() => showWarnings(ports, roots, dialogs, log), warningsMs);
  const tidy = setTimeout(() => void tidyOwn(services), tidyMs);
  return new vscode.Disposable(() => {
    stopped = true;
    clearTimeout(first);
    clearTimeout(tidy);
    clearInterval(again);
  });
}

/** After an update of the extension the agents call the new program, at the place they know. */
function refreshExistingProgram(services: Services): void {
  const { ports, log } = services;
  if (ports.fs.statSync(hookProgramPath(ports.stateDir), { throwIfNoEntry: false }) === undefined) return;
  const written = refreshProgram(services);
  if (written.length > 0) log.info('set-up', `Refreshed ${written.join(', ')}`);
}

async function tidyOwn({ ports, roots, timeline, log }: Services): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  try {
    const own = roots.all.filter((root) => root.prefix === '' && timeline.hasAny(root));
    if (own.length === 0) return;
    const { tidyStores } = await import('../core/capture/tidy');
    const paths = own.map((root) => root.path);
    tidyStores(ports, paths);
  } catch (error) {
    log.error('store', 'Old checkpoints could not be removed', error);
  }
}
