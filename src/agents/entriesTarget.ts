// Our entries in an agent's own configuration file, put there and taken out again.
import type { Ports } from '../core/ports';
import { sha256Of } from '../core/store/plainFile';
import { configBytes, configText, unreadable, writeConfig, type ConfigFile } from './configFile';
import {
  addEntries,
  hasEntries,
  isBare,
  isComplete,
  readHooks,
  removeEntries,
  UnreadableHooks,
  type HookLayout,
} from './hookEntries';
import { readRecord, removeRecord } from './installRecord';
import { recordBefore, removeEmpty, type ConfigChange } from './target';

/** @throws CheckpointError `config-unreadable`, `failed` */
export function addToConfig(
  ports: Ports,
  config: ConfigFile,
  layout: HookLayout,
  dryRun: boolean,
): ConfigChange | undefined {
  const before = configText(config);
  const after = readable(config, () => addEntries(before, layout));
  if (config.bytes !== undefined && after === before) return undefined;
  if (!dryRun) {
    const bytes = configBytes(config, after);
    recordBefore(ports, config, hasEntries(readHooks(before, layout), layout), sha256Of(bytes));
    writeConfig(ports, config, bytes);
  }
  return change(config, before, after);
}

/** Undefined where nothing of ours is there. @throws CheckpointError `config-unreadable`, `failed` */
export function takeFromConfig(
  ports: Ports,
  config: ConfigFile,
  layout: HookLayout,
  dryRun: boolean,
): ConfigChange | undefined {
  if (config.bytes === undefined) return undefined;
  const record = readRecord(ports, config.target);
  const untouched = record?.result === sha256Of(config.bytes);
  const original =
    record === undefined ? undefined : record.original === null ? null : Buffer.from(record.original, 'base64');
  const before = configText(config);
  const bytes = untouched ? original! : withoutEntries(config, before, layout, original);
  if (bytes !== null && config.bytes.equals(bytes)) return undefined;
  if (!dryRun) {
    writeConfig(ports, config, bytes ?? undefined);
    removeRecord(ports, config.target);
    if (bytes === null) removeEmpty(ports, record?.folders ?? []);
  }
  return change(config, before, bytes === null ? undefined : configText({ ...config, bytes }));
}

/** @throws CheckpointError `config-unreadable` */
export function entriesStatus(config: ConfigFile, layout: HookLayout): { installed: boolean; complete: boolean } {
  const value = configValue(config, layout);
  return { installed: hasEntries(value, layout), complete: isComplete(value, layout) };
}

/** @throws CheckpointError `config-unreadable` */
export const configValue = (config: ConfigFile, layout: Pick<HookLayout, 'syntax'>): Record<string, unknown> =>
  readable(config, () => readHooks(configText(config), layout));

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
  if (original === null && isBare(readHooks(after, layout), layout)) return null;
  return configBytes(config, after);
}

function readable<T>({ file }: ConfigFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableHooks ? unreadable(file, error.message) : error;
  }
}

const change = (config: ConfigFile, before: string, after: string | undefined): ConfigChange => ({
  file: config.file,
  ...(config.bytes === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});
