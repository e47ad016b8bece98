// What a sweep before a command keeps of a repository's index, and of the permissions that Git does not hold.
import path from 'node:path';
import { errorCode } from '../../errors';
import type { Ports } from '../../ports';
import { createFile } from '../../state/atomicFile';
import { readToEnd, withPlainFile } from '../../store/plainFile';
import { look } from '../diskState';
import { protectedIn } from '../protectedNames';
import { holds, relativeTo } from '../roots';
import { linkPlain, type CopyWriter } from './copies';
import { GitUnusable } from './git';
import type { GitIndex } from './gitIndex';
import type { SweepLimits } from './limits';
import type { EarlierSweep } from './note';
import type { RepositoryRecord } from './record';
import type { GitFolders } from './repositories';

export interface BeforeInput {
  readonly ports: Ports;
  /** Absolute real path. */
  readonly root: string;
  readonly limits: SweepLimits;
  readonly includeIgnored: readonly string[];
  /** Where copies go; absolute. */
  readonly folder: string;
  readonly copies: CopyWriter;
  /** Unlike that of every other sweep. */
  readonly id: string;
  readonly earlier: EarlierSweep | undefined;
}

/** A name in a work tree as a path relative to the root; undefined where it is elsewhere or protected. */
export function placeIn(root: string, top: string, name: string): string | undefined {
  const absolute = path.join(top, name);
  if (!holds(root, absolute)) return undefined;
  const relative = relativeTo(root, absolute) + (name.endsWith('/') ? '/' : '');
  return protectedIn(relative) === undefined ? relative : undefined;
}

const maxIndexBytes = 512 * 2 ** 20;

/** Git replaces its index, so the copy stays as it is. Its time does too: by it Git tells which files to compare. */
export function copyIndex({ ports, folder, id, earlier }: BeforeInput, { gitDir, top }: GitFolders) {
  const file = path.join(gitDir, 'index');
  try {
    return withPlainFile(ports, file, (fd, stat) => {
      if (stat.size > maxIndexBytes) throw new GitUnusable(`its index is larger than ${maxIndexBytes} bytes`);
      const bytes = readToEnd(ports, fd, stat.size);
      const stamp = `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
      const known = earlier?.record.repositories.find((each) => each.top === top);
      if (known?.index && known.indexStamp === stamp) {
        if (linkPlain(ports, path.join(earlier!.folder, known.index), path.join(folder, known.index))) {
          return { bytes, stamp, name: known.index };
        }
      }
      for (let n = 0; ; n++) {
        const name = `index-${id}-${n}`;
        try {
          createFile(ports, path.join(folder, name), bytes);
        } catch (error) {
          if (errorCode(error) === 'EEXIST') continue;
          throw error;
        }
        // A little earlier than the original: then Git compares rather one file too many.
        const time = (stat.mtimeMs - 1) / 1000;
        ports.fs.utimesSync(path.join(folder, name), time, time);
        return { bytes, stamp, name };
      }
    });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Git holds only whether a file may be run; the rest is noted where it is not as usual. */
export function modesOf(
  { ports, root }: BeforeInput,
  { top }: GitFolders,
  entries: GitIndex,
): Pick<RepositoryRecord, 'modes' | 'usual'> {
  const found = { file: new Map<string, number>(), program: new Map<string, number>() };
  for (const [name, { mode }] of entries) {
    if ((mode & 0o170000) !== 0o100000 || placeIn(root, top, name) === undefined) continue;
    const now = look(ports.fs, path.join(top, name));
    if (now.type === 'file') found[mode & 0o111 ? 'program' : 'file'].set(name, now.mode);
  }
  const usual = { file: mostCommon(found.file, 0o644), program: mostCommon(found.program, 0o755) };
  const modes: Record<string, number> = {};
  for (const kind of ['file', 'program'] as const) {
    for (const [name, mode] of found[kind]) if (mode !== usual[kind]) modes[name] = mode;
  }
  return { modes, usual };
}

function mostCommon(modes: ReadonlyMap<string, number>, otherwise: number): number {
  const counts = new Map<number, number>();
  for (const mode of modes.values()) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? otherwise;
}
