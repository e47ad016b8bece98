// One repository after a command, compared with its index of before: whatever became of its HEAD and its index, that
// tells which files are not as they were, and Git holds their bytes.
import path from 'node:path';
import createRules from 'ignore';
import { readToEnd, withPlainFile } from '../../store/plainFile';
import type { Ports } from '../../ports';
import { look, reasonOf } from '../diskState';
import { gitOptions, statusOf } from './before';
import { placeIn } from './beforeIndex';
import type { Changes } from './changes';
import { bytesFromGit, type Wanted } from './fromGit';
import { GitUnusable, openRepository, type GitOptions } from './git';
import { parseIndex, type GitIndex, type IndexEntry } from './gitIndex';
import type { RepositoryRecord } from './record';
import { hasDotGit } from './repositories';

/** Paths of one kind that are told one by one. */
const maxTold = 100;

export function compareRepository(changes: Changes, then: RepositoryRecord): void {
  if (then.refused !== undefined) return;
  const { ports, record, folder, limits } = changes.input;
  const { root } = record;
  const index = then.index === undefined ? undefined : readIndex(ports, path.join(folder, then.index));
  for (const name of index?.keys() ?? []) {
    const relative = placeIn(root, then.top, name);
    if (relative !== undefined) changes.tracked.add(relative);
  }
  const options = { ...gitOptions(root, limits), index: path.join(folder, then.index ?? 'index-none') };
  try {
    if (!hasDotGit(ports, then.top)) return compareGone(changes, then, index, options);
    const repository = openRepository(ports, then.top, options);
    const status = statusOf(ports, repository, root, options);
    const wanted: Wanted[] = [];
    for (const name of status.unlikeIndex) {
      const entry = index?.get(name);
      const relative = placeIn(root, then.top, name);
      if (relative === undefined || changes.wasNoted(relative)) continue;
      if (entry !== undefined) wanted.push({ name, entry });
      else changes.leave(relative, 'what Git held of it is not known');
    }
    wanted.push(...changedModes(changes, then, index, new Set(status.unlikeIndex)));
    addFromGit(changes, then, then.top, wanted, options);
    takeUntracked(changes, then.top, status.untracked);
    takeIgnored(changes, then.top, status.ignored);
    if (status.head !== then.head) {
      const [from, to] = [then.head, status.head].map((head) => head?.slice(0, 12) ?? 'no commit');
      const name = shown(root, then.top);
      const which = name === '.' ? 'the repository' : `the repository ${name}`;
      changes.remarks.push({ reason: `${which} went from ${from} to ${to}; files are covered, the repository is not` });
    }
  } catch (error) {
    changes.isPartial = true;
    const why = error instanceof GitUnusable ? error.message : reasonOf(error);
    changes.leave(shown(root, then.top), `what changed in this repository is not known: ${why}`);
  }
}

/** Relative to the root; empty where the work tree is the root or above it. */
const inside = (root: string, top: string) => placeIn(root, path.dirname(top), path.basename(top)) ?? '';
const shown = (root: string, top: string) => placeIn(root, path.dirname(top), path.basename(top)) ?? '.';

function readIndex(ports: Ports, file: string): GitIndex | undefined {
  try {
    return parseIndex(withPlainFile(ports, file, (fd, { size }) => readToEnd(ports, fd, size)));
  } catch {
    return undefined;
  }
}

/** `at`: a work tree whose repository has the objects. */
function addFromGit(
  changes: Changes,
  then: RepositoryRecord,
  at: string,
  wanted: readonly Wanted[],
  options: GitOptions,
): void {
  if (wanted.length === 0) return;
  const { ports, record, folder, limits } = changes.input;
  const opened = openRepository(ports, at, options);
  const repository = { ...opened, filters: [...new Set([...opened.filters, ...then.filters])] };
  if (hidesFilters(changes, then)) {
    const reason = 'which files have an external filter is not known: the command changed .gitattributes';
    return wanted.forEach(({ name }) => changes.leave(placeIn(record.root, then.top, name), reason));
  }
  const found = bytesFromGit(ports, repository, wanted.slice(0, limits.maxFiles), limits.maxBytes, folder, options);
  for (const { name, entry } of wanted) {
    const relative = placeIn(record.root, then.top, name);
    if (relative === undefined) continue;
    const bytes = found.get(name) ?? { reason: `more than ${limits.maxFiles} files changed` };
    if (!Buffer.isBuffer(bytes)) changes.leave(relative, bytes.reason);
    else if ((entry.mode & 0o170000) === 0o120000) {
      changes.add({ path: relative, earlier: { type: 'symlink', target: bytes.toString() }, provenance: 'git' });
    } else {
      const program = (entry.mode & 0o111) !== 0;
      const mode = modeOf(then, name, program);
      changes.add({
        path: relative,
        earlier: { type: 'file', mode, program, bytes: () => bytes },
        provenance: 'git',
      });
    }
  }
}

/** Attributes that Git did not hold, with a filter among them, and that are others now. */
function hidesFilters({ candidates }: Changes, { filters }: RepositoryRecord): boolean {
  if (filters.length === 0) return false;
  return [...candidates.values()].some(({ path: name, earlier, provenance }) => {
    const isHeld = provenance === 'git' || earlier.type !== 'file';
    if (isHeld || path.basename(name) !== '.gitattributes') return false;
    try {
      return /\bfilter\b/.test(earlier.bytes().toString('latin1'));
    } catch {
      return true;
    }
  });
}

function modeOf({ modes, usual }: RepositoryRecord, name: string, program: boolean): number | undefined {
  if (modes === undefined || usual === undefined) return undefined;
  return Object.hasOwn(modes, name) ? modes[name] : usual[program ? 'program' : 'file'];
}

/** Files whose permissions changed and nothing else: Git sees that only of those that make a program. */
function changedModes(
  changes: Changes,
  then: RepositoryRecord,
  index: GitIndex | undefined,
  unlike: ReadonlySet<string>,
): Wanted[] {
  const { ports, record } = changes.input;
  if (then.modes === undefined || index === undefined) return [];
  const changed: Wanted[] = [];
  for (const [name, entry] of index) {
    const relative = placeIn(record.root, then.top, name);
    if ((entry.mode & 0o170000) !== 0o100000 || unlike.has(name) || relative === undefined) continue;
    if (changes.wasNoted(relative)) continue;
    const now = look(ports.fs, path.join(then.top, name));
    if (now.type === 'file' && now.mode !== modeOf(then, name, (entry.mode & 0o111) !== 0))
      changed.push({ name, entry });
  }
  return changed;
}

function takeUntracked(changes: Changes, top: string, names: readonly string[]): void {
  const { record } = changes.input;
  for (const name of names) {
    const relative = placeIn(record.root, top, name);
    if (relative === undefined) continue;
    if (!relative.endsWith('/')) changes.addNew(relative, inside(record.root, top));
    else if (!record.repositories.some((each) => shown(record.root, each.top) === relative.slice(0, -1))) {
      changes.leave(relative.slice(0, -1), 'it is a repository that was not there before; it is not covered');
    }
  }
}

function takeIgnored(changes: Changes, top: string, names: readonly string[]): void {
  const wanted = createRules({ ignorecase: false }).add([...changes.input.includeIgnored]);
  for (const name of names) {
    const relative = placeIn(changes.input.record.root, top, name);
    if (relative === undefined || changes.wasNoted(relative)) continue;
    if (!relative.endsWith('/') && wanted.ignores(relative))
      changes.addNew(relative, inside(changes.input.record.root, top));
    else changes.ignoredNow.add(relative);
  }
}

/** Its `.git` is gone: what Git held is still to be had where the objects are in another work tree's repository. */
function compareGone(changes: Changes, then: RepositoryRecord, index: GitIndex | undefined, options: GitOptions): void {
  const { ports, record } = changes.input;
  const sibling = record.repositories.find(
    (each) => each !== then && each.commonDir === then.commonDir && hasDotGit(ports, each.top),
  );
  const missing: { name: string; entry: IndexEntry; relative: string }[] = [];
  for (const [name, entry] of index ?? []) {
    const relative = placeIn(record.root, then.top, name);
    if (relative === undefined || changes.wasNoted(relative) || entry.mode === 0o160000) continue;
    if (look(ports.fs, path.join(then.top, name)).type === 'absent') missing.push({ name, entry, relative });
  }
  changes.leave(shown(record.root, then.top), 'its repository (.git) was removed, and is not covered');
  changes.isPartial = true;
  if (sibling !== undefined) return addFromGit(changes, then, sibling.top, missing, options);
  const reason = 'it was removed together with the repository that held its bytes';
  for (const { relative } of missing.slice(0, maxTold)) changes.leave(relative, reason);
  if (missing.length > maxTold) changes.leave(undefined, `${missing.length - maxTold} more: ${reason}`);
}
