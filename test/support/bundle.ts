// Scripts that a test runs as processes of their own.
import { buildSync } from 'esbuild';
import path from 'node:path';
import { temporaryRoot } from './ports';

/** Bundles a file of this folder for Node and returns the script's path. Tests run from the project's folder. */
export function bundledScript(name: string): string {
  const outfile = path.join(temporaryRoot('script'), `${name}.cjs`);
  buildSync({
    entryPoints: [path.join('test', 'support', `${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    outfile,
    logLevel: 'error',
  });
  return outfile;
}
