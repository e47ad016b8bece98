// The programs of agents, each in a folder of its own in this checkout, installed once.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Program } from './programs';

/** Tests run from the checkout. */
const folder = path.resolve('.vscode-test', 'agents');
/** Most of them want a newer Node than the tests run on. */
const nodePackage = `node-linux-${process.arch}@24.22.3`;

/** How a program is started: the file, and the arguments before its own. */
export interface StartLine {
  readonly file: string;
  readonly args: readonly string[];
}

/** @throws where it cannot be had; the message says why */
async function setUpProgram({ name, packages, file, script }: Program): Promise<StartLine> {
  const dir = await installed(name, packages);
  const program = path.join(dir, 'node_modules', file);
  if (!fs.existsSync(program)) throw new Error(`${packages[0]} has no ${file} for ${process.platform} ${process.arch}`);
  if (!script) return { file: program, args: [] };
  const node = path.join(
    await installed('node', [nodePackage]),
    'node_modules',
    nodePackage.split('@')[0]!,
    'bin',
    'node',
  );
  return { file: node, args: [program] };
}

/** A folder with exactly these packages; a broken-off installation leaves nothing that looks finished. */
async function installed(name: string, packages: readonly string[]): Promise<string> {
  const dir = path.join(folder, name);
  const stamp = path.join(dir, 'stamp.json');
  const wanted = JSON.stringify(packages);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return dir;
  fs.rmSync(dir, { recursive: true, force: true });
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'package.json'), '{ "private": true }');
  const { code, output } = await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], {
    cwd: dir,
    env: process.env,
    limit: 300_000,
  });
  if (code !== 0) throw new Error(`npm could not install ${packages.join(' ')}: ${output.slice(-400)}`);
  fs.writeFileSync(stamp, wanted);
  return dir;
}

/** Skips what is being set up, and says why, where the program cannot be driven here. */
export async function setUpOrSkip(program: Program, test: Mocha.Context): Promise<StartLine> {
  try {
    return await setUpProgram(program);
  } catch (error) {
    console.log(`      ${program.name} is not driven: ${error instanceof Error ? error.message : String(error)}`);
    return test.skip();
  }
}

export interface RunResult {
  /** Null where it was ended because its time was over. */
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program with nothing on standard input; never longer than `limit` (ms), with all that it started. */
export function run(
  file: string,
  args: readonly string[],
  { cwd, env, limit }: { cwd: string; env: NodeJS.ProcessEnv; limit: number },
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    const endAll = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(endAll, limit);
    child.on('error', reject);
    // Not `close`: a helper that goes on in the background may keep the pipes.
    child.on('exit', (code) => {
      clearTimeout(timer);
      setTimeout(() => {
        endAll();
        resolve({ code, output });
      }, 200);
    });
  });
}

/** Ends the processes whose arguments are these, among others, and waits until they are gone. Linux only. */
export async function endDaemon(...wanted: readonly string[]): Promise<void> {
  const isOne = (pid: string) => {
    try {
      const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return wanted.every((each) => args.includes(each));
    } catch {
      return false;
    }
  };
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOne(name))) {
    process.kill(Number(pid), 'SIGKILL');
    while (isOne(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
