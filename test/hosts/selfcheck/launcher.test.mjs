// Proves the launcher in both versions of VS Code: passing tests, failing tests and tests that never end.
// Run: node --test test/hosts/selfcheck/launcher.test.mjs
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { recipes } from '../recipes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const launcher = join(here, '..', 'launcher.mjs');

for (const version of Object.keys(recipes)) {
  test(`VS Code ${version} runs the tests of an extension`, async () => {
    const { code, output } = await launch(version);
    assert.match(output, new RegExp(`self-check ran in VS Code ${version.replaceAll('.', '\\.')}`));
    assert.equal(code, 0, output);
  });

  test(`VS Code ${version} reports failing tests`, async () => {
    const { code, output } = await launch(version, { SELFCHECK_FAILS: 'yes' });
    assert.match(output, /this self-check fails on purpose/);
    assert.equal(code, 1, output);
  });
}

test('a run that takes too long fails and says so', async () => {
  const { code, output } = await launch(Object.keys(recipes).at(-1), { AGENT_CHECKPOINTS_HOST_SECONDS: '0.1' });
  assert.match(output, /within 0\.1 seconds/);
  assert.equal(code, 1, output);
});

async function launch(version, env = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'host-selfcheck-')));
  try {
    return await new Promise((resolve) => {
      const extension = join(here, 'extension');
      // The arguments that @vscode/test-electron passes.
      const args = [
        folder,
        '--no-sandbox',
        '--disable-workspace-trust',
        `--extensionTestsPath=${join(extension, 'tests')}`,
        `--extensionDevelopmentPath=${extension}`,
        '--extensions-dir=/nonexistent',
        '--user-data-dir=/nonexistent',
      ];
      const forwarded = { AGENT_CHECKPOINTS_HOST: version, EXPECTED_VERSION: version, EXPECTED_FOLDER: folder };
      execFile(launcher, args, { env: { ...process.env, ...forwarded, ...env } }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, output: stdout + stderr }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
