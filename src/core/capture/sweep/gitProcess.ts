// Running Git as a program. Loaded only for events about commands: `node:child_process` costs a hook too much.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { GitCall, GitResult } from '../../ports';
import { isWindows } from '../../state/platform';

/** Which configuration of the person counts, never what a command left in the environment for other calls. */
const kept = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

export function runGit({ args, cwd, untrusted, env, input, maxBytes, timeout }: GitCall): GitResult {
  const program = findGit(untrusted);
  if (program === undefined) return { type: 'missing' };
  const inherited = Object.entries(process.env).filter(([name]) => !/^git_/i.test(name) || kept.has(name));
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] } : { input }),
    maxBuffer: maxBytes,
    timeout,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ETIMEDOUT') return { type: 'failed', reason: `Git took longer than ${timeout / 1000} s` };
  if (code === 'ENOBUFS') return { type: 'failed', reason: `Git had more than ${maxBytes} bytes to say` };
  if (error) return { type: 'failed', reason: `Git could not be run (${code ?? error.message})` };
  if (status === null) return { type: 'failed', reason: 'Git was ended by a signal' };
  return { type: 'done', code: status, stdout, stderr: stderr.toString().slice(0, 2000) };
}

/** The first Git on the PATH that is not in the workspace: a project puts its own programs first. */
function findGit(untrusted: string): string | undefined {
  const inside = (dir: string) => dir === untrusted || dir.startsWith(untrusted + path.sep);
  for (const dir of (process.env['PATH'] ?? process.env['Path'] ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(dir) || inside(path.normalize(dir))) continue;
    const file = path.join(dir, isWindows ? 'git.exe' : 'git');
    try {
      fs.accessSync(file, fs.constants.X_OK);
      const real = fs.realpathSync(file);
      if (fs.statSync(real).isFile() && !inside(real)) return file;
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}
