import type { BuildOptions, buildSync } from 'esbuild';

export function buildSweep(
  build: typeof buildSync,
  options: BuildOptions,
  outdir: string,
): { options: Pick<BuildOptions, 'define' | 'external'>; metafile: unknown };
