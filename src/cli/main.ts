// The program `agent-checkpoints`. A hook runs before each of an agent's writes, so nothing else is loaded for it.
import { hook } from './hook';

const [verb, ...rest] = process.argv.slice(2);
if (verb === 'hook') {
  hook(rest[0] ?? '');
} else {
  void import('./verbs.js').then(async ({ main }) => {
    process.exitCode = await main(process.argv.slice(2));
  });
}
