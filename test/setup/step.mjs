// Runs one step of a set-up and, if it fails, says which one and what to do.
import { spawn } from 'node:child_process';

export class SetupError extends Error {}

/**
 * Runs a command in `cwd`. Its output goes through `onOutput` (default: kept, and shown only on failure).
 * @throws SetupError that names the step and ends with the advice
 */
export function run(step, command, args, { cwd, env, advice = '', onOutput } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    const kept = [];
    const take = (chunk) => {
      kept.push(chunk);
      onOutput?.(chunk);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const fail = (what) => {
      const tail = onOutput ? '' : Buffer.concat(kept).toString().split('\n').slice(-25).join('\n');
      reject(new SetupError(`${step} failed (${what}).\n${tail}${advice ? `\n${advice}` : ''}`));
    };
    child.on('error', (error) => fail(error.message));
    child.on('close', (code, signal) =>
      code === 0 ? resolve(Buffer.concat(kept).toString()) : fail(signal ?? `exit ${code}`),
    );
  });
}

const started = Date.now();

/** One line of progress, with the seconds since the start. */
export function say(text) {
  const seconds = String(Math.round((Date.now() - started) / 1000)).padStart(4);
  process.stdout.write(`[${seconds} s] ${text}\n`);
}
