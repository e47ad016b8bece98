// The command lines that stand in agents' configurations. Each exits 0 whatever happens, also when our program is
// gone: some agents take any other exit for a "no" to every write. Agents may bind their trust to the text, so it never
// changes with a version of ours. Pure.
import type { AgentName } from './agent';
import type { Scope } from './installer';

/** In every command of ours, and by it they are known again. */
export const programName = 'agent-checkpoints-hook';

export const isOurCommand = (command: unknown): boolean => typeof command === 'string' && command.includes(programName);

/** The first comment of a file that is ours alone. @param sign what begins a comment */
export const ownHead = (sign: '#' | '//') =>
  `${sign} Agent Checkpoints (${programName}): set-up writes this file anew, changes in it are not kept.`;

/** Quotes for a POSIX shell. */
export const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * For a POSIX shell. For a project it names no path of one person.
 *
 * @param binDir absolute; the folder with the program
 * @param event for agents whose payloads do not say what happened
 */
export const posixCommand = (scope: Scope, binDir: string, agent: AgentName, event?: string) =>
  scope === 'user' ? userCommand(binDir, agent, event) : projectCommand(agent, event);

/** For `cmd.exe` and PowerShell, whichever the agent's version runs. */
export const windowsCommand = (scope: Scope, binDir: string, agent: AgentName, event?: string) =>
  scope === 'user' ? windowsUserCommand(binDir, agent, event) : windowsProjectCommand(agent, event);

/**
 * For agents that have one command for all systems, and run it with the system's own shell. What a project shares is
 * for a POSIX shell: elsewhere it does nothing.
 */
export const systemCommand = (scope: Scope, binDir: string, agent: AgentName, event?: string) =>
  process.platform === 'win32' && scope === 'user'
    ? windowsUserCommand(binDir, agent, event)
    : posixCommand(scope, binDir, agent, event);

/**
 * For the person's own configuration: names the program by its absolute path. Any POSIX shell; on Windows agents run it
 * by Git's, which takes paths with `/`.
 */
export function userCommand(binDir: string, agent: AgentName, event?: string): string {
  const program = shellQuote(`${binDir.replaceAll('\\', '/')}/${programName}`);
  return `[ -x ${program} ] && ${program} ${words(agent, event)}; exit 0`;
}

/** The folders where a person's user state may be. */
const userStatePlaces = [
  '"${AGENT_CHECKPOINTS_HOME:-$HOME/.local/share/agent-checkpoints}"',
  '"${XDG_DATA_HOME:-$HOME/.local/share}/agent-checkpoints"',
  '"$HOME/Library/Application Support/agent-checkpoints"',
  '"$LOCALAPPDATA/agent-checkpoints/Data"',
];

/** For a configuration that a project shares: looks in each place where a person's user state may be. */
export function projectCommand(agent: AgentName, event?: string): string {
  const run = `p="$d/bin/${programName}"; [ -x "$p" ] && { "$p" ${words(agent, event)}; break; }`;
  return `for d in ${userStatePlaces.join(' ')}; do ${run}; done; exit 0`;
}

/**
 * For Windows where no POSIX shell runs the command: `cmd.exe` or PowerShell, depending on the agent's version, so the
 * text means the same in both. `cd` takes a path with blanks unquoted, which spares quotes within quotes.
 */
export function windowsUserCommand(binDir: string, agent: AgentName, event?: string): string {
  return callIn(binDir.replaceAll('/', '\\'), words(agent, event));
}

export const windowsProjectCommand = (agent: AgentName, event?: string) =>
  callIn('%LOCALAPPDATA%\\agent-checkpoints\\Data\\bin', words(agent, event));

const callIn = (dir: string, args: string) =>
  `cmd /d /c "cd /d ${dir} 2>nul && call .\\${programName}.cmd ${args} & exit 0"`;

const words = (agent: AgentName, event: string | undefined) => (event === undefined ? agent : `${agent} ${event}`);
