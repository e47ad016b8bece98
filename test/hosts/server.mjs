// Starts the VS Code server of a host on this machine's loopback address, and ends it with everything it started.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ensure, runsFolder } from './paths.mjs';
import { writeSettings, writeUserFiles } from './settings.mjs';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;

/**
 * @param {{ version: string, node: string, server: string }} host what setUpHost returned
 * @param {object} [options]
 * @param {string} [options.folder] the workspace folder that url() opens
 * @param {number} [options.port] default: one that is free
 * @param {string} [options.extensionsDir] default: below the data folder
 * @param {string} [options.dataDir] default: a new folder, removed by stop()
 * @param {boolean} [options.forTests] the page runs an extension's tests: VS Code then heeds the payload of its address,
 *   and shows no modal dialogs
 * @param {object} [options.settings] user settings on top of those of every host
 * @param {Record<string, string>} [options.userFiles] files to put beside the user settings, by name
 * @param {'dark' | 'light' | 'hc' | 'hcLight'} [options.theme]
 * @param {boolean} [options.trust] false: Workspace Trust is on, and a new folder opens in Restricted Mode
 * @param {Record<string, string | undefined>} [options.env] for the server and so for the extension host
 * @param {(extensionsDir: string) => Promise<void>} [options.install] called before the start
 * @param {(text: string) => void} [options.onOutput] what the server prints
 */
export async function startServer(host, options = {}) {
  const { folder, trust = true, env, onOutput } = options;
  const ownData = options.dataDir ? undefined : await mkdtemp(join(await ensure(runsFolder), `${host.version}-`));
  const dataDir = options.dataDir ?? ownData;
  const extensionsDir = await ensure(options.extensionsDir ?? join(dataDir, 'extensions'));
  await options.install?.(extensionsDir);
  await writeUserFiles(dataDir, options.userFiles);
  await writeSettings(host.version, dataDir, { theme: options.theme, settings: options.settings });
  const port = options.port ?? (await freePort());
  const child = spawn(
    host.node,
    [
      'out/server-main.js',
      ...['--host', '127.0.0.1', '--port', String(port)],
      ...['--server-data-dir', dataDir, '--extensions-dir', extensionsDir],
      '--without-connection-token', // a loopback port for the length of a test
      '--accept-server-license-terms',
      ...(options.forTests ? ['--enable-smoke-test-driver'] : []),
      '--disable-telemetry',
      ...(trust ? ['--disable-workspace-trust'] : []),
    ],
    // A process group of its own, so that stop() reaches the extension hosts and terminals too.
    { cwd: host.server, env: serverEnv(env), stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const closed = new Promise((resolve) => child.once('close', resolve));
  let stopped;

  const stop = () => (stopped ??= stopTree());
  async function stopTree() {
    process.off('exit', killGroup);
    killGroup('SIGTERM');
    const late = setTimeout(killGroup, STOP_LIMIT_MS, 'SIGKILL');
    await closed;
    clearTimeout(late);
    killGroup('SIGKILL');
    if (ownData) await rm(ownData, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  function killGroup(signal) {
    try {
      process.kill(-child.pid, typeof signal === 'string' ? signal : 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  }
  process.on('exit', killGroup);

  try {
    await listening(child, closed, onOutput);
  } catch (error) {
    await stop();
    throw new Error(`The server of VS Code ${host.version} did not start: ${error.message}`);
  }
  const authority = `127.0.0.1:${port}`;
  return {
    port,
    dataDir,
    extensionsDir,
    /** The address of the page. `payload`: the list of pairs that VS Code's web workbench takes. */
    url: ({ payload = [], ...params } = {}) => {
      const query = new URLSearchParams({ ...(folder && { folder }), payload: JSON.stringify(payload), ...params });
      return `http://${authority}/?${query}`;
    },
    /** How the workbench names a file of this machine. */
    remoteUri: (path) => `vscode-remote://${authority}${encodeURI(path)}`,
    stop,
  };
}

/** Waits for the server's word that it listens; the output up to there is the message when that does not come. */
function listening(child, closed, onOutput = () => {}) {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk) => {
      onOutput(String(chunk));
      if (output === undefined) return;
      output += chunk;
      if (!/listening on \d+/.test(output)) return;
      output = undefined;
      clearTimeout(late);
      resolve();
    };
    const late = setTimeout(() => reject(new Error(`nothing within ${START_LIMIT_MS} ms\n${output}`)), START_LIMIT_MS);
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    void closed.then((code) => reject(new Error(`it ended with code ${code}\n${output ?? ''}`)));
  });
}

/** The tests may themselves run below a VS Code or an npm; their variables would change how the server behaves. */
function serverEnv(extra) {
  const kept = Object.entries(process.env).filter(([key]) => !/^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS$)/.test(key));
  // An address that is empty switches the extension marketplace off: no traffic to it.
  return { ...Object.fromEntries(kept), EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...extra };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
