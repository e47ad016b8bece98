// Sets an agent up to call us, and takes that back: the same for every agent whose hooks are entries in a JSON file.
import path from 'node:path';
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import type { AgentName } from './agent';
import {
  configBytes,
  configText,
  missingFolders,
  readConfig,
  unreadable,
  writeConfig,
  type ConfigFile,
} from './configFile';
import {
  addEntries,
  hasEntries,
  isComplete,
  readHooks,
  removeEntries,
  UnreadableHooks,
  type HookLayout,
} from './hookEntries';
import { sha256Of } from '../core/store/plainFile';
import { readRecord, removeRecord, writeRecord } from './installRecord';

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
  /** Absolute path of the configuration file. */
  file(scope: Scope, place: Place): string;
  /** @param binDir absolute path of the folder with the stable program */
  layout(scope: Scope, binDir: string): HookLayout;
  /** What the person has still to do, if anything, given the configuration as it is now. */
  needs(scope: Scope, config: Record<string, unknown>): string | undefined;
  /** True where the agent seems to be on this machine. */
  isFound(ports: Ports, place: Place): boolean;
}

/** Texts without a byte order mark; absent where the file is. */
export interface ConfigChange {
  readonly file: string;
  readonly before?: string;
  readonly after?: string;
}

export interface InstallResult {
  readonly changed: readonly ConfigChange[];
  readonly needs?: string;
}

export interface InstallStatus {
  readonly file: string;
  readonly installed: boolean;
  /** False where our entries are those of an older version, or only a part of them. */
  readonly complete: boolean;
  /** Why the file cannot be read, in words. */
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
  const config = openConfig(ports, installer, scope, place);
  const layout = installer.layout(scope, binDir);
  const before = configText(config);
  const after = readable(config, () => addEntries(before, layout));
  const needs = installer.needs(scope, readHooks(after, layout));
  const withNeeds = needs === undefined ? {} : { needs };
  if (config.bytes !== undefined && after === before) return { changed: [], ...withNeeds };
  if (!dryRun) {
    const bytes = configBytes(config, after);
    recordBefore(ports, config, hasEntries(readHooks(before, layout), layout), sha256Of(bytes));
    writeConfig(ports, config, bytes);
  }
  return { changed: [change(config, before, after)], ...withNeeds };
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
  const config = openConfig(ports, installer, scope, place);
  if (config.bytes === undefined) return { changed: [] };
  const layout = installer.layout(scope, binDir);
  const record = readRecord(ports, config.target);
  const untouched = record?.result === sha256Of(config.bytes);
  const original =
    record === undefined ? undefined : record.original === null ? null : Buffer.from(record.original, 'base64');
  const before = configText(config);
  const bytes = untouched ? original! : withoutEntries(config, before, layout, original);
  if (bytes !== null && config.bytes.equals(bytes)) return { changed: [] };
  if (!dryRun) {
    writeConfig(ports, config, bytes ?? undefined);
    removeRecord(ports, config.target);
    if (bytes === null) removeEmpty(ports, record?.folders ?? []);
  }
  return { changed: [change(config, before, bytes === null ? undefined : configText({ ...config, bytes }))] };
}

export function hooksStatus(
  ports: Ports,
  installer: Installer,
  scope: Scope,
  place: Place,
  binDir: string,
): InstallStatus {
  const file = installer.file(scope, place);
  try {
    const config = openConfig(ports, installer, scope, place);
    const layout = installer.layout(scope, binDir);
    const value = readable(config, () => readHooks(configText(config), layout));
    const needs = installer.needs(scope, value);
    const installed = hasEntries(value, layout);
    return {
      file,
      installed,
      complete: isComplete(value, layout),
      ...(installed && needs !== undefined ? { needs } : {}),
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { file, installed: false, complete: false, problem };
  }
}

/** The scopes that have a file of their own: in the person's home, a project is none. */
export function scopesIn(installer: Installer, place: Place): Scope[] {
  const own = installer.file('user', place);
  return scopes.filter((scope) => scope === 'user' || installer.file(scope, place) !== own);
}

function openConfig(ports: Ports, installer: Installer, scope: Scope, place: Place): ConfigFile {
  const file = installer.file(scope, place);
  if (!scopesIn(installer, place).includes(scope)) {
    throw new CheckpointError('bad-argument', `${file} is the person's own configuration: use --scope user.`);
  }
  const config = readConfig(ports, file);
  if (scope === 'project' && leadsOut(ports, config.target, place.root)) {
    throw new CheckpointError(
      'refused-path',
      `${file} leads out of the project to ${config.target}. Set the agent up there, or use --scope user.`,
    );
  }
  return config;
}

/** A project that came from elsewhere may hold links to the person's files. */
function leadsOut({ fs }: Ports, target: string, root: string): boolean {
  let dir = path.dirname(target);
  while (!fs.statSync(dir, { throwIfNoEntry: false })) dir = path.dirname(dir);
  const relative = path.relative(fs.realpathSync(root), fs.realpathSync(dir));
  return relative.split(path.sep)[0] === '..' || path.isAbsolute(relative);
}

function recordBefore(ports: Ports, config: ConfigFile, hadEntries: boolean, result: string): void {
  const old = readRecord(ports, config.target);
  const untouched = old !== undefined && config.bytes !== undefined && old.result === sha256Of(config.bytes);
  // With entries of ours in it, these bytes are not what was there before us.
  if (hadEntries) {
    if (old !== undefined) writeRecord(ports, { ...old, result: untouched ? result : null });
    return;
  }
  writeRecord(ports, {
    version: 1,
    file: config.target,
    original: config.bytes?.toString('base64') ?? null,
    result,
    folders: missingFolders(ports, config.target),
  });
}

/** Null where nothing is left of a file that was not there before us. */
function withoutEntries(
  config: ConfigFile,
  before: string,
  layout: HookLayout,
  original: Buffer | null | undefined,
): Buffer | null {
  const after = readable(config, () => {
    const first = original ? readHooks(configText({ ...config, bytes: original }), layout) : {};
    const hooks = first.hooks as Record<string, unknown> | undefined;
    return removeEntries(before, layout, ([, event]) =>
      event === undefined ? hooks !== undefined : hooks !== undefined && Object.hasOwn(hooks, event),
    );
  });
  if (original === null && Object.keys(readHooks(after, layout)).length === 0) return null;
  return configBytes(config, after);
}

function readable<T>({ file }: ConfigFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableHooks ? unreadable(file, error.message) : error;
  }
}

function removeEmpty({ fs }: Ports, folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      fs.rmdirSync(folder);
    } catch {
      // Somebody else has put something there.
      return;
    }
  }
}

const change = (config: ConfigFile, before: string, after: string | undefined): ConfigChange => ({
  file: config.file,
  ...(config.bytes === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});
