// Where the test hosts keep what they install and write: everything stays below `.vscode-test` of this checkout.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const vscodeTest = join(checkout, '.vscode-test');
export const hostsFolder = join(vscodeTest, 'hosts');
export const browserFolder = join(vscodeTest, 'browser');
export const logsFolder = join(vscodeTest, 'logs');
export const screenshotsFolder = join(vscodeTest, 'screenshots');
/** Short on purpose: VS Code puts sockets below it, whose paths may not be longer than about 100 characters. */
export const runsFolder = join(vscodeTest, 'run');

/** Makes the folder when it is missing and returns it. */
export async function ensure(folder) {
  await mkdir(folder, { recursive: true });
  return folder;
}
