// A call before a write must start as fast as a bare Node: what only commands and a turn's end need is loaded with the
// first of them.
import type * as entry from './onDemandEntry';

/** Set by the build of the product: the bundle that belongs to this very program, by a name of its contents. */
declare const SWEEP_BUNDLE: string | undefined;

/** Throws the system's error where the bundle is gone. */
export function onDemand(): typeof entry {
  /* eslint-disable @typescript-eslint/no-require-imports */
  // One expression: the build sees that only one of the two can be.
  return (typeof SWEEP_BUNDLE === 'string' ? require(SWEEP_BUNDLE) : require('./onDemandEntry')) as typeof entry;
  /* eslint-enable @typescript-eslint/no-require-imports */
}
