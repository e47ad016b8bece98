// The agents that can be set up, by name. Not loaded by a hook process.
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { lastSeen } from '../core/state/lastSeen';
import type { AgentName } from './agent';
import { claudeCodeInstaller } from './claude-code/install';
import { clineInstaller } from './cline/install';
import { codexInstaller } from './codex/install';
import { copilotCliInstaller } from './copilot-cli/install';
import { cursorInstaller } from './cursor/install';
import { geminiInstaller } from './gemini/install';
import { opencodeInstaller } from './opencode/install';
import { piInstaller } from './pi/install';
import { qwenInstaller } from './qwen/install';
import { vscodeInstaller } from './vscode/install';
import { windsurfInstaller } from './windsurf/install';
import { hookBinDir } from './hookProgram';
import {
  hooksStatus,
  installHooks,
  scopesIn,
  uninstallHooks,
  type Installer,
  type InstallResult,
  type InstallStatus,
  type Place,
  type Scope,
} from './installer';

/** In the order of the names. */
const installers: readonly Installer[] = [
  vscodeInstaller,
  claudeCodeInstaller,
  codexInstaller,
  geminiInstaller,
  qwenInstaller,
  opencodeInstaller,
  piInstaller,
  clineInstaller,
  copilotCliInstaller,
  cursorInstaller,
  windsurfInstaller,
];

/** The agents that `install` knows. */
export const installableAgents: readonly AgentName[] = installers.map(({ name }) => name);

export interface InstallOptions extends Place {
  readonly scope: Scope;
  /** Only say what would change. */
  readonly dryRun?: boolean;
}

export interface UninstallOptions extends Place {
  /** Absent: all. */
  readonly scope?: Scope;
  readonly dryRun?: boolean;
}

/**
 * Adds our hooks to the agent's configuration. The stable program is not made here: see `refreshHookProgram`.
 *
 * @throws CheckpointError `bad-argument`, `config-unreadable`, `refused-path`, `failed`
 */
export function install(
  ports: Ports,
  agent: string,
  { scope, dryRun = false, ...place }: InstallOptions,
): InstallResult {
  return installHooks(ports, installerOf(agent), scope, place, hookBinDir(ports.stateDir), dryRun);
}

/** Takes our hooks out again. @throws as `install` */
export function uninstall(ports: Ports, agent: string, options: UninstallOptions): InstallResult {
  const { scope, dryRun = false, ...place } = options;
  const installer = installerOf(agent);
  const wanted = scope === undefined ? scopesIn(installer, place) : [scope];
  const changed = wanted.flatMap(
    (one) => uninstallHooks(ports, installer, one, place, hookBinDir(ports.stateDir), dryRun).changed,
  );
  return { changed };
}

/** Of each scope. @throws CheckpointError `bad-argument` */
export function status(ports: Ports, agent: string, place: Place): Record<Scope, InstallStatus> {
  const of = (scope: Scope) => hooksStatus(ports, installerOf(agent), scope, place, hookBinDir(ports.stateDir));
  return { user: of('user'), project: of('project') };
}

/** A row of `agents`. */
export interface AgentRow {
  readonly name: AgentName;
  readonly found: boolean;
  readonly installed: boolean;
  /** The widest scope that is set up. */
  readonly scope?: Scope;
  /** ISO time of its newest hook call. */
  readonly lastSeen?: string;
  /** What the person has still to do. */
  readonly needs?: string;
}

/** One row for each agent that can be set up. */
export function agentsStatus(ports: Ports, place: Place): AgentRow[] {
  const seen = lastSeen(ports);
  return installers.map((installer) => {
    const found = status(ports, installer.name, place);
    const own = scopesIn(installer, place);
    const scope = own.find((one) => found[one].installed);
    const at = scope === undefined ? undefined : found[scope];
    const problem =
      at === undefined ? own.map((one) => found[one].problem).find((text) => text !== undefined) : undefined;
    const outdated =
      at !== undefined && !at.complete ? `Run install ${installer.name} again: its hooks are not complete.` : undefined;
    const needs = outdated ?? at?.needs ?? problem;
    return {
      name: installer.name,
      found: at !== undefined || installer.isFound(ports, place),
      installed: at !== undefined,
      ...(scope === undefined ? {} : { scope }),
      ...(seen[installer.name] === undefined ? {} : { lastSeen: seen[installer.name]! }),
      ...(needs === undefined ? {} : { needs }),
    };
  });
}

function installerOf(agent: string): Installer {
  const installer = installers.find(({ name }) => name === agent);
  if (installer) return installer;
  throw new CheckpointError(
    'bad-argument',
    `There is no agent ${JSON.stringify(agent.slice(0, 100))}. Available: ${installableAgents.join(', ')}.`,
  );
}
