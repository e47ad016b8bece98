// Runs the commands of a set-up: output goes to a log file, and a failure says which part failed, what to type to try
// again, and how the log ended.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensure, logsFolder } from './paths.mjs';

const TAIL_LINES = 25;

export class SetUpError extends Error {}

/** A log file and the function that runs one named command with its output appended to that log. */
export async function openSteps(title, logName, again) {
  const log = join(await ensure(logsFolder), `${logName}.log`);
  const out = createWriteStream(log, { flags: 'w' });

  async function run(part, command, args, { cwd, env } = {}) {
    const line = [command, ...args].map(quoted).join(' ');
    out.write(`\n# ${part}\n# ${cwd ?? process.cwd()}$ ${line}\n`);
    const code = await new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd, env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.pipe(out, { end: false });
      child.stderr.pipe(out, { end: false });
      child.on('error', reject);
      child.on('close', resolve);
    }).catch((error) => error.message);
    if (code === 0) return;
    throw new SetUpError(
      `${title}: the part "${part}" failed (${code}).\n` +
        `The command was: ${line}\n` +
        (again ? `To try again, type: ${again}\n` : '') +
        `The end of ${log}:\n${await tail(log)}`,
    );
  }

  return { log, run, close: () => new Promise((resolve) => out.end(resolve)) };
}

/** Fetches a package's tarball and unpacks it (or only the named files of it) into `folder`. */
export async function unpackPackage(steps, spec, folder, files = []) {
  const packed = `${folder}.pack`;
  await mkdir(packed, { recursive: true });
  await mkdir(folder, { recursive: true });
  await steps.run(`fetch ${spec}`, 'npm', ['pack', spec, '--loglevel=error', '--pack-destination', packed]);
  const wanted = files.map((file) => `package/${file}`);
  await steps.run(`unpack ${spec}`, 'sh', [
    '-c',
    'f=$1; d=$2; shift 2; tar -xzf "$f"/*.tgz -C "$d" --strip-components=1 --no-same-owner "$@" && rm -r "$f"',
    'sh',
    packed,
    folder,
    ...wanted,
  ]);
}

/** npm tells its scripts about the package that they belong to; the npm started here is about another package. */
function cleanEnv(extra) {
  const entries = Object.entries(process.env).filter(([key]) => !/^npm_(package|lifecycle|config_local)/.test(key));
  return { ...Object.fromEntries(entries), ...extra };
}

async function tail(file) {
  const lines = (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n');
  return lines.slice(-TAIL_LINES).join('\n');
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
