// `npm start`: does all the set-up and opens the product on a sample workspace in which scripted agents have just
// worked. Usage: npm start [-- --desktop] [-- --port N]
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkout, prepare } from '../setup/prepare.mjs';
import { say, SetupError } from '../setup/step.mjs';
import { playTurns } from './scriptedAgent.mjs';
import { turns } from './turns.mjs';
import { writeWorkspace } from './workspace.mjs';

const base = path.join(checkout, '.vscode-test', 'sample');
const root = path.join(base, 'corner-shop');
// A user state of its own: trying the product does not touch the person's.
const env = { ...process.env, AGENT_CHECKPOINTS_HOME: path.join(base, 'state') };

async function serve(port) {
  const { setUpHost } = await import('../hosts/setup.mjs');
  const { startServer } = await import('../hosts/server.mjs');
  const { installExtensions } = await import('../ui/support/extensions.mjs');
  const host = await setUpHost('1.139.1');
  const server = await startServer(host, {
    folder: root,
    dataDir: path.join(base, 'data'),
    env,
    port,
    install: (folder) => installExtensions(host, [checkout], folder),
  });
  say('VS Code is ready. Open this address in a browser, then click the Agent Checkpoints icon:');
  process.stdout.write(`\n  ${server.url()}\n\nPress Ctrl+C to stop.\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.stop().then(() => process.exit(0)));
}

function openDesktop() {
  const args = ['--extensionDevelopmentPath', checkout, '--user-data-dir', path.join(base, 'desktop'), root];
  const code = spawn('code', args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
  code.on('error', () => {
    say(
      'The command `code` was not found. In VS Code, run "Shell Command: Install \'code\' command in PATH", then try again.',
    );
    process.exitCode = 1;
  });
}

try {
  const { values } = parseArgs({ options: { desktop: { type: 'boolean' }, port: { type: 'string' } } });
  await prepare();
  say('Letting scripted agents work in the sample workspace');
  rmSync(base, { recursive: true, force: true });
  writeWorkspace(root);
  playTurns(turns(root), { cli: path.join(checkout, 'dist/cli.js'), root, env });
  if (values.desktop) openDesktop();
  else await serve(values.port === undefined ? undefined : Number(values.port));
} catch (error) {
  process.stdout.write(`${error instanceof SetupError ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
