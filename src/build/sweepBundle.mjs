// What only commands need of capture, as a bundle beside the program that agents call. Its name tells its contents, and
// the other bundles know that name: an old program never loads a new part, nor the other way round.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes it into `outdir`.
 *
 * @param {typeof import('esbuild').buildSync} buildSync
 * @param {import('esbuild').BuildOptions} options as for the other bundles
 * @param {string} outdir
 * @returns {{ options: import('esbuild').BuildOptions, metafile: unknown }} what the other bundles are built with
 */
export function buildSweep(buildSync, options, outdir) {
  const { outputFiles, metafile } = buildSync({
    ...options,
    entryPoints: ['src/core/capture/onDemandEntry.ts'],
    outfile: path.join(outdir, 'sweep.js'),
    sourcemap: false,
    write: false,
  });
  const [{ contents }] = outputFiles;
  const name = `./sweep-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.js`;
  mkdirSync(outdir, { recursive: true });
  writeFileSync(path.join(outdir, name), contents);
  const { define, external = [] } = options;
  return {
    options: { define: { ...define, SWEEP_BUNDLE: JSON.stringify(name) }, external: [...external, name] },
    metafile,
  };
}
