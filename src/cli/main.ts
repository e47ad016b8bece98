// The program `agent-checkpoints`. A hook runs before each of an agent's writes, so nothing else is loaded for it.
import { hook } from './hook';

const argv = process.argv.slice(2);
if (argv[0] === 'hook') {
  hook(argv[1] ?? '', argv[2]);
} else {
  void import('./verbs.js').then(async ({ main }) => {
    process.exitCode = await main(argv);
  });
}
