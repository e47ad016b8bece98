// What is in a folder, and whether a timeline accounts for all that became of it.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { State } from '../../src/core/store/meta';
import type { ListedCheckpoint } from '../../src/core/store/reader';

/** By path relative to the root: type, permission bits and hash of a file, the target of a link, `folder`. */
export type Tree = Readonly<Record<string, string>>;

/** Git's own, our store, and what agents keep for themselves in a project. */
const outside: readonly string[] = [
  '.git',
  '.system_generated',
  '.opencode',
  '.gemini',
  '.qwen',
  '.cline',
  '.claude',
  '.codex',
];

export function readTree(root: string): Tree {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => !outside.includes(name.split(path.sep)[0]!))
      .sort()
      .map((name) => [name, describe(path.join(root, name))]),
  );
}

function describe(file: string): string {
  const stat = fs.lstatSync(file);
  if (stat.isSymbolicLink()) return `link ${fs.readlinkSync(file)}`;
  if (stat.isDirectory()) return 'folder';
  const hash = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  return `file ${(stat.mode & 0o7777).toString(8)} ${hash}`;
}

function describeState(state: State | undefined): string | undefined {
  switch (state?.type) {
    case 'file':
      return `file ${state.mode.toString(8)} ${state.sha256}`;
    case 'symlink':
      return `link ${state.target}`;
    case 'directory':
      return 'folder';
    default:
      return undefined;
  }
}

/** A person's writes: known to come before the first checkpoint of a turn. */
export interface ByHand {
  readonly before: string;
  readonly tree: Tree;
}

/**
 * Follows the timeline from the first tree on, and tells where it does not lead to the last one: a state before that is
 * not what the checkpoint before left, or a path that became another without a word. Paths under `notCovered` are
 * accounted for by that.
 *
 * @param checkpoints newest first
 * @param byHand what the tree was after a person wrote, between two turns
 */
export function unaccounted(
  first: Tree,
  checkpoints: readonly ListedCheckpoint[],
  last: Tree,
  byHand?: ByHand,
): string[] {
  const told = checkpoints.flatMap(({ notCovered }) => notCovered.flatMap(({ path: name }) => name ?? []));
  const isTold = (name: string) => told.some((each) => each === name || name.startsWith(`${each}/`));
  const lost: string[] = [];
  let known = new Map(Object.entries(first));
  let isBefore = true;
  const compare = (tree: Tree, when: string) => {
    for (const name of new Set([...known.keys(), ...Object.keys(tree)])) {
      if (known.get(name) === tree[name] || isTold(name)) continue;
      lost.push(`${name} is ${tree[name] ?? 'absent'} ${when}, not ${known.get(name) ?? 'absent'}`);
    }
  };
  for (const { id, agent, entries, label } of checkpoints.toReversed()) {
    if (byHand && isBefore && agent?.turn === byHand.before) {
      isBefore = false;
      known = new Map(Object.entries(byHand.tree));
    }
    for (const { path: name, pre, post } of entries) {
      const [was, now, found] = [describeState(pre), describeState(post), known.get(String(name))];
      if (was !== found)
        lost.push(`${String(name)} was ${was ?? 'absent'}, not ${found ?? 'absent'}, before ${label ?? id}`);
      if (now === undefined) known.delete(String(name));
      else known.set(String(name), now);
    }
  }
  compare(last, 'in the end');
  return lost;
}
