// Builds the product into dist/ and, with --tests, the tests into out/.
// Usage: node esbuild.mjs [--watch] [--production] [--tests]
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { buildSweep } from './src/build/sweepBundle.mjs';

const flags = new Set(process.argv.slice(2));
const maxExtensionBytes = 400_000;
const production = flags.has('--production');

const common = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  sourcemap: production ? false : 'linked',
  sourcesContent: false,
  // ESM builds of the libraries first: they shake better.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  metafile: true,
};

/** The product. Only the extension may see `vscode`: a leak into the others fails the build. */
const product = [
  // Less text is less to parse, at each start of the editor and before each write of an agent.
  {
    ...common,
    minify: true,
    // The others have what only some commands need; each is loaded with the first of them.
    entryPoints: {
      extension: 'src/extension.ts',
      ondemand: 'src/host/onDemandEntry.ts',
      agents: 'src/agents/registry.ts',
    },
    outdir: 'dist',
    external: ['vscode', './ondemand.js', './agents.js'],
  },
  {
    ...common,
    // cli.js holds only what a hook needs; every other verb is loaded from verbs.js when it is asked for, and the
    // server of the verb `mcp` from a third bundle.
    entryPoints: { cli: 'src/cli/main.ts', verbs: 'src/cli/verbs.ts', mcp: 'src/mcp/server.ts' },
    outdir: 'dist',
    external: ['./verbs.js', './mcp.js'],
    banner: { js: '#!/usr/bin/env node' },
    minify: true,
  },
  // The webview's own code.
  {
    ...common,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'chrome132',
    entryPoints: ['media/panel/main.ts'],
    outfile: 'dist/panel.js',
  },
];

const testFolders = ['unit', 'property', 'faults', 'host', 'bench', 'agents'];
const testFiles = () =>
  testFolders.flatMap((folder) =>
    readdirSync(`test/${folder}`, { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => path.join('test', folder, name)),
  );

const tests = () => ({
  ...common,
  entryPoints: testFiles(),
  outdir: 'out/test',
  outbase: 'test',
  sourcemap: 'inline',
  external: [
    'vscode',
    './ondemand.js',
    './agents.js',
    './mcp.js',
    'mocha',
    'playwright-core',
    '@vscode/test-electron',
    'esbuild',
    'typescript',
  ],
});

rmSync(flags.has('--tests') ? 'out' : 'dist', { recursive: true, force: true });
// While one works on it, and in tests, it is a part of each bundle.
const isApart = !flags.has('--tests') && !flags.has('--watch');
const sweep = isApart && buildSweep(esbuild.buildSync, { ...common, minify: true }, 'dist');
const builds = (flags.has('--tests') ? [tests()] : product).map((options) =>
  !sweep || options.platform === 'browser'
    ? options
    : {
        ...options,
        define: sweep.options.define,
        external: [...(options.external ?? []), ...sweep.options.external],
      },
);
if (flags.has('--watch')) {
  await Promise.all(builds.map(async (options) => (await esbuild.context(options)).watch()));
} else {
  const results = await Promise.all(builds.map((options) => esbuild.build(options)));
  if (!flags.has('--tests')) {
    writeFileSync(
      'dist/meta.json',
      JSON.stringify([...results, ...(sweep ? [sweep] : [])].map((result) => result.metafile)),
    );
    // Activation has to read and compile all of it.
    const { size } = statSync('dist/extension.js');
    if (size > maxExtensionBytes) {
      throw new Error(
        `dist/extension.js has ${size} bytes, more than ${maxExtensionBytes}: load a part of it on demand.`,
      );
    }
  }
}
