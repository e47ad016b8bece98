// The command line without `hook`: finds the verb, runs it, prints one result. Loaded by main.ts only when needed.
import * as fs from 'node:fs';
import { version } from '../../package.json';
import { fileAttributes } from '../core/restore/attributes';
import { flushFileSystem } from '../core/restore/flushFileSystem';
import { CheckpointError } from '../core/errors';
import { lazyGit } from '../core/capture/sweep/lazyGit';
import { defaultStateDir } from '../core/state/stateDir';
import { agents } from './verbs/agents';
import { conversation, conversations, resume } from './verbs/conversations';
import { create } from './verbs/create';
import { diff } from './verbs/diff';
import { fork } from './verbs/fork';
import { generalHelp, verbHelp } from './verbs/help';
import { importPast } from './verbs/import';
import { install, uninstall } from './verbs/install';
import { list } from './verbs/list';
import { mcp } from './verbs/mcp';
import { doctor, prune, purge } from './verbs/maintenance';
import { parseVerb, verbFirst, wantsJson } from './verbs/parse';
import { pin, unpin } from './verbs/pin';
import { rebuild } from './verbs/rebuild';
import { redo, restore, undo } from './verbs/restore';
import { defaultRoot, rootFromOption } from '../tools/root';
import { safeJson, safeLines } from './verbs/screen';
import { show } from './verbs/show';
import { UsageError } from '../tools/usage';
import { textOption, type CliIo, type ExitCode, type Verb, type VerbCall } from './verbs/verb';

const verbs: readonly Verb[] = [
  list,
  show,
  diff,
  restore,
  undo,
  redo,
  create,
  pin,
  unpin,
  prune,
  purge,
  doctor,
  install,
  uninstall,
  agents,
  importPast,
  conversations,
  conversation,
  resume,
  fork,
  rebuild,
  mcp,
];

/** Runs one command line (without Node and the program's name) and returns its exit code; never throws. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const json = wantsJson(argv);
  const say = (line: string) => void io.stderr.write(`${safeLines(line)}\n`);
  try {
    return await dispatch(verbFirst(argv), json, io, say);
  } catch (error) {
    const { reason, message, exit } = failure(error);
    if (json) io.stdout.write(`${safeJson({ error: { reason, message } })}\n`);
    say(`agent-checkpoints: ${message}`);
    return exit;
  }
}

async function dispatch(
  argv: readonly string[],
  json: boolean,
  io: CliIo,
  say: (line: string) => void,
): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    say(generalHelp(verbs));
    return 2;
  }
  if (name === '--version' || name === '-V') return print(io, json ? { version } : version, json);
  if (name === '--help' || name === '-h' || name === 'help') {
    const about = verbs.find((verb) => verb.name === rest[0]);
    const text = about === undefined ? generalHelp(verbs) : verbHelp(about);
    return print(io, json ? { help: text } : text, json);
  }
  const verb = verbs.find((candidate) => candidate.name === name);
  if (verb === undefined) throw new UsageError(`There is no verb ${JSON.stringify(name)}. Try --help.`);
  const { values, positionals } = parseVerb(verb, rest);
  if (values['help'] === true) return print(io, json ? { help: verbHelp(verb) } : verbHelp(verb), json);
  const call: VerbCall = { io, json, values, positionals, root: rootFinder(io, values), say };
  const result = await verb.run(call);
  if (result !== 'said all') print(io, json ? result.json : result.human(), json);
  return result === 'said all' ? 0 : (result.exit ?? 0);
}

function rootFinder(io: CliIo, values: VerbCall['values']): () => string {
  const dir = textOption({ values }, 'root');
  let root = dir === undefined ? undefined : rootFromOption(io.ports, io.cwd, dir);
  return () => (root ??= defaultRoot(io.ports, io.cwd, io.env));
}

function print(io: CliIo, value: unknown, json: boolean): 0 {
  io.stdout.write(`${json || typeof value !== 'string' ? safeJson(value) : value}\n`);
  return 0;
}

function failure(error: unknown): { reason: string; message: string; exit: ExitCode } {
  if (error instanceof UsageError) return { reason: 'usage', message: error.message, exit: 2 };
  if (error instanceof CheckpointError) {
    return { reason: error.reason, message: error.message, exit: error.reason === 'bad-argument' ? 2 : 1 };
  }
  return { reason: 'failed', message: error instanceof Error ? error.message : String(error), exit: 1 };
}

/** Runs a command line in this process; main.ts sets the exit code, so that long output is written out first. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', quietWhenClosed);
  const { stdout, stderr, env } = process;
  return runCli(argv, {
    ports: {
      fs,
      now: Date.now,
      stateDir: defaultStateDir(env),
      git: lazyGit,
      hasAttributes: fileAttributes,
      flushFileSystem,
    },
    cwd: currentFolder(),
    env,
    stdout,
    stderr,
    program: {
      cliSource: fs.realpathSync(process.argv[1]!),
      node: { path: process.execPath, runAsNode: process.versions['electron'] !== undefined },
    },
  });
}

/** Where it was removed, only what names everything by itself can still work. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

/** A reader that has enough (`list | head`) is no error. */
function quietWhenClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exitCode = 1;
}
