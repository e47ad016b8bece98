// One process at a time prunes, purges or restores in a root. Capturing takes no lock.
import path from 'node:path';
import lockfile from 'proper-lockfile';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { ensureDir, removeQuietly } from '../state/atomicFile';
import { asRecord, readJson } from '../state/jsonFile';
import { isAlive, sleep } from '../state/platform';
import { rootKey, type RootStores } from './stores';

export interface Lock {
  /** Idempotent; never throws. */
  release(): void;
}

export interface LockOptions {
  /** How long to wait for another holder, in ms; default 2000. It blocks: an editor should pass 0. */
  readonly waitMs?: number;
}

// A holder that is known to be dead is replaced at once. The age only matters where a process id was given out
// again, and must be longer than the longest work that does not return to the event loop.
const staleMs = 10 * 60_000;
/** ms; a holder says who it is right after it took the lock, and for as long as it has it. */
const namelessMs = 15_000;

/**
 * Holds the lock of a root for the time of `fn`. `what` names the work for whoever has to wait.
 * @throws CheckpointError `locked`; `store-unwritable` where the user state is; else what `fn` throws
 */
export function withLock<T>(ports: Ports, stores: RootStores, what: string, fn: () => T, options?: LockOptions): T {
  const lock = acquireLock(ports, stores, what, options);
  try {
    return fn();
  } finally {
    lock.release();
  }
}

/** For work that is not one call. It is kept in user state, out of reach of what a workspace holds. Errors as {@link withLock}. */
export function acquireLock(ports: Ports, stores: RootStores, what: string, { waitMs = 2000 }: LockOptions = {}): Lock {
  const name = path.join(ports.stateDir, 'locks', rootKey(stores.root));
  // The lock's own clock is that of the file system.
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      ensureDir(ports, path.dirname(name));
      return take(ports, name, what);
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') {
        throw new CheckpointError('store-unwritable', `The lock ${name} cannot be taken: ${String(error)}`, {
          cause: error,
        });
      }
      if (removeDead(ports, name)) continue;
      if (Date.now() >= until) throw locked(ports, name);
      sleep(50);
    }
  }
}

const holderFile = (name: string) => `${name}.holder`;

function take(ports: Ports, name: string, what: string): Lock {
  const unlock = lockfile.lockSync(name, {
    realpath: false,
    lockfilePath: `${name}.lock`,
    stale: staleMs,
    fs: ports.fs,
    // Losing it is found by whoever took it over; the work under way is safe by itself, so it is not torn down.
    onCompromised: () => {},
  });
  try {
    ports.fs.writeFileSync(holderFile(name), JSON.stringify({ pid: process.pid, what }), { mode: 0o600 });
  } catch {
    // Then only its age tells that it was left behind.
  }
  return {
    release: () => {
      try {
        // Before the lock itself: a holder file always belongs to the present lock.
        removeQuietly(ports, holderFile(name));
        unlock();
      } catch {
        // Released already, or taken over.
      }
    },
  };
}

/** True where a lock of a process that ended was removed, so that it is worth trying again. */
function removeDead(ports: Ports, name: string): boolean {
  if (!holderIsDead(ports, name)) return false;
  // Only one process may do this at a time, or the second would remove the lock that the first has just taken.
  let unlock: () => void;
  try {
    unlock = lockfile.lockSync(name, {
      realpath: false,
      lockfilePath: `${name}.takeover`,
      stale: 10_000,
      fs: ports.fs,
      onCompromised: () => {},
    });
  } catch {
    return false;
  }
  try {
    if (!holderIsDead(ports, name)) return false;
    removeQuietly(ports, holderFile(name));
    removeQuietly(ports, `${name}.lock`);
    return true;
  } finally {
    unlock();
  }
}

function holderIsDead(ports: Ports, name: string): boolean {
  const { pid } = asRecord(readJson(ports, holderFile(name))) ?? {};
  if (typeof pid === 'number') return !isAlive(pid);
  // It ended between taking the lock and saying so, or between the two steps of giving it back.
  const taken = ports.fs.lstatSync(`${name}.lock`, { throwIfNoEntry: false });
  return taken !== undefined && Date.now() - taken.mtimeMs > namelessMs;
}

function locked(ports: Ports, name: string): CheckpointError {
  const { pid, what } = asRecord(readJson(ports, holderFile(name))) ?? {};
  const who = typeof what === 'string' && typeof pid === 'number' ? ` (${what}, process ${pid})` : '';
  return new CheckpointError(
    'locked',
    `Another program is working on these checkpoints${who}. Try again when it is done.`,
  );
}
