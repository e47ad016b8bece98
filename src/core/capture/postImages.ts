// The state after a write: what is on disk, whether it is the agent's, and whether that can be said already.
import path from 'node:path';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import type { DraftState } from '../store/draft';
import type { Entry, FileState, State } from '../store/meta';
import { hashOpenFile, readToEnd, sha256Of, withFileInPlace } from '../store/plainFile';
import { look, reasonOf } from './diskState';
import { protectedIn } from './protectedNames';
import { isOneOf, type Fingerprint } from './recorded';
import { holds, realPlace } from './roots';

/**
 * Why a checkpoint is looked at. `post`: its write was reported as done; `abandon`: as failed or denied; `next`: the
 * next call is about to write the path; `over`: no event will come any more; `reader`: somebody looks, the agent may
 * still be at it.
 */
export type CloseCause = 'post' | 'abandon' | 'next' | 'over' | 'reader';

export interface Verdict {
  /** The post state; undefined: it cannot be told yet. */
  readonly post: DraftState | undefined;
  /** It is the state before, untouched. */
  readonly same: boolean;
}

interface Now {
  readonly state: DraftState;
  /** What is compared with the expected states; undefined for what no tool leaves. */
  readonly found: Buffer | 'absent' | 'directory' | undefined;
  readonly same: boolean;
  /** The system did not answer: it may answer the next closer. */
  readonly unanswered?: true;
}

/** Decides on one entry. `prints`: the states that count as the agent's own, none where they are not known. */
export function judge(now: Now, prints: readonly Fingerprint[], cause: CloseCause): Verdict {
  const { state, found, same, unanswered } = now;
  const certain: Verdict = { post: state, same };
  const inferred: Verdict = { post: same ? state : { ...state, inferred: true }, same };
  const later: Verdict = { post: undefined, same };
  if (unanswered && !same && cause !== 'over' && cause !== 'abandon') return later;
  const fits = found !== undefined && prints.length > 0 && isOneOf(found, prints);
  if (fits) return cause === 'reader' && same ? later : certain;
  switch (cause) {
    case 'post':
      // Some agents report before all bytes are on disk, and some calls are never denied aloud: the next event tells.
      return same || prints.length > 0 ? later : certain;
    case 'next':
      return same ? later : inferred;
    case 'reader':
      return later;
    case 'abandon':
    case 'over':
      return inferred;
  }
}

export interface PostLimits {
  /** Larger files are not stored. */
  readonly maxFileBytes: number;
}

/**
 * What is at an entry's path now.
 * @param root real absolute path; nothing that a link leads to outside it is read
 * @param disk SHA-256 of the file on disk where the pre-image is an editor's unsaved text
 */
export function stateNow(ports: Ports, root: string, entry: Entry, limits: PostLimits, disk?: string): Now {
  const { pre } = entry;
  const told = (state: Exclude<State, FileState>, found?: 'absent' | 'directory'): Now => ({
    state,
    found,
    same: isSame(pre, state),
  });
  const unreadable = (error: string) => told({ type: 'unreadable', error });

  const absolute = typeof entry.path === 'string' ? confined(ports, root, entry.path) : undefined;
  if (absolute === undefined) {
    return { ...unreadable('its folder is now a link, or cannot be reached'), unanswered: true };
  }
  const found = look(ports.fs, absolute);
  switch (found.type) {
    case 'absent':
    case 'directory':
      return told({ type: found.type }, found.type);
    case 'symlink': {
      const { target } = found;
      const resolved = pre.type === 'symlink' && pre.target === target ? pre.resolved : undefined;
      return told({ type: 'symlink', target, ...(resolved !== undefined && { resolved }) });
    }
    case 'special':
      return unreadable(`it is now ${found.what}`);
    case 'unreadable':
      return { ...unreadable(found.error), unanswered: true };
    case 'file':
      return fileNow(ports, absolute, pre, found, limits, disk);
  }
}

function fileNow(
  ports: Ports,
  absolute: string,
  pre: State,
  { size, mode }: { size: number; mode: number },
  { maxFileBytes }: PostLimits,
  disk: string | undefined,
): Now {
  const unreadable = (error: string): Now => ({ state: { type: 'unreadable', error }, found: undefined, same: false });
  try {
    return withFileInPlace(ports, absolute, (fd) => {
      if (size > maxFileBytes) {
        const same = pre.type === 'file' && pre.size === size && hashOpenFile(ports, fd, size).sha256 === pre.sha256;
        return same
          ? { state: { type: 'file', mode, source: { type: 'file', path: absolute } }, found: undefined, same }
          : unreadable(`it is larger than the limit of ${maxFileBytes} bytes`);
      }
      const bytes = readToEnd(ports, fd, size);
      const sha256 = sha256Of(bytes);
      const untouched = pre.type === 'file' && sha256 === pre.sha256 && sameMode(mode, pre.mode);
      // With unsaved text before, the file on disk was another one.
      if (disk !== undefined && sha256 === disk && pre.type === 'file') {
        return { state: { type: 'file', mode, source: { type: 'bytes', bytes } }, found: bytes, same: true };
      }
      return { state: { type: 'file', mode, source: { type: 'bytes', bytes } }, found: bytes, same: untouched };
    });
  } catch (error) {
    return { ...unreadable(reasonOf(error)), unanswered: true };
  }
}

const sameMode = (a: number, b: number) => isWindows || a === b;

function isSame(a: State, b: State): boolean {
  if (a.type === 'symlink' && b.type === 'symlink') return a.target === b.target;
  return a.type === b.type && a.type !== 'file';
}

/** The path under the root, as long as its parents are the real folders they were. */
function confined(ports: Ports, root: string, relative: string): string | undefined {
  const absolute = path.join(root, relative);
  if (relative.includes('\0') || !holds(root, absolute) || protectedIn(relative) !== undefined) return undefined;
  try {
    return realPlace(ports.fs, absolute) === absolute ? absolute : undefined;
  } catch {
    return undefined;
  }
}
