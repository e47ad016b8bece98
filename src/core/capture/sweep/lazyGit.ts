// The `git` of Ports for the product's own entry points.
import type { RunGit } from '../../ports';
import { onDemand } from '../onDemand';

/** A hook before an edit starts no program, and is not to pay for being able to. */
export const lazyGit: RunGit = (call) => onDemand().runGit(call);
