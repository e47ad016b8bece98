// A folder that is deleted or moved as a whole: the call touches all that is in it.
import path from 'node:path';
import type { Ports } from '../ports';
import { look, reasonOf } from './diskState';
import { protectedName } from './protectedNames';
import type { PathWrite } from './request';

/** Paths of one call; a larger folder is covered in part, and that is told. */
export const maxPaths = 10_000;

export interface Expanded {
  readonly writes: readonly PathWrite[];
  readonly notes: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Adds the contents of folders that a write removes or brings; other writes pass as they are. Paths are absolute.
 * @param isInside whether a folder is in a workspace at all: what is in others is nobody's to list
 */
export function expandFolders(
  ports: Ports,
  writes: readonly PathWrite[],
  isInside: (folder: string) => boolean,
): Expanded {
  const notes: { path: string; reason: string }[] = [];
  const expanded = writes.flatMap((write) => {
    const source = write.renamedFrom ?? (write.expected?.type === 'absent' ? write.path : undefined);
    if (source === undefined || source.includes('\0') || look(ports.fs, source).type !== 'directory') return [write];
    if (!isInside(source)) return [write];
    const inside = contents(ports, source, notes).map(({ relative, isFolder }): PathWrite => {
      const file = path.join(write.path, relative);
      if (write.renamedFrom === undefined) return { path: file, expected: { type: 'absent' } };
      if (isFolder) return { path: file, expected: { type: 'directory' } };
      return { path: file, renamedFrom: path.join(source, relative) };
    });
    if (write.renamedFrom === undefined) return [write, ...inside];
    return [{ path: write.path, expected: { type: 'directory' } } satisfies PathWrite, ...inside];
  });
  return { writes: expanded, notes };
}

function contents(ports: Ports, folder: string, notes: { path: string; reason: string }[]) {
  const found: { relative: string; isFolder: boolean }[] = [];
  const pending = [''];
  for (let dir = pending.shift(); dir !== undefined; dir = pending.shift()) {
    let names: Buffer[];
    try {
      names = ports.fs.readdirSync(path.join(folder, dir), 'buffer');
    } catch (error) {
      notes.push({ path: path.join(folder, dir), reason: `its contents are not known: ${reasonOf(error)}` });
      continue;
    }
    for (const bytes of names) {
      const name = bytes.toString();
      const relative = path.join(dir, name);
      if (!Buffer.from(name).equals(bytes)) {
        notes.push({ path: path.join(folder, relative), reason: 'its name is not UTF-8' });
        continue;
      }
      if (found.length >= maxPaths) {
        notes.push({ path: folder, reason: `only the first ${maxPaths} paths in this folder are covered` });
        return found;
      }
      const isFolder = look(ports.fs, path.join(folder, relative)).type === 'directory';
      found.push({ relative, isFolder });
      // What is protected is named as not covered later on, as one path.
      if (isFolder && protectedName(name) === undefined) pending.push(relative);
    }
  }
  return found;
}
