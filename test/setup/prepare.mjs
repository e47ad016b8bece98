// Installs the packages and builds the product, when that is needed. Only what Node 20 itself has may be used here.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { run, say, SetupError } from './step.mjs';

export const checkout = path.resolve(import.meta.dirname, '../..');

function checkNode() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) throw new SetupError(`Node ${process.version} is too old. Install Node 20 or later, then try again.`);
}

/** True where the installed packages are not those of the lock file. */
function packagesMissing() {
  const marker = path.join(checkout, 'node_modules', '.package-lock.json');
  return !existsSync(marker) || statSync(marker).mtimeMs < statSync(path.join(checkout, 'package-lock.json')).mtimeMs;
}

export async function prepare({ tests = false } = {}) {
  checkNode();
  if (packagesMissing()) {
    say('Installing packages');
    const advice = 'Check that the package registry can be reached, then try again.';
    await run('Installing packages', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: checkout,
      advice,
    });
    // The only package whose install step is needed: it checks its own binary.
    await run('Preparing esbuild', 'npm', ['rebuild', 'esbuild'], { cwd: checkout, advice });
  }
  say('Building');
  await run('The build', process.execPath, ['esbuild.mjs'], { cwd: checkout });
  if (tests) await run('The build of the tests', process.execPath, ['esbuild.mjs', '--tests'], { cwd: checkout });
}
