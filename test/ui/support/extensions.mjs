// Installs extensions into the extensions folder of a test host, before the host starts.
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
  const wanted = (path) =>
    dirname(path) !== folder || !(basename(path).startsWith('.') || LEFT_OUT.has(basename(path)));
  await cp(folder, join(extensionsDir, `${publisher}.${name}-${version}`), { recursive: true, filter: wanted });
}

/** Through VS Code's own command line, as a user does. */
async function installPackage(host, file, extensionsDir) {
  const args = ['out/server-main.js', '--install-extension', file, '--extensions-dir', extensionsDir];
  await promisify(execFile)(host.node, [...args, '--accept-server-license-terms'], {
    cwd: host.server,
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' },
  });
}
