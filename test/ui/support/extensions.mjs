// Installs extensions into the extensions folder of a test host, before the host starts.
import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Top-level entries of an extension's checkout that no installed extension has. */
const LEFT_OUT = new Set(['node_modules', 'src', 'test', 'out', 'docs', 'coverage']);

/**
 * @param {{ node: string, server: string }} host
 * @param {string[]} extensions folders of unpacked extensions (also a checkout whose bundle is built) or .vsix files
 * @param {string} extensionsDir
 */
export async function installExtensions(host, extensions, extensionsDir) {
  for (const extension of extensions) {
    if (extension.endsWith('.vsix')) await installPackage(host, extension, extensionsDir);
    else await copyFolder(extension, extensionsDir);
  }
}

async function copyFolder(folder, extensionsDir) {
  const { publisher, name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const target = join(extensionsDir, `${publisher}.${name}-${version}`);
  // Entry by entry: the extensions folder itself may be somewhere below the checkout.
  for (const entry of await readdir(folder)) {
    if (entry.startsWith('.') || LEFT_OUT.has(entry)) continue;
    await cp(join(folder, entry), join(target, entry), { recursive: true });
  }
}

/** Through VS Code's own command line, as a user does. */
async function installPackage(host, file, extensionsDir) {
  const args = ['out/server-main.js', '--install-extension', file, '--extensions-dir', extensionsDir];
  await promisify(execFile)(host.node, [...args, '--accept-server-license-terms'], {
    cwd: host.server,
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' },
  });
}
