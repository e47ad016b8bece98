// Git as the sweep uses it: it runs nothing that a repository names, and writes nothing.
//
// What a repository's configuration could have run: fsmonitor, hooks, filters, a pager, a transport that fetches missing
// objects. (Aliases cannot stand for Git's own commands; text conversion and external diffs are no part of what is
// called here.) Each is switched off for the call; a repository whose owner Git does not trust is refused by Git itself,
// which is why its folder is found by Git and never named to it.
import type { GitResult, Ports } from '../../ports';
import { isWindows } from '../../state/platform';

export interface Repository {
  /** Absolute real path of the work tree. */
  readonly top: string;
  /** Names of filters that its configuration, or the person's, defines. */
  readonly filters: readonly string[];
  /** Absolute: where Git is to write instead of into the work tree. */
  readonly tree?: string;
}

/** A Git that cannot be used here; the message says why, for people. */
export class GitUnusable extends Error {
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message);
  }
}

export interface GitOptions {
  /** Absolute: used in place of the repository's own index, and not written either. */
  readonly index?: string;
  readonly input?: Uint8Array;
  readonly maxBytes?: number;
  /** ms */
  readonly timeout: number;
  /** Absolute; see `GitCall`. */
  readonly untrusted: string;
}

const megabyte = 2 ** 20;
const nowhere = isWindows ? 'NUL' : '/dev/null';

const settings = [
  'core.fsmonitor=false',
  `core.hooksPath=${nowhere}`,
  'core.pager=cat',
  'core.alternateRefsCommand=',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
];

const environment = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  LC_ALL: 'C',
};

/**
 * Finds out what has to be switched off in a repository.
 * @throws GitUnusable where Git refuses it (another owner), cannot be run, or a filter cannot be switched off
 */
export function openRepository(ports: Ports, top: string, options: GitOptions): Repository {
  // Names only: this runs nothing, whatever they are.
  const result = call(ports, { top }, [], ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'], options);
  if (result.code > 1) throw refusal(result);
  const names = result.stdout
    .toString()
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice('filter.'.length, name.lastIndexOf('.')));
  if (names.some((name) => /[=\n]/.test(name))) {
    throw new GitUnusable('its configuration names a filter that cannot be switched off');
  }
  return { top, filters: [...new Set(names)] };
}

/** @throws GitUnusable where it cannot be run or does not succeed */
export function git(repository: Repository, ports: Ports, args: readonly string[], options: GitOptions): Buffer {
  const off = repository.filters.flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
  const result = call(ports, repository, off, args, options);
  if (result.code !== 0) throw refusal(result);
  return result.stdout;
}

function call(
  ports: Ports,
  { top, tree = top }: Pick<Repository, 'top' | 'tree'>,
  more: readonly string[],
  args: readonly string[],
  { index, input, maxBytes, timeout, untrusted }: GitOptions,
): Extract<GitResult, { type: 'done' }> {
  if (ports.git === undefined) throw new GitUnusable('Git may not be run here', true);
  const result = ports.git({
    args: ['--no-pager', '--no-optional-locks', ...[...settings, ...more].flatMap((each) => ['-c', each]), ...args],
    cwd: top,
    untrusted,
    // The configuration of a repository could name a work tree elsewhere.
    env: { ...environment, GIT_WORK_TREE: tree, ...(index !== undefined && { GIT_INDEX_FILE: index }) },
    ...(input !== undefined && { input }),
    maxBytes: maxBytes ?? 256 * megabyte,
    timeout,
  });
  if (result.type === 'missing') throw new GitUnusable('there is no Git on this machine', true);
  if (result.type === 'failed') throw new GitUnusable(result.reason);
  return result;
}

function refusal({ stderr, code }: Extract<GitResult, { type: 'done' }>): GitUnusable {
  if (/dubious ownership|unsafe repository/.test(stderr)) {
    return new GitUnusable('Git does not trust its owner (safe.directory)');
  }
  return new GitUnusable(`Git could not read it (${firstLine(stderr) || `exit code ${code}`})`);
}

const firstLine = (text: string) =>
  (text.split('\n').find((line) => /^(fatal|error):/.test(line)) ?? text.split('\n')[0] ?? '').slice(0, 300);
