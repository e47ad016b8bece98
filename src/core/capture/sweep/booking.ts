// Whose a change is: what other calls recorded of a path while a command ran is theirs, the rest is the command's.
import type { Ports } from '../../ports';
import type { DraftEntry, DraftState } from '../../store/draft';
import type { CheckpointId } from '../../store/ids';
import type { StoreLayout } from '../../store/layout';
import { isOwn } from '../../store/mac';
import type { Entry, Meta } from '../../store/meta';
import { hashOpenFile, sha256Of, withFileInPlace } from '../../store/plainFile';
import { listIds, readMeta } from '../../store/reader';
import type { RootStores } from '../../store/stores';
import { look, reasonOf } from '../diskState';
import type { Candidate, Earlier } from './changes';
import type { Known, Part } from './parts';

/** What another call recorded of a path while the command ran. */
export interface Recorded {
  readonly entry: Entry;
  readonly meta: Meta;
  readonly store: StoreLayout;
}

/** By path, oldest first. `beside`: calls that were under way when the command began. */
export function recordedSince(
  ports: Ports,
  stores: RootStores,
  began: CheckpointId,
  beside: ReadonlySet<string>,
): Map<string, Recorded[]> {
  const recorded = new Map<string, Recorded[]>();
  for (const { id, store } of listIds(ports, stores).reverse()) {
    if (id <= began && !beside.has(id)) continue;
    const meta = tryRead(ports, store, id);
    if (meta === undefined || meta.kind === 'manual' || meta.kind === 'recovered') continue;
    if (meta.status === 'unchanged' || meta.status === 'abandoned') continue;
    if (meta.kind === 'restore' && meta.status !== 'done') continue;
    for (const entry of meta.entries) {
      if (typeof entry.path !== 'string') continue;
      const those = recorded.get(entry.path);
      if (those) those.push({ entry, meta, store });
      else recorded.set(entry.path, [{ entry, meta, store }]);
    }
  }
  return recorded;
}

function tryRead(ports: Ports, store: StoreLayout, id: CheckpointId): Meta | undefined {
  try {
    const meta = readMeta(ports, store, id);
    return isOwn(ports, meta) ? meta : undefined;
  } catch {
    return undefined;
  }
}

/** The command's own part of what happened to a path. What others did to it is given oldest first. */
export interface Booked {
  /** Up to where another call found it: in order before that one. */
  readonly head?: DraftEntry;
  /** From where the last other call left it, or from the beginning. */
  readonly tail?: DraftEntry;
  /** Of the tail, where no other call took part and the path was or is a file. */
  readonly sha256?: { readonly before?: string; readonly after?: string };
}

export interface Now {
  readonly state: DraftState;
  /** Of a file whose bytes were read. */
  readonly sha256?: string;
}

/** What is at a path. @param absolute its folder by real path */
export function nowAt(ports: Ports, absolute: string, maxFileBytes: number): Now {
  const found = look(ports.fs, absolute);
  const unreadable = (error: string): Now => ({ state: { type: 'unreadable', error } });
  switch (found.type) {
    case 'file':
      if (found.size > maxFileBytes) return unreadable(`it is larger than the limit of ${maxFileBytes} bytes`);
      try {
        const { sha256 } = withFileInPlace(ports, absolute, (fd, { size }) => hashOpenFile(ports, fd, size));
        return { state: { type: 'file', mode: found.mode, source: { type: 'file', path: absolute } }, sha256 };
      } catch (error) {
        return unreadable(reasonOf(error));
      }
    case 'special':
      return unreadable(`it is now ${found.what}`);
    case 'unreadable':
      return unreadable(found.error);
    default:
      return { state: found };
  }
}

export function book({ path: name, earlier, provenance }: Candidate, now: Now, others: readonly Part[]): Booked {
  const [first, last] = [others[0], others.at(-1)];
  if (first === undefined || last === undefined) {
    if (isSameNow(earlier, now)) return {};
    const sha256 = {
      ...(earlier.type === 'file' && { before: bytesOf(earlier).sha256 }),
      ...(now.sha256 !== undefined && { after: now.sha256 }),
    };
    return { tail: { path: name, pre: asDraft(earlier, now), post: now.state, provenance }, sha256 };
  }
  const head =
    first.isLater && first.pre.type !== 'unreadable' && !isSameState(earlier, first.pre)
      ? { path: name, pre: asDraft(earlier), post: first.draftOf('pre'), provenance }
      : undefined;
  const left = last.post;
  const isOpen = left === undefined || left.type === 'unreadable';
  const tail =
    isOpen || isStateNow(left, now)
      ? undefined
      : { path: name, pre: last.draftOf('post'), post: now.state, provenance: 'before-write' as const };
  return { ...(head && { head }), ...(tail && { tail }) };
}

const sha256s = new WeakMap<() => Buffer, { sha256: string; bytes: Buffer }>();

function bytesOf(earlier: Extract<Earlier, { type: 'file' }>): { sha256: string; bytes: Buffer } {
  let known = sha256s.get(earlier.bytes);
  if (known === undefined) {
    const bytes = earlier.bytes();
    known = { bytes, sha256: sha256Of(bytes) };
    sha256s.set(earlier.bytes, known);
  }
  return known;
}

export function isSameNow(earlier: Earlier, { state, sha256 }: Now): boolean {
  if (earlier.type !== state.type) return false;
  if (earlier.type === 'symlink' && state.type === 'symlink') return earlier.target === state.target;
  if (earlier.type !== 'file' || state.type !== 'file') return true;
  return isSameMode(earlier, state.mode) && bytesOf(earlier).sha256 === sha256;
}

function isSameState(earlier: Earlier, state: Known): boolean {
  if (earlier.type !== state.type) return false;
  if (earlier.type === 'symlink' && state.type === 'symlink') return earlier.target === state.target;
  if (earlier.type !== 'file' || state.type !== 'file') return true;
  return isSameMode(earlier, state.mode) && bytesOf(earlier).sha256 === state.sha256;
}

function isStateNow(state: Known, now: Now): boolean {
  if (state.type !== now.state.type) return false;
  if (state.type === 'symlink' && now.state.type === 'symlink') return state.target === now.state.target;
  if (state.type !== 'file' || now.state.type !== 'file') return true;
  return state.mode === now.state.mode && state.sha256 === now.sha256;
}

/** Where the permissions were not noted, Git still says whether it was a program. */
function isSameMode({ mode, program }: Extract<Earlier, { type: 'file' }>, other: number | undefined): boolean {
  return mode !== undefined ? mode === other : program === ((other ?? 0) & 0o111) > 0;
}

function asDraft(earlier: Earlier, now?: Now): DraftState {
  if (earlier.type !== 'file') return earlier;
  const found = now?.state.type === 'file' ? now.state.mode : undefined;
  const usual = earlier.program ? 0o755 : 0o644;
  const mode = earlier.mode ?? (isSameMode(earlier, found) ? found : undefined) ?? usual;
  return { type: 'file', mode, source: { type: 'bytes', bytes: bytesOf(earlier).bytes } };
}
