// Files of ours alone in an agent's folders: plugins, and programs named for an event.
import { CheckpointError } from '../core/errors';
import type { Ports } from '../core/ports';
import { sha256Of } from '../core/store/plainFile';
import { configText, writeConfig, type ConfigFile } from './configFile';
import { isOurCommand } from './hookCommand';
import { readRecord, removeRecord } from './installRecord';
import { recordBefore, removeEmpty, type ConfigChange, type OwnTarget } from './target';

/** @throws CheckpointError `config-unreadable` where somebody else's file has that name, `failed` */
export function putOwnFile(
  ports: Ports,
  config: ConfigFile,
  { text, mode }: OwnTarget,
  dryRun: boolean,
): ConfigChange | undefined {
  if (config.bytes !== undefined && !isOwn(config)) {
    throw new CheckpointError(
      'config-unreadable',
      `${config.file} was left as it is: it is not ours. Give it another name and try again.`,
    );
  }
  const bytes = Buffer.from(text);
  const isThere = config.bytes?.equals(bytes) === true && ((config.mode ?? 0) & 0o111) === (mode & 0o111);
  if (isThere) return undefined;
  if (!dryRun) {
    recordBefore(ports, config, config.bytes !== undefined, sha256Of(bytes));
    writeConfig(ports, { ...config, mode: config.mode === undefined ? mode : config.mode | (mode & 0o111) }, bytes);
  }
  return { file: config.file, ...(config.bytes === undefined ? {} : { before: configText(config) }), after: text };
}

/** Its head says that changes in it are not kept. @throws CheckpointError `failed` */
export function removeOwnFile(ports: Ports, config: ConfigFile, dryRun: boolean): ConfigChange | undefined {
  if (config.bytes === undefined || !isOwn(config)) return undefined;
  if (!dryRun) {
    const folders = readRecord(ports, config.target)?.folders ?? [];
    writeConfig(ports, config, undefined);
    removeRecord(ports, config.target);
    removeEmpty(ports, folders);
  }
  return { file: config.file, before: config.bytes.toString('utf8') };
}

export function ownFileStatus(
  config: ConfigFile,
  { text, mode }: OwnTarget,
): { installed: boolean; complete: boolean } {
  const installed = config.bytes !== undefined && isOwn(config);
  const complete =
    installed && config.bytes.equals(Buffer.from(text)) && ((config.mode ?? 0) & mode & 0o100) === (mode & 0o100);
  return { installed, complete };
}

/** Our mark is in the first lines; further down it may be in a file that somebody calls us from. */
const isOwn = ({ bytes }: ConfigFile) =>
  isOurCommand(bytes?.subarray(0, 300).toString('utf8').split('\n', 3).join('\n'));
