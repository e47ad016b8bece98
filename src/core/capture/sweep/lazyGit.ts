// The `git` of Ports for the product's own entry points.
import type { RunGit } from '../../ports';
import type * as gitProcess from './gitProcess';

export const lazyGit: RunGit = (call) => {
  // A hook before an edit starts no program, and is not to pay for being able to.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { runGit } = require('./gitProcess') as typeof gitProcess;
  return runGit(call);
};
