// `.checkpointignore` at a root: gitignore syntax, paths that are left out of checkpoints and named as not covered.
import path from 'node:path';
import type createRules from 'ignore';
import type { Ports } from '../ports';
import { readToEnd, withPlainFile } from '../store/plainFile';

export const ignoreFileName = '.checkpointignore';

/** Bytes; a rule file beyond this is no rule file. */
const maxRuleBytes = 1024 * 1024;

/** True where the root's rules leave the path out. */
export type IgnoreRules = (relativePath: string, isDirectory?: boolean) => boolean;

const nothing: IgnoreRules = () => false;

/** @param root real absolute path. Unreadable rules count as none: too much captured is better than too little. */
export function readIgnoreRules(ports: Ports, root: string): IgnoreRules {
  const text = readRules(ports, path.join(root, ignoreFileName));
  if (text === undefined) return nothing;
  // Loaded only where there are rules: a hook process must start as fast as a bare Node.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const ignore = require('ignore') as typeof createRules;
  const rules = ignore({ ignorecase: false }).add(text);
  return (relativePath, isDirectory = false) => {
    // The rules themselves stay covered: else an agent could write rules that hide its own writes.
    if (relativePath === ignoreFileName) return false;
    try {
      return rules.ignores(isDirectory ? `${relativePath}/` : relativePath);
    } catch {
      return false;
    }
  };
}

function readRules(ports: Ports, file: string): string | undefined {
  try {
    return withPlainFile(ports, file, (fd, { size }) =>
      size <= maxRuleBytes ? readToEnd(ports, fd, size).toString('utf8') : undefined,
    );
  } catch {
    return undefined;
  }
}
