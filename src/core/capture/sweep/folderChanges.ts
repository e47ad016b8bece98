// Folders that a command made or removed: Git knows only what is in them.
import path from 'node:path';
import { look } from '../diskState';
import type { Changes } from './changes';
import { statOf } from './note';

/** ms that clocks of files and of this program may be apart. */
const slack = 20;

/** Adds the folders around what is new or gone, and tells which new paths took the place of a folder. */
export function addFolders(changes: Changes): void {
  const { ports, record } = changes.input;
  const at = (relative: string) => path.join(record.root, relative);
  let before: ReadonlySet<string> | undefined;
  const wasFolder = (relative: string) => (before ??= foldersBefore(changes)).has(relative);
  const isFolder = (relative: string) => look(ports.fs, at(relative)).type === 'directory';
  const done = new Set<string>();
  for (const candidate of [...changes.candidates.values()]) {
    if (candidate.earlier.type === 'absent' && wasFolder(candidate.path)) {
      changes.candidates.set(candidate.path, { ...candidate, earlier: { type: 'directory' } });
    }
    for (let dir = parentOf(candidate.path); dir !== undefined && !done.has(dir); dir = parentOf(dir)) {
      done.add(dir);
      if (changes.candidates.has(dir) || changes.wasNoted(dir)) continue;
      const was = wasFolder(dir);
      if (was && !isFolder(dir)) {
        changes.add({ path: dir, earlier: { type: 'directory' }, provenance: 'before-write' });
      } else if (!was && isFolder(dir)) {
        // An empty folder is in no list of Git's; its age tells.
        const born = statOf(ports, at(dir))?.birthtimeMs ?? 0n;
        if (born !== 0n && Number(born) < record.at - slack) continue;
        changes.add({ path: dir, earlier: { type: 'absent' }, provenance: 'before-write' });
      }
    }
  }
}

function parentOf(relative: string): string | undefined {
  const at = relative.lastIndexOf('/');
  return at < 0 ? undefined : relative.slice(0, at);
}

/** All folders that something known was in. */
function foldersBefore({ tracked, input: { record } }: Changes): Set<string> {
  const folders = new Set<string>();
  const addParents = (relative: string) => {
    for (let dir = parentOf(relative); dir !== undefined && !folders.has(dir); dir = parentOf(dir)) folders.add(dir);
  };
  for (const [relative, noted] of Object.entries(record.files)) {
    if (noted.type === 'directory') folders.add(relative);
    if (noted.type !== 'absent') addParents(relative);
  }
  for (const [relative] of Object.entries(record.ignored)) {
    const name = relative.replace(/\/$/, '');
    if (relative.endsWith('/')) folders.add(name);
    addParents(name);
  }
  for (const relative of tracked) if (record.files[relative]?.type !== 'absent') addParents(relative);
  record.names.forEach(addParents);
  return folders;
}
