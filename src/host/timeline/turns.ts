// From checkpoints to what the view shows: turns, their files, the edits of a file. Pure.
import { History, turnKey, type Standing } from '../../core/restore/history';
import type { Entry } from '../../core/store/meta';
import type { ListedCheckpoint } from '../../core/store/reader';
import { displayPath } from '../../core/restore/relativePath';

/** One change of one path: entry `entry` of a checkpoint. */
export interface Edit {
  readonly checkpoint: ListedCheckpoint;
  readonly entry: number;
  /** A restore in force takes it back. */
  readonly takenBack: boolean;
}

export interface TurnFile {
  /** Relative to the root, with `/`, as it can be shown. */
  readonly path: string;
  /** Oldest first, at least one. */
  readonly edits: readonly Edit[];
}

export type TurnKind = 'turn' | 'restore' | 'manual' | 'recovered';

export interface Turn {
  /** Stable over reloads, unique in its root. */
  readonly key: string;
  readonly root: string;
  readonly kind: TurnKind;
  /** Oldest first, at least one. */
  readonly checkpoints: readonly ListedCheckpoint[];
  readonly files: readonly TurnFile[];
  /** All of its edits are taken back, and it has some. */
  readonly takenBack: boolean;
  /** Of a restore: the newest agent's checkpoint that it took back, or gave again. */
  readonly about?: { readonly did: 'undid' | 'redid'; readonly checkpoint: ListedCheckpoint };
}

export const newestOf = (turn: Turn): ListedCheckpoint => turn.checkpoints.at(-1)!;
export const oldestOf = (turn: Turn): ListedCheckpoint => turn.checkpoints[0]!;
export const entryOf = (edit: Edit): Entry => edit.checkpoint.entries[edit.entry]!;
export const isPending = (turn: Turn): boolean => turn.checkpoints.some(({ status }) => status === 'pending');

/** Checkpoints of one agent's turn share a key; everything else stands alone. */
function keyOf(checkpoint: ListedCheckpoint): string {
  const alone = checkpoint.kind === 'restore' || checkpoint.kind === 'manual';
  return (alone ? undefined : turnKey(checkpoint)) ?? checkpoint.id;
}

/** What changed nothing and hides nothing is no row. */
const isShown = ({ status, notCovered }: ListedCheckpoint) =>
  (status !== 'unchanged' && status !== 'abandoned') || (status === 'unchanged' && notCovered.length > 0);

/**
 * Turns, newest activity first.
 * @param checkpoints newest first, from the newest of the root on without a gap: what takes an entry back is newer than it
 * @param prefix only paths that begin with it, and the turns that touch such paths
 */
export function groupTurns(checkpoints: readonly ListedCheckpoint[], prefix = ''): Turn[] {
  // A stranger's restores take nothing back.
  const trusted = checkpoints.filter(({ kind, foreign }) => kind !== 'restore' || !foreign);
  const standing = new History([...trusted].reverse()).standing();
  const groups = new Map<string, ListedCheckpoint[]>();
  for (const checkpoint of checkpoints) {
    if (!isShown(checkpoint)) continue;
    const key = keyOf(checkpoint);
    const group = groups.get(key);
    if (group) group.push(checkpoint);
    else groups.set(key, [checkpoint]);
  }
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const turns = [...groups].map(([key, group]): Turn => {
    const turn = makeTurn(key, group.reverse(), standing, prefix);
    const about = turn.kind === 'restore' ? aboutOf(newestOf(turn), byId) : undefined;
    return about ? { ...turn, about } : turn;
  });
  return prefix === '' ? turns : turns.filter(({ files }) => files.length > 0);
}

function makeTurn(key: string, checkpoints: readonly ListedCheckpoint[], standing: Standing, prefix: string): Turn {
  const files = new Map<string, Edit[]>();
  for (const checkpoint of checkpoints) {
    checkpoint.entries.forEach((entry, index) => {
      const path = displayPath(entry.path);
      if (!path.startsWith(prefix)) return;
      const edit = { checkpoint, entry: index, takenBack: !standing.has({ id: checkpoint.id, entry: index }) };
      const edits = files.get(path);
      if (edits) edits.push(edit);
      else files.set(path, [edit]);
    });
  }
  for (const path of needlessFolders(files)) files.delete(path);
  const all = [...files.values()].flat();
  const { kind, root } = checkpoints[0]!;
  return {
    key,
    root,
    kind: kind === 'edit' || kind === 'command' ? 'turn' : kind,
    checkpoints,
    files: [...files].map(([path, edits]) => ({ path, edits })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    takenBack: all.length > 0 && all.every((edit) => edit.takenBack),
  };
}

/** Follows what a restore takes back, through restores of restores, to an agent's work. */
function aboutOf(restore: ListedCheckpoint, byId: ReadonlyMap<string, ListedCheckpoint>): Turn['about'] {
  let at: ListedCheckpoint | undefined = restore;
  for (let did: 'undid' | 'redid' = 'undid'; ; did = did === 'undid' ? 'redid' : 'undid') {
    // References lead to older ones only, so this ends.
    const { id, restores = [] }: ListedCheckpoint = at;
    const older: string[] = restores.map((ref) => ref.id).filter((ref) => ref < id);
    at = byId.get(older.sort().at(-1) ?? '');
    if (!at) return undefined;
    if (at.kind !== 'restore') return { did, checkpoint: at };
  }
}

/** Folders that came or went with what is in them: the files say it. */
function needlessFolders(files: ReadonlyMap<string, readonly Edit[]>): string[] {
  const paths = [...files.keys()];
  return paths.filter(
    (path) => isFolder({ edits: files.get(path)! }) && paths.some((other) => other.startsWith(`${path}/`)),
  );
}

/** There was never anything but a folder at the path. */
export function isFolder({ edits }: Pick<TurnFile, 'edits'>): boolean {
  const states = edits
    .flatMap((edit) => [entryOf(edit).pre, entryOf(edit).post])
    .filter((state) => state !== undefined);
  return (
    states.some(({ type }) => type === 'directory') &&
    states.every(({ type }) => type === 'directory' || type === 'absent')
  );
}
