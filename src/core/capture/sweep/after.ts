// The sweep after a command: which paths are not as they were, and what they were.
import path from 'node:path';
import { look, reasonIn, reasonOf } from '../diskState';
import { compareRepository } from './afterRepository';
import { compareIgnored } from './ignoredChanges';
import { Changes, type AfterInput } from './changes';
import { readCopy } from './copies';
import { addFolders } from './folderChanges';
import { stampOf, statOf } from './note';
import type { Noted } from './record';
import { walk } from './walk';

/** Reads what is needed to tell; throws nothing for what is wrong with one path or one repository. */
export function compareAfter(input: AfterInput): Changes {
  const { record } = input;
  const changes = new Changes(input);
  for (const [relative, noted] of Object.entries(record.files)) compareNoted(changes, relative, noted);
  for (const repository of record.repositories) compareRepository(changes, repository);
  if (record.walked) compareWalk(changes);
  compareIgnored(changes);
  addFolders(changes);
  changes.leaveOut();
  return changes;
}

function compareNoted(changes: Changes, relative: string, noted: Noted): void {
  const { ports, folder, record } = changes.input;
  if (noted.type === 'special') return compareUnknown(changes, relative, noted.reason);
  if (noted.type !== 'file') {
    return changes.add({ path: relative, earlier: noted, provenance: 'before-write' });
  }
  const stat = statOf(ports, path.join(record.root, relative));
  const isSame = stat !== undefined && stampOf(stat) === noted.stamp;
  if (isSame && (noted.racy === undefined || noted.copy === undefined)) return;
  const { copy, mode } = noted;
  if (copy === undefined) return changes.leave(relative, noted.reason ?? 'it was not copied');
  changes.add({
    path: relative,
    earlier: { type: 'file', mode, bytes: () => readCopy(ports, folder, copy) },
    provenance: 'before-write',
  });
}

/** What could not be read before: named, unless it is just so now. */
function compareUnknown(changes: Changes, relative: string, reason: string): void {
  const { ports, record } = changes.input;
  const now = look(ports.fs, path.join(record.root, relative));
  if (reasonIn(now) !== reason) changes.leave(relative, `before the command, ${reason}`);
}

function compareWalk(changes: Changes): void {
  const { ports, record, limits } = changes.input;
  try {
    // What is in repositories is compared by them.
    const walked = walk(ports, record.root, record.root, limits);
    walked.files.forEach((file) => changes.addNew(file));
    walked.folders.forEach((folder) => changes.addNew(folder));
    walked.ignored.forEach((each) => changes.ignoredNow.add(each));
    const known = new Set(record.notCovered.map((note) => JSON.stringify(note)));
    for (const note of walked.notCovered) if (!known.has(JSON.stringify(note))) changes.leave(note.path, note.reason);
    for (const top of walked.repositories) {
      if (record.repositories.some((each) => each.top === top)) continue;
      const relative = path.relative(record.root, top).split(path.sep).join('/');
      changes.leave(relative, 'it is a repository that was not there before; it is not covered');
    }
  } catch (error) {
    changes.isPartial = true;
    changes.leave(undefined, `what is new in the folder is not known: ${reasonOf(error)}`);
  }
}
