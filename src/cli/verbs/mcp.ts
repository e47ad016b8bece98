// mcp: the tools for agents that speak the Model Context Protocol. The server is a bundle of its own: no other verb needs it.
import type { McpServing } from '../../tools/serving';
import { UsageError } from '../../tools/usage';
import type { Verb, VerbResult } from './verb';

export const mcp: Verb = {
  name: 'mcp',
  usage: '',
  summary: 'a server of the Model Context Protocol on stdin and stdout',
  details: [
    'For agents: the tools checkpoint_list, checkpoint_diff, checkpoint_restore, checkpoint_create, rebuild_context.',
    'They work on the root (the current folder, or --root DIR); their argument root names another folder that has',
    'checkpoints. It runs until stdin ends. Nothing but the protocol is printed on stdout.',
  ],
  options: {},
  async run(call): Promise<VerbResult | 'said all'> {
    if (call.json) throw new UsageError('mcp speaks its own protocol: --json does not go with it.');
    const { ports } = call.io;
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { serve } = require('./mcp.js') as McpServing;
    await serve({ ports, root: call.root, say: call.say });
    return 'said all';
  },
};
