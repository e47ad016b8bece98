// A folder without Git, walked within bounds. Ignore files count here too: what they leave out is mostly made anew.
import path from 'node:path';
import createRules from 'ignore';
import type { Ports } from '../../ports';
import { readToEnd, withPlainFile } from '../../store/plainFile';
import { look, reasonOf } from '../diskState';
import { protectedName } from '../protectedNames';
import type { SweepLimits } from './limits';
import { hasDotGit } from './repositories';

export interface Walked {
  /** Relative to the root: all but folders. */
  readonly files: string[];
  readonly folders: string[];
  /** Relative; folders end in `/`. */
  readonly ignored: string[];
  /** Absolute folders that are work trees of Git. */
  readonly repositories: string[];
  readonly notCovered: { path?: string; reason: string }[];
  /** False where a bound was reached. */
  readonly complete: boolean;
}

/** Made by package managers and the like, in folders that have no rules of their own. */
const usuallyMade = ['node_modules/', '.venv/', 'venv/', '__pycache__/', '.hg/', '.svn/', '.cache/'];

type Rules = { readonly base: string; readonly rules: ReturnType<typeof createRules> };

/** @param start absolute, in or equal to the root; `root` is not entered as a repository */
export function walk(ports: Ports, root: string, start: string, limits: SweepLimits): Walked {
  const found: Omit<Walked, 'complete'> = { files: [], folders: [], ignored: [], repositories: [], notCovered: [] };
  const deadline = performance.now() + limits.copyTime;
  const pending: { dir: string; rules: readonly Rules[] }[] = [
    { dir: start, rules: [{ base: start, rules: createRules({ ignorecase: false }).add(usuallyMade) }] },
  ];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { dir } = next;
    const rules = [...next.rules, ...ownRules(ports, dir)];
    let names: Buffer[];
    try {
      names = ports.fs.readdirSync(dir, 'buffer').sort(Buffer.compare);
    } catch (error) {
      const reason = `its contents are not known: ${reasonOf(error)}`;
      found.notCovered.push({ path: relativeTo(root, dir) || '.', reason });
      // What is seen in it later may have been there: it is never taken for new.
      if (dir === start) return { ...found, complete: false };
      found.ignored.push(`${relativeTo(root, dir)}/`);
      continue;
    }
    for (const bytes of names) {
      const name = bytes.toString();
      const file = path.join(dir, name);
      const relative = relativeTo(root, file);
      if (protectedName(name) !== undefined) continue;
      if (!Buffer.from(name).equals(bytes)) {
        found.notCovered.push({ path: relative, reason: 'its name is not UTF-8' });
        continue;
      }
      if (found.files.length + found.folders.length >= limits.maxFiles || performance.now() > deadline) {
        const reason = `the folder is no repository and too large: only ${found.files.length} files in it are covered`;
        found.notCovered.push({ reason });
        return { ...found, complete: false };
      }
      const seen = look(ports.fs, file);
      if (seen.type === 'unreadable') found.notCovered.push({ path: relative, reason: seen.error });
      const isFolder = seen.type === 'directory';
      if (isIgnored(rules, file, isFolder)) {
        found.ignored.push(isFolder ? `${relative}/` : relative);
        if (isFolder && hasDotGit(ports, file)) found.repositories.push(file);
      } else if (!isFolder) {
        found.files.push(relative);
      } else if (hasDotGit(ports, file)) {
        found.repositories.push(file);
      } else {
        found.folders.push(relative);
        pending.push({ dir: file, rules });
      }
    }
  }
  return { ...found, complete: true };
}

const relativeTo = (root: string, file: string) => path.relative(root, file).split(path.sep).join('/');

function ownRules(ports: Ports, dir: string): Rules[] {
  try {
    const text = withPlainFile(ports, path.join(dir, '.gitignore'), (fd, { size }) =>
      size > 2 ** 20 ? '' : readToEnd(ports, fd, size).toString('utf8'),
    );
    return [{ base: dir, rules: createRules({ ignorecase: false }).add(text) }];
  } catch {
    return [];
  }
}

/** The rules nearest to the file that say anything count. */
function isIgnored(rules: readonly Rules[], file: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { base, rules: own } of rules) {
    try {
      const verdict = own.test(relativeTo(base, file) + (isFolder ? '/' : ''));
      if (verdict.ignored) ignored = true;
      else if (verdict.unignored) ignored = false;
    } catch {
      // A name that the rules cannot be asked about is not left out.
    }
  }
  return ignored;
}
