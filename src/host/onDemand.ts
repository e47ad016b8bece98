// What only some commands need is a bundle of its own, loaded with the first of them: the start of the editor stays
// short.
import type * as agents from '../agents/registry';
import type * as entry from './onDemandEntry';

export function onDemand(): typeof entry {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./ondemand.js') as typeof entry;
}

/** How each agent is set up: asked for when the editor has started. */
export function agentRegistry(): typeof agents {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('./agents.js') as typeof agents;
}
