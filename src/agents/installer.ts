// Sets an agent up to call us, and takes that back.
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { lastSeen } from '../core/state/lastSeen';
import type { AgentName } from './agent';
import { addToConfig, configValue, entriesStatus, takeFromConfig } from './entriesTarget';
import { ownFileStatus, putOwnFile, removeOwnFile } from './ownFile';
import { openTarget, type ConfigChange, type Target } from './target';

export type Scope = 'user' | 'project';
export const scopes: readonly Scope[] = ['user', 'project'];

/** Where an agent's configuration is looked for. */
export interface Place {
  /** Absolute; the project. */
  readonly root: string;
  /** Absolute; the person's home. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Installer {
  readonly name: AgentName;
  /**
   * The files that its set-up changes, the most telling first.
   *
   * @param binDir absolute path of the folder with the stable program
   */
  targets(scope: Scope, place: Place, binDir: string): readonly Target[];
  /**
   * What the person has still to do, if anything.
   *
   * @param config the configuration as it is now, where the set-up is entries in one
   */
  needs?(scope: Scope, config: Readonly<Record<string, unknown>>, place: Place, ports: Ports): string | undefined;
  /** What the person has still to do where that cannot be seen; said until the agent has called. */
  readonly untilSeen?: string;
  /** True where the agent seems to be on this machine. */
  isFound(ports: Ports, place: Place): boolean;
}

export interface InstallResult {
  readonly changed: readonly ConfigChange[];
  readonly needs?: string;
}

export interface InstallStatus {
  /** The first of them. */
  readonly file: string;
  readonly installed: boolean;
  /** False where our entries are those of an older version, or only a part of them. */
  readonly complete: boolean;
  /** Why a file cannot be read, in words. */
  readonly problem?: string;
  readonly needs?: string;
}

/** @throws CheckpointError `config-unreadable`, `refused-path`, `bad-argument`, `failed` */
export function installHooks(
  ports: Ports,
  installer: Installer,
  scope: Scope,
  place: Place,
  binDir: string,
  dryRun: boolean,
): InstallResult {
  const targets = targetsOf(installer, scope, place, binDir);
  const put = (dry: boolean) =>
    targets.flatMap((target) => {
      const config = openTarget(ports, target.file, scope === 'project' ? place.root : undefined);
      const { kind } = target;
      return (
        (kind === 'own' ? putOwnFile(ports, config, target, dry) : addToConfig(ports, config, target.layout, dry)) ?? []
      );
    });
  // First without writing: a file that is refused must not leave the others behind.
  const planned = put(true);
  const changed = dryRun ? planned : put(false);
  const needs = needsOf(ports, installer, scope, place, targets, planned);
  return { changed, ...(needs === undefined ? {} : { needs }) };
}

/** Nothing is changed where we are not installed. @throws as `installHooks` */
export function uninstallHooks(
  ports: Ports,
  installer: Installer,
  scope: Scope,
  place: Place,
  binDir: string,
  dryRun: boolean,
): InstallResult {
  // The first one's record has the folders that were made for all.
  const targets = targetsOf(installer, scope, place, binDir).toReversed();
  const take = (dry: boolean) =>
    targets.flatMap((target) => {
      const config = openTarget(ports, target.file, scope === 'project' ? place.root : undefined);
      return (
        (target.kind === 'own'
          ? removeOwnFile(ports, config, dry)
          : takeFromConfig(ports, config, target.layout, dry)) ?? []
      );
    });
  const planned = take(true);
  return { changed: dryRun ? planned : take(false) };
}

export function hooksStatus(
  ports: Ports,
  installer: Installer,
  scope: Scope,
  place: Place,
  binDir: string,
): InstallStatus {
  const file = installer.targets(scope, place, binDir)[0]!.file;
  try {
    const targets = targetsOf(installer, scope, place, binDir);
    const each = targets.map((target) => {
      const config = openTarget(ports, target.file, scope === 'project' ? place.root : undefined);
      return target.kind === 'own' ? ownFileStatus(config, target) : entriesStatus(config, target.layout);
    });
    const installed = each.some((one) => one.installed);
    const needs = installed ? needsOf(ports, installer, scope, place, targets, []) : undefined;
    return {
      file,
      installed,
      complete: each.every((one) => one.complete),
      ...(needs === undefined ? {} : { needs }),
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { file, installed: false, complete: false, problem };
  }
}

/** The scopes that have files of their own: in the person's home, a project is none. */
export function scopesIn(installer: Installer, place: Place): Scope[] {
  const [own] = installer.targets('user', place, '');
  return scopes.filter((scope) => scope === 'user' || installer.targets(scope, place, '')[0]!.file !== own!.file);
}

function targetsOf(installer: Installer, scope: Scope, place: Place, binDir: string): readonly Target[] {
  const targets = installer.targets(scope, place, binDir);
  if (scopesIn(installer, place).includes(scope)) return targets;
  throw new CheckpointError('bad-argument', `${targets[0]!.file} is the person's own configuration: use --scope user.`);
}

/** @param planned what is about to be written */
function needsOf(
  ports: Ports,
  installer: Installer,
  scope: Scope,
  place: Place,
  targets: readonly Target[],
  planned: readonly ConfigChange[],
): string | undefined {
  const [first] = targets;
  const unseen = lastSeen(ports)[installer.name] === undefined ? installer.untilSeen : undefined;
  if (first?.kind !== 'entries') return installer.needs?.(scope, {}, place, ports) ?? unseen;
  const after = planned.find(({ file }) => file === first.file)?.after;
  const config = openTarget(ports, first.file, undefined);
  const bytes = after === undefined ? {} : { bytes: Buffer.from(after) };
  return installer.needs?.(scope, configValue({ ...config, ...bytes }, first.layout), place, ports) ?? unseen;
}
