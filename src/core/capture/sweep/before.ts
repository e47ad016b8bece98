// The sweep before a command: what Git would not give back is copied, what it would give back is noted.
import path from 'node:path';
import createRules from 'ignore';
import type { Ports } from '../../ports';
import { reasonOf } from '../diskState';
import { readIgnoreRules } from '../ignoreRules';
import { holds, relativeTo } from '../roots';
import { copyIndex, modesOf, placeIn, type BeforeInput } from './beforeIndex';
import { git, GitUnusable, openRepository, type GitOptions } from './git';
import { parseIndex, type GitIndex } from './gitIndex';
import { parseStatus, statusArguments, type GitStatus } from './gitStatus';
import type { SweepLimits } from './limits';
import { isWhollyMade } from './madeFolders';
import { noteAll, stampOf, statOf } from './note';
import type { RepositoryRecord, SweepRecord } from './record';
import { hasDotGit, linkedWorktrees, repositoryAt, repositoryOf, type GitFolders } from './repositories';
import { walk } from './walk';

export type Survey = Pick<
  SweepRecord,
  'repositories' | 'walked' | 'files' | 'names' | 'complete' | 'ignored' | 'notCovered'
>;

interface State {
  /** Relative to the root; to be looked at one by one. In the order of their importance. */
  readonly tracked: Set<string>;
  readonly untracked: Set<string>;
  readonly ignored: Map<string, string>;
  readonly notCovered: SweepRecord['notCovered'];
  readonly repositories: RepositoryRecord[];
  readonly queue: GitFolders[];
  readonly seen: Set<string>;
  /** Ignored paths that commands made. */
  readonly made: ReadonlySet<string>;
  walked: boolean;
  complete: boolean;
}

/** Makes copies durable; the record is up to the caller. Throws the system's error where they cannot be written. */
export function surveyBefore(input: BeforeInput): Survey {
  const { ports, root, limits, copies, earlier } = input;
  const made = (earlier?.record.made ?? []).filter((each) => placeIn(root, root, each) === each);
  const state: State = {
    tracked: new Set(),
    untracked: new Set(),
    ignored: new Map(),
    notCovered: [],
    repositories: [],
    queue: [],
    seen: new Set(),
    made: new Set(made),
    walked: false,
    complete: true,
  };
  made.forEach((each) => state.untracked.add(each));
  const own = repositoryOf(ports, root);
  if (own === undefined) walkFolder(input, state, root);
  else enqueue(state, own);
  for (let next = state.queue.shift(); next !== undefined; next = state.queue.shift()) {
    if (state.repositories.length >= limits.maxRepositories) {
      const reason = `there are more than ${limits.maxRepositories} repositories`;
      state.notCovered.push({ path: shown(root, next.top), reason });
      continue;
    }
    surveyRepository(input, state, next);
  }
  const leftOut = readIgnoreRules(ports, root);
  const context = { ports, root, limits, copies, earlier, leftOut };
  const { files, more } = noteAll(context, [...state.tracked, ...bySize(input, state.untracked)]);
  if (more.length > 0) {
    const reason = `${more.length} more files that Git does not hold are not covered, beyond ${limits.maxFiles}`;
    state.notCovered.push({ reason });
  }
  copies.finish();
  return {
    repositories: state.repositories,
    walked: state.walked,
    files,
    names: more.slice(0, limits.maxNames),
    complete: state.complete && more.length <= limits.maxNames,
    ignored: Object.fromEntries(state.ignored),
    notCovered: state.notCovered,
  };
}

/** Small ones first, where not all may fit. */
function bySize({ ports, root, limits }: BeforeInput, names: ReadonlySet<string>): string[] {
  if (names.size < 100) return [...names];
  if (names.size > limits.maxFiles) return [...names];
  const sizes = new Map([...names].map((name) => [name, statOf(ports, path.join(root, name))?.size ?? 0n]));
  return [...names].sort((a, b) => (sizes.get(a)! < sizes.get(b)! ? -1 : 1));
}

function enqueue(state: State, folders: GitFolders | undefined): void {
  if (folders === undefined || state.seen.has(folders.top)) return;
  state.seen.add(folders.top);
  state.queue.push(folders);
}

const shown = (root: string, top: string) => (holds(root, top) ? relativeTo(root, top) : '.');

export const gitOptions = (root: string, limits: SweepLimits): GitOptions => ({
  timeout: limits.gitTime,
  untrusted: root,
});

function surveyRepository(input: BeforeInput, state: State, folders: GitFolders): void {
  const { ports, root, limits } = input;
  const base = { ...folders, filters: [] };
  try {
    const options = gitOptions(root, limits);
    const repository = openRepository(ports, folders.top, options);
    // Copied first: what a program changes from here on is seen afterwards.
    const index = copyIndex(input, folders);
    const status = statusOf(ports, repository, root, options);
    const entries = index && parseIndex(index.bytes);
    take(input, state, folders, status, entries);
    if (index && !entries) {
      const reason = 'its index is kept in a form that is not read; what Git holds is not covered';
      state.notCovered.push({ path: shown(root, folders.top), reason });
    }
    state.repositories.push({
      ...base,
      filters: [...repository.filters],
      ...(status.head !== undefined && { head: status.head }),
      ...(index && { index: index.name, indexStamp: index.stamp }),
      ...(entries && entries.size <= limits.maxModes && modesOf(input, folders, entries)),
    });
    linkedWorktrees(ports, root, folders).forEach((top) => enqueue(state, repositoryAt(ports, top)));
  } catch (error) {
    if (error instanceof GitUnusable && error.isMissing) {
      if (holds(root, folders.top) || folders.top === root) return walkFolder(input, state, folders.top);
      return walkFolder(input, state, root);
    }
    const reason = `the repository is not covered: ${error instanceof GitUnusable ? error.message : reasonOf(error)}`;
    state.notCovered.push({ path: shown(root, folders.top), reason });
    state.repositories.push({ ...base, refused: reason });
  }
}

/** What Git says, of the root's part of a repository. @throws GitUnusable */
export function statusOf(
  ports: Ports,
  repository: ReturnType<typeof openRepository>,
  root: string,
  options: GitOptions,
): GitStatus {
  const part = repository.top !== root && holds(repository.top, root) ? ['--', relativeTo(repository.top, root)] : [];
  return parseStatus(git(repository, ports, [...statusArguments, ...part], options));
}

/** What the status and the index say is taken into the lists. */
function take(
  { ports, root, includeIgnored }: BeforeInput,
  state: State,
  { top }: GitFolders,
  status: GitStatus,
  entries: GitIndex | undefined,
): void {
  const inRoot = (name: string) => placeIn(root, top, name);
  for (const name of status.changed) add(state.tracked, inRoot(name));
  for (const [name, entry] of entries ?? []) {
    if (entry.mode === 0o160000) enqueue(state, repositoryAt(ports, path.join(top, name)));
    // Git does not compare these, or would have to read them to do so.
    else if (entry.unseen || (entry.size === 0 && !emptyBlobs.has(entry.oid))) add(state.tracked, inRoot(name));
  }
  for (const name of status.untracked) {
    if (name.endsWith('/')) enqueueFolder(ports, root, state, path.join(top, name));
    else add(state.untracked, inRoot(name));
  }
  const wanted = createRules({ ignorecase: false }).add([...includeIgnored]);
  for (const name of status.ignored) {
    const relative = inRoot(name);
    if (relative === undefined) continue;
    if (!relative.endsWith('/') && wanted.ignores(relative)) state.untracked.add(relative);
    else if (relative.endsWith('/') && hasDotGit(ports, path.join(root, relative))) {
      enqueueFolder(ports, root, state, path.join(root, relative));
    } else {
      noteIgnored(ports, root, state, relative);
      if (relative.endsWith('/')) enqueueBelow(ports, root, state, relative);
    }
  }
  for (const name of status.unnameable) state.notCovered.push({ path: name, reason: 'its name is not UTF-8' });
}

/** Of what commands made, each path is looked at; the rest is not. */
function noteIgnored(ports: Ports, root: string, state: State, relative: string): void {
  if (!isWhollyMade(ports, root, relative, state.made)) {
    state.ignored.set(relative, ignoredStamp(ports, root, relative));
  }
}

const maxLooks = 50;

const emptyBlobs = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

function add(set: Set<string>, relative: string | undefined): void {
  if (relative !== undefined) set.add(relative);
}

function enqueueFolder(ports: Ports, root: string, state: State, folder: string): void {
  const top = path.join(folder, '.').replace(/[/\\]$/, '');
  if (holds(root, top)) enqueue(state, repositoryAt(ports, top));
}

/** An ignored folder with few things in it is where work trees are often kept. */
function enqueueBelow(ports: Ports, root: string, state: State, relative: string): void {
  try {
    const names = ports.fs.readdirSync(path.join(root, relative));
    if (names.length > maxLooks) return;
    for (const name of names) {
      const folder = path.join(root, relative, name);
      if (hasDotGit(ports, folder)) enqueueFolder(ports, root, state, folder);
    }
  } catch {
    // It cannot be listed.
  }
}

/** Changes when a file is written to, or when something in a folder appears or goes. */
export function ignoredStamp(ports: Ports, root: string, relative: string): string {
  const stat = statOf(ports, path.join(root, relative));
  return stat === undefined ? '' : stampOf(stat);
}

function walkFolder({ ports, root, limits }: BeforeInput, state: State, folder: string): void {
  const walked = walk(ports, root, folder, limits);
  walked.files.forEach((file) => state.untracked.add(file));
  walked.folders.forEach((each) => state.untracked.add(each));
  walked.ignored.forEach((each) => noteIgnored(ports, root, state, each));
  walked.repositories.forEach((top) => enqueue(state, repositoryAt(ports, top)));
  state.notCovered.push(...walked.notCovered);
  state.walked = true;
  state.complete &&= walked.complete;
}
