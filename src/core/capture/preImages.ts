// The states before a write, of all paths that one call touches in one root.
import { constants } from 'node:fs';
import path from 'node:path';
import type { Ports } from '../ports';
import type { DraftEntry, DraftState } from '../store/draft';
import type { NotCovered } from '../store/meta';
import { readToEnd, sha256Of, withFileInPlace } from '../store/plainFile';
import { look, reasonOf, type Found } from './diskState';
import { ignoreFileName, readIgnoreRules } from './ignoreRules';
import type { OpenEntry } from './openRecord';
import type { PlacedWrite } from './placing';
import { protectedIn } from './protectedNames';
import { record, type Recorded } from './recorded';
import type { Expected } from './request';
import { holds, realPlace, relativeTo } from './roots';

export interface CaptureLimits {
  /** Larger files are left out unless a copy is free. */
  readonly maxFileBytes: number;
  /** Whether the file system copies this file without copying its bytes. */
  readonly isFreeCopy: (absolute: string) => boolean;
}

export interface PreImage {
  readonly draft: DraftEntry;
  readonly open: OpenEntry;
}

export interface PreImages {
  readonly images: readonly PreImage[];
  readonly notCovered: readonly NotCovered[];
}

/** How a path takes part in the call. */
interface Part {
  readonly relative: string;
  readonly absolute: string;
  readonly expected?: Expected | undefined;
  /** Relative: the path whose bytes the expected ones are derived from. */
  readonly base?: string | undefined;
  readonly renamedFrom?: string | undefined;
  readonly unsaved?: Uint8Array | undefined;
  readonly optional?: true;
}

/**
 * @param root real absolute path
 * @param known relative paths that this call has captured already: their first pre-image stands
 */
export function preImages(
  ports: Ports,
  root: string,
  writes: readonly PlacedWrite[],
  limits: CaptureLimits,
  known: ReadonlySet<string> = new Set(),
): PreImages {
  const { fs } = ports;
  const ignored = readIgnoreRules(ports, root);
  const seen = new Set(known);
  const images: PreImage[] = [];
  const notCovered: NotCovered[] = [];

  const leaveOut = ({ relative }: Part, reason: string) =>
    void notCovered.push({ path: relative.slice(0, 4096), reason });

  const keep = (part: Part, pre: DraftState, disk?: string) => {
    const { relative, base, renamedFrom, optional } = part;
    const readPre = () =>
      part.unsaved ? Buffer.from(part.unsaved) : readBytes(ports, path.join(root, base ?? relative));
    const recorded = part.expected && recordSafely(part.expected, readPre);
    images.push({
      draft: {
        path: relative,
        pre,
        provenance: 'before-write',
        ...(renamedFrom !== undefined && { renamedFrom }),
      },
      open: {
        path: relative,
        ...(recorded && { recorded }),
        ...(base !== undefined && { base }),
        ...(optional && { optional }),
        ...(disk !== undefined && { disk }),
      },
    });
  };

  const capture = (part: Part): void => {
    if (seen.has(part.relative)) return;
    seen.add(part.relative);
    const guarded = protectedIn(part.relative);
    if (guarded !== undefined) return leaveOut(part, `it is inside ${guarded}, which is never captured`);
    const found = look(fs, part.absolute);
    if (ignored(part.relative, found.type === 'directory')) {
      return leaveOut(part, `it is matched by ${ignoreFileName}`);
    }
    if (part.unsaved !== undefined) return keepUnsaved(part, part.unsaved, found);
    switch (found.type) {
      case 'file':
        return captureFile(part, found.size);
      case 'absent':
        // Whoever removes it is to put back nothing, so the folders that the write makes go too.
        if (part.expected?.type !== 'absent') captureMissingFolders(part);
        return keep(part, { type: 'absent' });
      case 'symlink':
        return captureLink(part, found.target);
      case 'directory':
        return keep(part, { type: 'directory' });
      case 'special':
        return leaveOut(part, `it is ${found.what}, which is never opened`);
      case 'unreadable':
        return keepUnreadable(part, found.error);
    }
  };

  const keepUnreadable = (part: Part, error: string) => {
    leaveOut(part, `it could not be read: ${error}`);
    keep(part, { type: 'unreadable', error });
  };

  const captureFile = (part: Part, size: number) => {
    try {
      fs.accessSync(part.absolute, constants.R_OK);
    } catch (error) {
      return keepUnreadable(part, reasonOf(error));
    }
    if (size > limits.maxFileBytes && !limits.isFreeCopy(part.absolute)) {
      return leaveOut(part, `it is larger than the limit of ${limits.maxFileBytes} bytes`);
    }
    keep(part, { type: 'file', source: { type: 'file', path: part.absolute } });
  };

  const keepUnsaved = (part: Part, bytes: Uint8Array, found: Found) => {
    const onDisk = found.type === 'file' ? readBytes(ports, part.absolute) : undefined;
    const mode = found.type === 'file' ? found.mode : 0o644;
    keep(part, { type: 'file', mode, source: { type: 'bytes', bytes } }, onDisk && sha256Of(onDisk));
  };

  const captureMissingFolders = ({ relative }: Part) => {
    const missing: Part[] = [];
    for (let dir = parentOf(relative); dir !== undefined; dir = parentOf(dir)) {
      const absolute = path.join(root, dir);
      const type = look(fs, absolute).type;
      if (type === 'absent') {
        missing.unshift({ relative: dir, absolute, expected: { type: 'directory' }, optional: true });
        continue;
      }
      // A file in the way of a folder has to go before the write can succeed.
      if (type !== 'directory') capture({ relative: dir, absolute, optional: true });
      break;
    }
    missing.forEach(capture);
  };

  const captureLink = (part: Part, target: string) => {
    let file: string;
    try {
      file = followLink(ports, part.absolute);
    } catch (error) {
      keep({ ...part, optional: true }, { type: 'symlink', target });
      return leaveOut(part, `what the link leads to cannot be told: ${reasonOf(error)}`);
    }
    const inside = holds(root, file);
    const resolved = inside ? relativeTo(root, file) : undefined;
    const link: DraftState = { type: 'symlink', target, ...(resolved !== undefined && { resolved }) };
    if (resolved === undefined) {
      keep({ ...part, optional: true }, link);
      return leaveOut(part, 'the link leads out of the workspace folder; only the link itself is captured');
    }
    keep({ ...part, base: part.base ?? resolved, optional: true }, link);
    // Removing the link leaves its file alone.
    const expected = part.expected?.type === 'absent' ? undefined : part.expected;
    const optional = expected === undefined && part.expected !== undefined;
    capture({ relative: resolved, absolute: file, expected, base: part.base, ...(optional && { optional }) });
  };

  for (const { place, from, write } of writes) {
    const { expected, unsaved } = write;
    capture({ ...place, base: from?.relative, renamedFrom: from?.relative, expected, unsaved });
  }
  return { images, notCovered };
}

function parentOf(relative: string): string | undefined {
  const at = relative.lastIndexOf('/');
  return at < 0 ? undefined : relative.slice(0, at);
}

/** Undefined where there is no plain file to read. */
function readBytes(ports: Ports, absolute: string): Buffer | undefined {
  try {
    return withFileInPlace(ports, absolute, (fd, { size }) => readToEnd(ports, fd, size));
  } catch {
    return undefined;
  }
}

/** What an input means for the bytes after must never cost the bytes before. */
function recordSafely(expected: Expected, readPre: () => Buffer | undefined): Recorded | undefined {
  try {
    return record(expected, readPre);
  } catch {
    return undefined;
  }
}

const maxLinks = 40;

/** Where a chain of links ends; nothing need be there. @throws as `realPlace`, and for a circle */
function followLink({ fs }: Ports, link: string): string {
  let file = link;
  for (let links = 0; ; links++) {
    const found = look(fs, file);
    if (found.type !== 'symlink') return file;
    if (links === maxLinks) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    file = realPlace(fs, path.resolve(path.dirname(file), found.target));
  }
}
