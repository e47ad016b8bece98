// The stable programs in user state that agents' configurations name: the hook, and the whole command line. An update of
// the extension replaces what is inside; their paths and the configured commands stay. They find a Node also where the
// person has none on the PATH.
import path from 'node:path';
import type { Ports } from '../core/ports';
import { ensureDir, removeQuietly, writeFileAtomic } from '../core/state/atomicFile';
import { readJson, writeJson } from '../core/state/jsonFile';
import { shellQuote } from './hookCommand';

export interface NodeProgram {
  /** Absolute. */
  readonly path: string;
  /** True for an Electron binary, such as VS Code's own, which is Node only when told so. */
  readonly runAsNode: boolean;
}

export interface HookProgramSource {
  /** Absolute path of the bundled command line, `dist/cli.js`. */
  readonly cliSource: string;
  /** The Node that runs now. */
  readonly node: NodeProgram;
}

/** Absolute path of the folder with the program. */
export const hookBinDir = (stateDir: string) => path.join(stateDir, 'bin');
export const hookProgramPath = (stateDir: string) => path.join(hookBinDir(stateDir), 'agent-checkpoints-hook');

/** Bundles beside the command line, for all that is no hook. */
const companions = ['verbs.js', 'mcp.js'];

/**
 * Writes what differs and returns those files. Throws the system's error where the user state is unwritable or the
 * source unreadable; an older program then still stands whole.
 */
export function refreshHookProgram(
  ports: Ports,
  { cliSource, node }: HookProgramSource,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const { fs, stateDir } = ports;
  const bin = hookBinDir(stateDir);
  ensureDir(ports, bin);
  const nodes = rememberNode(ports, node);
  const program = fs.readFileSync(cliSource);
  const part = partOf(program);
  const before = partOf(readIfThere(ports, path.join(bin, 'hook.js')));
  const files: (readonly [name: string, content: string | Buffer, mode: number])[] = [
    ['hook.js', program, 0o600],
    ['agent-checkpoints-hook', shellProgram(stateDir, nodes), 0o700],
    ['agent-checkpoints', shellProgram(stateDir, nodes, 'all'), 0o700],
  ];
  if (platform === 'win32') {
    files.push(['agent-checkpoints-hook.cmd', windowsProgram(nodes), 0o700]);
    files.push(['agent-checkpoints.cmd', windowsProgram(nodes, 'all'), 0o700]);
  }
  for (const name of companions) {
    const source = path.join(path.dirname(cliSource), name);
    if (fs.statSync(source, quiet)?.isFile()) files.unshift([name, fs.readFileSync(source), 0o600]);
  }
  // First, so that no program ever stands there without it.
  if (part !== undefined) files.unshift([part, fs.readFileSync(path.join(path.dirname(cliSource), part)), 0o600]);
  const written = files.flatMap(([name, content, mode]) => {
    const file = path.join(bin, name);
    if (isAlready(ports, file, content, mode)) return [];
    writeFileAtomic(ports, file, content, { mode });
    return [file];
  });
  // A hook that runs right now may still want that of the program before.
  removeParts(ports, bin, [part, before]);
  return written;
}

/** What only commands load is named by its contents, so that it always is the one that the program was built with. */
const partName = /\bsweep-[0-9a-f]{16}\.js\b/;
const partOf = (program: Buffer | undefined): string | undefined =>
  partName.exec(program?.toString('latin1') ?? '')?.[0];

function readIfThere({ fs }: Ports, file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Never throws. */
function removeParts(ports: Ports, bin: string, needed: readonly (string | undefined)[]): void {
  try {
    for (const name of ports.fs.readdirSync(bin)) {
      if (partName.exec(name)?.[0] === name && !needed.includes(name)) removeQuietly(ports, path.join(bin, name));
    }
  } catch {
    // The next one does it.
  }
}

function isAlready({ fs }: Ports, file: string, content: string | Buffer, mode: number): boolean {
  try {
    const stat = fs.lstatSync(file);
    return stat.isFile() && (stat.mode & 0o700) === mode && fs.readFileSync(file).equals(Buffer.from(content));
  } catch {
    return false;
  }
}

/** This one, then those of earlier times that are still there; real ones first, since Electron starts slower. */
function rememberNode(ports: Ports, node: NodeProgram): NodeProgram[] {
  const file = path.join(hookBinDir(ports.stateDir), 'nodes.json');
  const before = readJson(ports, file);
  const known = (Array.isArray(before) ? before : []).filter(isNodeProgram);
  const others = known.filter((other) => other.path !== node.path && ports.fs.statSync(other.path, quiet)?.isFile());
  const nodes = [node, ...others].slice(0, 6);
  if (JSON.stringify(nodes) !== JSON.stringify(before)) writeJson(ports, file, nodes);
  return [...nodes.filter((one) => !one.runAsNode), ...nodes.filter((one) => one.runAsNode)];
}

const quiet = { throwIfNoEntry: false } as const;

const isNodeProgram = (value: unknown): value is NodeProgram =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  path.isAbsolute(value.path) &&
  'runAsNode' in value &&
  typeof value.runAsNode === 'boolean';

const about = 'Agent Checkpoints: coding agents run this around their writes. Written anew by the extension.';

/** `hook`: for agents around their writes; it fails in silence. `all`: the whole command line. */
type Kind = 'hook' | 'all';

/** Pure. */
export function shellProgram(stateDir: string, nodes: readonly NodeProgram[], kind: Kind = 'hook'): string {
  // What hook.js prints is for the agent; a Node's complaints are not. NODE_OPTIONS may hold what a debugger put there.
  const run = kind === 'hook' ? '"$program" hook "$@" 2>/dev/null' : '"$program" "$@"';
  const failed = (what: string) => (kind === 'hook' ? 'exit 0' : `{ echo 'agent-checkpoints: ${what}' >&2; exit 1; }`);
  const attempts = nodes.map(({ path: node, runAsNode }) => {
    const file = shellQuote(node.replaceAll('\\', '/'));
    return `[ -x ${file} ] && ${runAsNode ? 'ELECTRON_RUN_AS_NODE=1 ' : ''}exec ${file} ${run}`;
  });
  return [
    '#!/bin/sh',
    `# ${about}`,
    `[ -n "$AGENT_CHECKPOINTS_HOME" ] || AGENT_CHECKPOINTS_HOME=${shellQuote(stateDir)}`,
    'export AGENT_CHECKPOINTS_HOME',
    'unset NODE_OPTIONS',
    `program=${shellQuote(`${hookBinDir(stateDir).replaceAll('\\', '/')}/hook.js`)}`,
    `[ -f "$program" ] || ${failed('the program is gone; set up agents anew')}`,
    ...attempts,
    `command -v node >/dev/null 2>&1 && exec node ${run}`,
    failed('there is no Node to run it'),
    '',
  ].join('\n');
}

/** Pure. */
export function windowsProgram(nodes: readonly NodeProgram[], kind: Kind = 'hook'): string {
  const run = kind === 'hook' ? '"%~dp0hook.js" hook %* 2>nul' : '"%~dp0hook.js" %*';
  const end = kind === 'hook' ? 'exit /b 0' : 'exit /b %errorlevel%';
  const attempts = nodes.flatMap(({ path: node, runAsNode }, i) => {
    const file = `"${node.replaceAll('%', '%%')}"`;
    return [
      `if not exist ${file} goto next${i}`,
      ...(runAsNode ? ['set "ELECTRON_RUN_AS_NODE=1"'] : []),
      `${file} ${run}`,
      end,
      `:next${i}`,
    ];
  });
  return [
    '@echo off',
    `rem ${about}`,
    'setlocal',
    'if not defined AGENT_CHECKPOINTS_HOME for %%I in ("%~dp0..") do set "AGENT_CHECKPOINTS_HOME=%%~fI"',
    'set "NODE_OPTIONS="',
    ...attempts,
    `node ${run}`,
    end,
    '',
  ].join('\r\n');
}
