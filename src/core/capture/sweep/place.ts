// Where sweeps are kept: in user state, since the command may be the one that deletes the store; in the store of the
// root where an agent's sandbox forbids that. One folder for each command under way, and the last one that is over.
import path from 'node:path';
import { errorCode } from '../../errors';
import type { Ports } from '../../ports';
import { ensureDir, removeQuietly, writeFileAtomic } from '../../state/atomicFile';
import { readJson } from '../../state/jsonFile';
import { isAlive, rename, syncDir } from '../../state/platform';
import { isCheckpointId, type CheckpointId } from '../../store/ids';
import { inStore } from '../../store/inStore';
import { temporaryPrefix, type StoreLayout } from '../../store/layout';
import { isThere } from '../../store/plainFile';
import { ensureStore, type RootStores } from '../../store/stores';
import { sweepFolders } from './isOpen';
import { closedFile, readRecord, recordFile, type SweepRecord } from './record';

export interface SweepPlace {
  readonly dir: string;
  /** Set where it is in a workspace's store. */
  readonly store?: StoreLayout;
}

export interface OpenSweep {
  readonly place: SweepPlace;
  readonly folder: string;
  readonly record: SweepRecord;
}

export function sweepPlaces(ports: Ports, stores: RootStores): SweepPlace[] {
  const [state, store] = sweepFolders(ports, stores);
  return [{ dir: state }, { dir: store, store: stores.primary }];
}

/** Runs `use` with ports that never lead out of the place through a link. */
export const inPlace = <T>(ports: Ports, { store }: SweepPlace, use: (ports: Ports) => T): T =>
  store === undefined ? use(ports) : inStore(ports, store, use);

/** Makes the folder of a new sweep, under a temporary name. Throws the system's error. */
export function beginFolder(ports: Ports, place: SweepPlace, id: CheckpointId): string {
  if (place.store) {
    ensureStore(ports, place.store);
    if (ports.fs.lstatSync(place.dir, { throwIfNoEntry: false }) === undefined) {
      ports.fs.mkdirSync(place.dir, { mode: 0o700 });
    }
  } else ensureDir(ports, place.dir);
  const building = path.join(place.dir, `${temporaryPrefix}${id}`);
  ports.fs.mkdirSync(building, { mode: 0o700 });
  return building;
}

/** Gives the folder its name, durably. */
export function appear(ports: Ports, place: SweepPlace, building: string, id: CheckpointId): string {
  const folder = path.join(place.dir, id);
  rename(ports, building, folder);
  syncDir(ports, place.dir);
  return folder;
}

/** Ids of all sweeps of a place, oldest first. Never throws. */
export function sweepIds(ports: Ports, place: SweepPlace): CheckpointId[] {
  try {
    return inPlace(ports, place, (within) => within.fs.readdirSync(place.dir))
      .filter(isCheckpointId)
      .sort();
  } catch {
    return [];
  }
}

/** Of both places of a root, oldest first: those that nobody has closed. Never throws. */
export function openSweeps(ports: Ports, stores: RootStores): OpenSweep[] {
  return sweepPlaces(ports, stores)
    .flatMap((place) =>
      sweepIds(ports, place).flatMap((id) => {
        const folder = path.join(place.dir, id);
        try {
          return inPlace(ports, place, (within) => {
            const file = openFile(within, folder);
            const record = file === undefined ? undefined : readRecord(within, file);
            return record?.id === id && record.root === stores.root ? [{ place, folder, record }] : [];
          });
        } catch {
          return [];
        }
      }),
    )
    .sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
}

/** The newest sweep of a place, open or over: the next one goes on with its copies. */
export function newestSweep(ports: Ports, place: SweepPlace): { folder: string; record: SweepRecord } | undefined {
  const id = sweepIds(ports, place).at(-1);
  if (id === undefined) return undefined;
  const folder = path.join(place.dir, id);
  const record = readRecord(ports, openFile(ports, folder) ?? closedFile(folder));
  if (record === undefined) return undefined;
  const made = readJson(ports, madeFile(folder));
  const more = Array.isArray(made) ? made.filter((each): each is string => typeof each === 'string') : [];
  return { folder, record: { ...record, made: [...new Set([...record.made, ...more])].slice(-maxMade) } };
}

/** Paths that are looked at one by one because commands made them. */
const maxMade = 2000;
const madeFile = (folder: string) => path.join(folder, 'made.json');

/** Notes ignored paths that the command made. Never throws. */
export function noteMade(ports: Ports, folder: string, made: readonly string[]): void {
  if (made.length === 0) return;
  try {
    writeFileAtomic(ports, madeFile(folder), JSON.stringify(made), { flush: false });
  } catch {
    // What later commands change of them is not covered then.
  }
}

const closing = /^closing-(\d+)\.json$/;

/** The record of a sweep that is not over: under its own name, or under that of who closes it. */
function openFile({ fs }: Ports, folder: string): string | undefined {
  const names = fs.readdirSync(folder);
  if (names.includes('record.json')) return recordFile(folder);
  const other = names.find((name) => closing.test(name));
  return other === undefined ? undefined : path.join(folder, other);
}

/** Makes this process the only one that closes the sweep; undefined where another one does, or has. */
export function claimClosing(ports: Ports, folder: string): string | undefined {
  const mine = path.join(folder, `closing-${process.pid}.json`);
  try {
    const file = openFile(ports, folder);
    const pid = Number(closing.exec(path.basename(file ?? ''))?.[1] ?? 0);
    // Its own: an attempt of this process that failed.
    if (file === undefined || (pid !== 0 && pid !== process.pid && isAlive(pid))) return undefined;
    if (file !== mine) rename(ports, file, mine);
    return mine;
  } catch {
    return undefined;
  }
}

/** The sweep is over. What older ones copied is not needed any more. Never throws. */
export function endSweep(ports: Ports, { place, folder, record }: OpenSweep, claimed: string): void {
  try {
    inPlace(ports, place, (within) => {
      rename(within, claimed, closedFile(folder));
      for (const id of sweepIds(within, place)) {
        const other = path.join(place.dir, id);
        if (id < (sweepIds(within, place).at(-1) ?? id) && openFile(within, other) === undefined) {
          removeQuietly(within, other);
        }
      }
      removeClaim(within, place, record.claim);
    });
  } catch {
    // The next one that is over does it.
  }
}

/** Gives a claim back, so that somebody else may close the sweep later. */
export function releaseClosing(ports: Ports, { folder }: OpenSweep, claimed: string): void {
  try {
    rename(ports, claimed, recordFile(folder));
  } catch {
    // A later closer sees that this process is gone.
  }
}

const claimFile = ({ dir }: SweepPlace, claim: string) => path.join(dir, `call-${claim}`);

export const isClaimed = (ports: Ports, place: SweepPlace, claim: string): boolean =>
  isThere(ports, claimFile(place, claim));

/** False where another process sweeps, or has swept, for the same call. Throws the system's error. */
export function claimSweep({ fs }: Ports, place: SweepPlace, claim: string): boolean {
  try {
    fs.writeFileSync(claimFile(place, claim), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

export function removeClaim(ports: Ports, place: SweepPlace, claim: string | undefined): void {
  if (claim !== undefined) removeQuietly(ports, claimFile(place, claim));
}

/** Notes that a sweep under way is one undo group with others. The first name counts. */
export function joinGroup({ fs }: Ports, { folder }: OpenSweep, group: string): void {
  try {
    fs.writeFileSync(path.join(folder, `group-${group}`), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It was told before, or it is over.
  }
}

export function groupOf({ fs }: Ports, { folder, record }: Pick<OpenSweep, 'folder' | 'record'>): string | undefined {
  if (record.group !== undefined) return record.group;
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.startsWith('group-'))
      .sort()[0]
      ?.slice('group-'.length);
  } catch {
    return undefined;
  }
}
