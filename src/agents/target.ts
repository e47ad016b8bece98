// A file that an agent's set-up changes, opened with the checks that go for each.
import path from 'node:path';
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { missingFolders, readConfig, type ConfigFile } from './configFile';
import { readRecord, writeRecord } from './installRecord';
import { sha256Of } from '../core/store/plainFile';
import type { HookLayout } from './hookEntries';

/** Entries in the agent's own configuration. */
export interface EntriesTarget {
  readonly kind: 'entries';
  /** Absolute. */
  readonly file: string;
  readonly layout: HookLayout;
}

/** A file that is ours alone: a plugin, or a program that is named for an event. */
export interface OwnTarget {
  readonly kind: 'own';
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  /** Permission bits. */
  readonly mode: number;
}

export type Target = EntriesTarget | OwnTarget;

/** Texts without a byte order mark; absent where the file is. */
export interface ConfigChange {
  readonly file: string;
  readonly before?: string;
  readonly after?: string;
}

/** @throws CheckpointError `config-unreadable`, `refused-path` */
export function openTarget(ports: Ports, file: string, projectRoot: string | undefined): ConfigFile {
  const config = readConfig(ports, file);
  if (projectRoot !== undefined && leadsOut(ports, config.target, projectRoot)) {
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

/** @param hadOurs true where the bytes that are there now are not what was there before us */
export function recordBefore(ports: Ports, config: ConfigFile, hadOurs: boolean, result: string): void {
  const old = readRecord(ports, config.target);
  const untouched = old !== undefined && config.bytes !== undefined && old.result === sha256Of(config.bytes);
  if (hadOurs) {
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

/** Folders that were made for a file, the deepest first; those that hold something else by now stay. */
export function removeEmpty({ fs }: Ports, folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      fs.rmdirSync(folder);
    } catch {
      return;
    }
  }
}
