// The command lines that stand in agents' configurations. Each exits 0 whatever happens, also when our program is
// gone: some agents take any other exit for a "no" to every write. Agents may bind their trust to the text, so it never
// changes with a version of ours. Pure.
import type { AgentName } from './agent';

/** In every command of ours, and by it they are known again. */
const programName = 'agent-checkpoints-hook';

export const isOurCommand = (command: unknown): boolean => typeof command === 'string' && command.includes(programName);

/** Quotes for a POSIX shell. */
export const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * For the person's own configuration: names the program by its absolute path. Any POSIX shell; on Windows agents run it
 * by Git's, which takes paths with `/`.
 */
export function userCommand(binDir: string, agent: AgentName): string {
  const program = shellQuote(`${binDir.replaceAll('\\', '/')}/${programName}`);
  return `[ -x ${program} ] && ${program} ${agent}; exit 0`;
}

/** For a configuration that a project shares: looks in each place where a person's user state may be. */
export function projectCommand(agent: AgentName): string {
  const places = [
    '"${AGENT_CHECKPOINTS_HOME:-$HOME/.local/share/agent-checkpoints}"',
    '"${XDG_DATA_HOME:-$HOME/.local/share}/agent-checkpoints"',
    '"$HOME/Library/Application Support/agent-checkpoints"',
    '"$LOCALAPPDATA/agent-checkpoints/Data"',
  ];
  const run = `p="$d/bin/${programName}"; [ -x "$p" ] && { "$p" ${agent}; break; }`;
  return `for d in ${places.join(' ')}; do ${run}; done; exit 0`;
}

/**
 * For Windows where no POSIX shell runs the command: `cmd.exe` or PowerShell, depending on the agent's version, so the
 * text means the same in both. `cd` takes a path with blanks unquoted, which spares quotes within quotes.
 */
export function windowsUserCommand(binDir: string, agent: AgentName): string {
  return windowsCommand(binDir.replaceAll('/', '\\'), agent);
}

export const windowsProjectCommand = (agent: AgentName) =>
  windowsCommand('%LOCALAPPDATA%\\agent-checkpoints\\Data\\bin', agent);

const windowsCommand = (dir: string, agent: AgentName) =>
  `cmd /d /c "cd /d ${dir} 2>nul && call .\\${programName}.cmd ${agent} & exit 0"`;
