// Sets up a VS Code of a given version inside this checkout, for tests on a machine without a desktop.
// Run by hand: node test/hosts/setup.mjs [VERSION…]
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure, hostsFolder } from './paths.mjs';
import { RECIPE, recipeOf, recipes } from './recipes.mjs';
import { SetUpError, openSteps, unpackPackage } from './steps.mjs';

const standIns = join(dirname(fileURLToPath(import.meta.url)), 'stand-ins');

/**
 * Makes sure that the host is there, and tells where. The second call returns at once.
 * @param {'1.139.1' | '1.100.3'} name the version of VS Code
 * @returns {Promise<{ version: string, node: string, server: string }>} its own Node, and the folder of its server
 */
export async function setUpHost(name) {
  const recipe = recipeOf(name);
  const folder = join(hostsFolder, name);
  const wanted = JSON.stringify({ recipe: RECIPE, ...recipe });
  if ((await stampOf(folder)) !== wanted) await install(name, recipe, folder, wanted);
  return { version: name, node: join(folder, 'node', 'bin', 'node'), server: join(folder, 'server') };
}

async function install(name, recipe, folder, stamp) {
  if (process.platform !== 'linux') {
    throw new SetUpError(
      `VS Code ${name} can be set up from npm on Linux only. On ${process.platform}, let @vscode/test-electron fetch it.`,
    );
  }
  await removeLeftovers(name);
  const started = Date.now();
  console.log(`Setting up VS Code ${name} (about a minute)…`);

  // Everything is made in a folder of this process and moved into place last: a broken-off set-up leaves nothing that
  // looks finished, and two that run at once do not meet.
  const work = join(await ensure(hostsFolder), `${name}.partial-${process.pid}`);
  const steps = await openSteps(`Set-up of VS Code ${name}`, `setup-${name}`, `node test/hosts/setup.mjs ${name}`);
  try {
    await unpackPackage(steps, recipe.node, join(work, 'node'), ['bin/node']);
    await unpackPackage(steps, recipe.codeServer, join(work, 'code-server'), ['lib/vscode']);
    const server = join(work, 'server');
    await rename(join(work, 'code-server', 'lib', 'vscode'), server);
    await rm(join(work, 'code-server'), { recursive: true });
    const npmInstall = ['install', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await steps.run('dependencies of the server', 'npm', npmInstall, { cwd: server });
    await steps.run('dependencies of the built-in extensions', 'npm', npmInstall, { cwd: join(server, 'extensions') });
    for (const extra of recipe.extras) await addExtra(steps, extra, work, join(server, 'node_modules'));
    await addStandIns(recipe, join(server, 'node_modules'));
    await steps.run('first start', join(work, 'node', 'bin', 'node'), ['out/server-main.js', '--version'], {
      cwd: server,
    });
    await writeFile(join(work, 'stamp.json'), stamp);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } catch (error) {
    // Another process may have moved its own finished copy into place in the meantime.
    if ((await stampOf(folder)) !== stamp) throw error;
  } finally {
    await steps.close();
    await rm(work, { recursive: true, force: true });
  }
  console.log(`VS Code ${name} is set up (${Math.round((Date.now() - started) / 1000)} s).`);
}

/** Puts one file of another package into the server's modules, in the place of what would be compiled or downloaded. */
async function addExtra(steps, { from, file, to }, work, modules) {
  const unpacked = join(work, 'extra');
  await unpackPackage(steps, from, unpacked, [file]);
  await mkdir(dirname(join(modules, to)), { recursive: true });
  await rename(join(unpacked, file), join(modules, to));
  await chmod(join(modules, to), 0o755);
  await rm(unpacked, { recursive: true });
}

/** Two native modules have no binary anywhere, and do small work: plain JavaScript of ours does it instead. */
async function addStandIns(recipe, modules) {
  await copyFile(join(standIns, 'spdlog.cjs'), join(modules, '@vscode', 'spdlog', 'index.js'));
  await copyFile(join(standIns, 'watchdog.cjs'), join(modules, recipe.watchdog, 'index.js'));
}

async function stampOf(folder) {
  return readFile(join(folder, 'stamp.json'), 'utf8').catch(() => undefined);
}

async function removeLeftovers(name) {
  for (const entry of existsSync(hostsFolder) ? await readdir(hostsFolder) : []) {
    const pid = entry.startsWith(`${name}.partial-`) && Number(entry.split('-').at(-1));
    if (pid && !isAlive(pid)) await rm(join(hostsFolder, entry), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(recipes);
  try {
    for (const name of names) console.log(await setUpHost(name));
  } catch (error) {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exitCode = 1;
  }
}
