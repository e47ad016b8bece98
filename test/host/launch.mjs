// Runs the extension tests through @vscode/test-electron's runTests: in a VS Code served headless, or with --desktop
// in a downloaded desktop build. Usage: node test/host/launch.mjs [--desktop]
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { checkout } from '../setup/prepare.mjs';

const desktop = process.argv.includes('--desktop');
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), 'agent-checkpoints-host-')));
const workspace = path.join(scratch, 'work space é');

try {
  mkdirSync(workspace);
  await runTests({
    ...(desktop ? {} : { vscodeExecutablePath: path.join(checkout, 'test/hosts/launcher.mjs') }),
    extensionDevelopmentPath: checkout,
    extensionTestsPath: path.join(checkout, 'out/test/host/run.js'),
    launchArgs: [workspace, '--disable-workspace-trust', '--skip-welcome'],
    // A user state of its own: the tests never touch the person's.
    extensionTestsEnv: { AGENT_CHECKPOINTS_HOME: path.join(scratch, 'state'), HOME: path.join(scratch, 'home') },
  });
} catch (error) {
  process.stdout.write(`The extension tests did not pass: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
