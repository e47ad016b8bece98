// The command line as it is shipped, built into a folder of its own, and run as a process.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';
import { buildSweep } from '../../src/build/sweepBundle.mjs';
import { temporaryRoot } from './ports';

let built: string | undefined;

/** Absolute path of `cli.js`, built once for each test process with what it loads beside it. */
export function builtCli(): string {
  if (built !== undefined) return built;
  built = buildCli(temporaryRoot('dist'));
  return built;
}

/**
 * Builds it into `outdir` and returns the path of `cli.js`.
 * @param banner put before what only commands load, so that one build differs from another
 */
export function buildCli(outdir: string, banner = ''): string {
  const common = {
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
  } satisfies BuildOptions;
  const { options } = buildSweep(buildSync, { ...common, banner: { js: banner } }, outdir);
  buildSync({
    ...common,
    entryPoints: { cli: 'src/cli/main.ts', verbs: 'src/cli/verbs.ts', mcp: 'src/mcp/server.ts' },
    outdir,
    ...options,
    external: [...(options.external ?? []), './verbs.js', './mcp.js'],
  });
  return path.join(outdir, 'cli.js');
}

export interface ProcessRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param readAtMost bytes of stdout after which its reader goes away, as `head` does */
export function runCliProcess(
  argv: readonly string[],
  { cwd, env, readAtMost }: { cwd: string; env: NodeJS.ProcessEnv; readAtMost?: number },
): Promise<ProcessRun> {
  const child = spawn(process.execPath, [builtCli(), ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
    if (readAtMost !== undefined && stdout.length >= readAtMost) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
