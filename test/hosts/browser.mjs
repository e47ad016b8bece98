// The browser that shows VS Code's workbench in the tests: CHROME_PATH, else a Chrome or Chromium of this machine,
// else the headless Chromium inside the package @sparticuz/chromium.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { browserFolder } from './paths.mjs';
import { openSteps } from './steps.mjs';

const require = createRequire(import.meta.url);
const unbrotli = promisify(brotliDecompress);

const SYSTEM_NAMES = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'];

const FLAGS = [
  // The tests also run as root and in containers, where Chromium's sandbox cannot start. Only our own server's pages
  // on this machine are ever opened.
  '--no-sandbox',
  '--disable-gpu',
  // No traffic of the browser's own.
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // The same letter shapes on every machine, for the screenshots.
  '--font-render-hinting=none',
];

/**
 * Starts the browser, headless.
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchBrowser() {
  const { executablePath, env } = await findBrowser();
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: FLAGS, env: { ...process.env, ...env } });
}

/** Where the browser is, and the environment that it needs. */
export async function findBrowser() {
  const fonts = await fontsEnv();
  const given = process.env.CHROME_PATH;
  if (given) {
    if (!existsSync(given)) throw new Error(`CHROME_PATH names a file that does not exist: ${given}`);
    return { executablePath: given, env: fonts };
  }
  const system = systemBrowser();
  if (system) return { executablePath: system, env: fonts };
  const packaged = await packagedBrowser();
  return { ...packaged, env: { ...fonts, ...packaged.env } };
}

function systemBrowser() {
  if (process.platform === 'darwin') {
    return ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'].find((path) => existsSync(path));
  }
  const folders = (process.env.PATH ?? '').split(':');
  return SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Unpacks the package's Chromium once, below .vscode-test. The package's own code would unpack to the machine's
 * temporary folder, where two runs meet; its data files are read directly instead.
 */
async function packagedBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'No Chrome or Chromium was found. Install one, or name its program in the environment variable CHROME_PATH.',
    );
  }
  const root = packageRoot('@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const folder = join(browserFolder, version);
  if (!existsSync(folder)) await unpackBrowser(join(root, 'bin'), folder);
  // The libraries that a bare system lacks (NSS, NSPR, Expat) come with the package too.
  return { executablePath: join(folder, 'chromium'), env: { LD_LIBRARY_PATH: join(folder, 'lib') } };
}

async function unpackBrowser(bin, folder) {
  console.log('Unpacking the browser (a few seconds)…');
  await makeOnce(folder, async (work) => {
    await writeFile(join(work, 'chromium'), await unbrotli(await readFile(join(bin, 'chromium.br'))));
    await chmod(join(work, 'chromium'), 0o755);
    await unpack(join(bin, 'al2023.tar.br'), work);
  });
}

/** Makes a folder that is either whole or not there, also when two runs make it at the same time. */
async function makeOnce(folder, fill) {
  if (existsSync(folder)) return;
  const work = `${folder}.partial-${process.pid}`;
  try {
    await mkdir(work, { recursive: true });
    await fill(work);
    await rename(work, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another run was faster
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Unpacks one of the package's packs into a folder. */
async function unpack(pack, folder) {
  const steps = await openSteps('Set-up of the browser', 'setup-browser');
  const tar = join(folder, 'pack.tar');
  try {
    await writeFile(tar, await unbrotli(await readFile(pack)));
    await steps.run(`unpack ${pack}`, 'tar', ['-xf', tar, '-C', folder, '--no-same-owner']);
  } finally {
    await rm(tar, { force: true });
    await steps.close();
  }
}

/**
 * Fonts from packages, whatever this machine has: a bare one has none at all, and a screenshot should look the same on
 * all of them.
 */
async function fontsEnv() {
  if (process.platform !== 'linux') return {};
  const folder = join(browserFolder, 'fonts');
  await makeOnce(folder, (work) => unpack(join(packageRoot('@sparticuz/chromium'), 'bin', 'fonts.tar.br'), work));
  const file = join(folder, 'fonts-of-tests.conf');
  const work = `${file}.partial-${process.pid}`;
  const alias = (family, font) =>
    `<alias binding="strong"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  const reject = (family) =>
    `<rejectfont><pattern><patelt name="family"><string>${family}</string></patelt></pattern></rejectfont>`;
  await writeFile(
    work,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>${packageRoot('dejavu-fonts-ttf')}/ttf</dir>
  <cachedir>${folder}/cache</cachedir>
  <selectfont>${['DejaVu Serif', 'DejaVu Sans Condensed'].map(reject).join('')}</selectfont>
  ${['monospace', 'Droid Sans Mono'].map((family) => alias(family, 'DejaVu Sans Mono')).join('\n  ')}
  ${['sans-serif', 'sans', 'system-ui', 'Ubuntu', 'Droid Sans'].map((family) => alias(family, 'Open Sans')).join('\n  ')}
  <match target="pattern"><edit name="family" mode="append_last"><string>Open Sans</string></edit></match>
</fontconfig>
`,
  );
  await rename(work, file);
  return { FONTCONFIG_FILE: file };
}

/** The folder of an installed package, also of one that lets nobody import its package.json. */
function packageRoot(name) {
  for (const modules of require.resolve.paths(name) ?? []) {
    if (existsSync(join(modules, name, 'package.json'))) return join(modules, name);
  }
  throw new Error(`The package ${name} is not installed. Run "npm ci" first.`);
}
