// What the next start does about a restore that was interrupted: it is completed where all its paths are written,
// else everything it did is put back. A person's writes since then are left alone.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import { acquireLock } from '../store/lock';
import type { Meta } from '../store/meta';
import { readMeta } from '../store/reader';
import { rootStores, type RootStores } from '../store/stores';
import { Folders } from './folder';
import { abandonGuard, finishGuard } from './guard';
import { readJournals, removeJournal, setAsideJournal, type Journal } from './journalFile';
import { sameState } from './states';
import { putBack, removeTemporary, sidesOf, type Left, type Unfinished } from './putBack';

export interface Recovered {
  readonly root: string;
  readonly guard: string;
  /** `completed`: the restore stands. `undone`: all is as before it. `left`: some paths are neither. */
  readonly result: 'completed' | 'undone' | 'left';
  readonly left: readonly Left[];
  /** For the person. */
  readonly message: string;
}

/**
 * Of all roots. One whose restore is still running in another process is passed over. Never throws for what is wrong
 * with one record.
 */
export function recoverJournal(ports: Ports): Recovered[] {
  const roots = [...new Set(readJournals(ports).map(({ root }) => root))];
  return roots.flatMap((root) => {
    const stores = rootStores(ports, root);
    try {
      const lock = acquireLock(ports, stores, 'completing a restore', { waitMs: 0 });
      try {
        return recoverRoot(ports, stores);
      } finally {
        lock.release();
      }
    } catch (error) {
      if (CheckpointError.is(error)) return [];
      throw error;
    }
  });
}

/** Of one root, whose lock the caller holds. */
export function recoverRoot(ports: Ports, stores: RootStores): Recovered[] {
  return readJournals(ports)
    .filter(({ root }) => root === stores.root)
    .flatMap((journal) => recover(ports, stores, journal) ?? []);
}

/** Undefined where all was done but for the record itself. */
function recover(ports: Ports, stores: RootStores, journal: Journal): Recovered | undefined {
  const store = journal.fallback ? stores.fallback : stores.primary;
  const about = { root: journal.root, guard: journal.guard };
  const unfinished: Unfinished = {
    guard: { id: journal.guard, entries: journal.entries },
    store,
    order: journal.order,
    rules: (entry) => ({ windows: isWindows, foreign: journal.foreign.includes(entry) }),
  };
  const folders = new Folders(ports, stores.root);
  try {
    const meta = readMeta(ports, store, journal.guard);
    if (meta.status !== 'pending') {
      removeJournal(ports, journal.guard);
      return undefined;
    }
    const guard = { meta, store };
    const sides = sidesOf(folders, unfinished);
    if (sides.every(({ side }) => side === 'new')) {
      for (const entry of journal.order) removeTemporary(folders, unfinished, entry, journal.entries[entry]!);
      complete(ports, guard, journal);
      return {
        ...about,
        result: 'completed',
        left: [],
        message: `A restore in ${journal.root} was interrupted at its very end and is now completed.`,
      };
    }
    const left = putBack(folders, unfinished);
    abandonGuard(ports, guard);
    removeJournal(ports, journal.guard);
    return left.length === 0
      ? {
          ...about,
          result: 'undone',
          left,
          message: `A restore in ${journal.root} was interrupted and is undone: all paths are as they were before it.`,
        }
      : { ...about, result: 'left', left, message: leftMessage(journal, left) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    setAsideJournal(ports, journal.guard);
    const left = [{ path: '', reason }];
    return {
      ...about,
      result: 'left',
      left,
      message: `A restore in ${journal.root} was interrupted and could not be undone (${reason}). Look at its files; checkpoint ${journal.guard} has the bytes from before.`,
    };
  } finally {
    folders.close();
  }
}

function complete(ports: Ports, guard: { meta: Meta; store: RootStores['primary'] }, journal: Journal): void {
  // An editor cannot be asked any more: what it was to take is not taken back.
  const keeps = journal.entries.flatMap(({ pre, post }, i) => (post && sameState(pre, post) ? [i] : []));
  finishGuard(ports, guard, new Set([...journal.order, ...keeps]), journal.restores);
  removeJournal(ports, journal.guard);
}

function leftMessage({ root, guard }: Journal, left: readonly Left[]): string {
  const paths = left.map(({ path, reason }) => `\n  ${path}: ${reason}`).join('');
  return `A restore in ${root} was interrupted and is undone, but for these paths:${paths}\nTheir bytes from before are in checkpoint ${guard}.`;
}
