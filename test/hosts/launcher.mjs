#!/usr/bin/env node
// Runs an extension's tests as the VS Code program does, without a desktop: serves that VS Code and shows it in a
// headless browser. Give this file to `runTests` of @vscode/test-electron as `vscodeExecutablePath`.
//
// Environment: AGENT_CHECKPOINTS_HOST (version of VS Code), AGENT_CHECKPOINTS_HOST_SECONDS (time limit),
// AGENT_CHECKPOINTS_HOST_RESTRICTED (the folder is not trusted), AGENT_CHECKPOINTS_HOST_VERBOSE (print the server's
// output too). The extension host inherits the whole environment. Each run has a profile of its own that is removed.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { launchBrowser } from './browser.mjs';
import { newest } from './recipes.mjs';
import { startServer } from './server.mjs';
import { setUpHost } from './setup.mjs';

const DEFAULT_SECONDS = 180;

/** VS Code's own chatter on the page's console, which says nothing about the tests. */
const NOISE = new RegExp(
  [
    '^(Resolving|Resolved) connection token',
    '^Creating a socket',
    '^Updating additional builtin extensions',
    '^Ignoring fetching additional builtin extensions',
    '^ChatSessionStore',
    '^Creation of workbench contribution',
    '^\\[(reconnection-grace-time|AccountPolicyGate|Service Worker|AgentHost|RemoteAgentHost|ChatModelSelection)',
    'Timed out waiting for authentication provider',
  ].join('|'),
);

const options = readArguments(process.argv.slice(2));
const host = await setUpHost(process.env.AGENT_CHECKPOINTS_HOST || newest);
const server = await startServer(host, {
  folder: options.folder,
  forTests: true,
  // @vscode/test-electron always asks for trust; only this variable can ask for Restricted Mode.
  trust: !process.env.AGENT_CHECKPOINTS_HOST_RESTRICTED,
  onOutput: process.env.AGENT_CHECKPOINTS_HOST_VERBOSE ? (text) => process.stderr.write(text) : undefined,
});
let browser;
let code = 1;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void finish(130));
try {
  browser = await launchBrowser();
  code = await runTests();
} catch (error) {
  console.error(error);
} finally {
  await finish(code);
}

async function runTests() {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  let loaded = false;
  await page.exposeFunction('codeAutomationLog', (type, args) => print(type, args));
  const exited = new Promise((done) => {
    void page.exposeFunction('codeAutomationExit', (exitCode) => done(exitCode));
  });
  const crashed = new Promise((done) => page.once('crash', done)).then(() => fail('The browser page crashed.'));
  const late = limit(() => (loaded ? 'the tests did not end' : 'VS Code did not start the tests'));
  const payload = [
    ...options.extensionDevelopmentPath.map((path) => ['extensionDevelopmentPath', server.remoteUri(path)]),
    ['extensionTestsPath', server.remoteUri(testsFile(options.extensionTestsPath))],
    ['skipWelcome', 'true'],
  ];
  await page.goto(server.url({ payload }));
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  loaded = true;
  return Promise.race([exited, crashed, late]);
}

function limit(what) {
  const seconds = Number(process.env.AGENT_CHECKPOINTS_HOST_SECONDS || DEFAULT_SECONDS);
  return new Promise((done) => setTimeout(done, seconds * 1000)).then(() =>
    fail(`VS Code ${host.version}: ${what()} within ${seconds} seconds.`),
  );
}

function fail(message) {
  console.error(message);
  return 1;
}

function print(type, args) {
  const text = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
  if (NOISE.test(text)) return;
  (type === 'error' || type === 'warn' ? console.error : console.log)(text);
}

async function finish(exitCode) {
  await browser?.close().catch(() => {});
  await server.stop();
  process.exit(exitCode);
}

/** The desktop program resolves the tests like a module; the web workbench wants the file. */
function testsFile(path) {
  if (path.endsWith('.js') || path.endsWith('.cjs')) return path;
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? `${path}/index.js` : `${path}.js`;
}

/** Reads what @vscode/test-electron passes. Arguments that only the desktop program knows are passed over. */
function readArguments(args) {
  const found = { extensionDevelopmentPath: [], extensionTestsPath: undefined, folder: undefined };
  for (const arg of args) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === 'extensionDevelopmentPath') found.extensionDevelopmentPath.push(resolve(value));
    else if (name === 'extensionTestsPath') found.extensionTestsPath = resolve(value);
    else if (!name && !arg.startsWith('-')) found.folder = resolve(arg);
  }
  if (found.extensionTestsPath && found.extensionDevelopmentPath.length) return found;
  console.error('This program runs the tests of an extension. Start it through runTests of @vscode/test-electron.');
  process.exit(2);
}
