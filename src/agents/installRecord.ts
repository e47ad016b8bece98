// What a configuration file was before we changed it, so that uninstalling gives the old bytes back.
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../core/ports';
import { removeQuietly } from '../core/state/atomicFile';
import { readJson, writeJson } from '../core/state/jsonFile';
import { sha256Of } from '../core/store/plainFile';

const schema = v.object({
  version: v.literal(1),
  file: v.string(),
  /** Base64; null where there was no file. */
  original: v.nullable(v.string()),
  /** SHA-256 of what we made of it; null once somebody else has written there too. */
  result: v.nullable(v.string()),
  /** Folders that we made for it, the deepest first. */
  folders: v.array(v.string()),
});
export type InstallRecord = v.InferOutput<typeof schema>;

const recordFile = (ports: Ports, file: string) =>
  path.join(ports.stateDir, 'installs', `${sha256Of(Buffer.from(file)).slice(0, 32)}.json`);

/** Undefined where there is none, or none that can be read. */
export function readRecord(ports: Ports, file: string): InstallRecord | undefined {
  const parsed = v.safeParse(schema, readJson(ports, recordFile(ports, file)));
  return parsed.success && parsed.output.file === file ? parsed.output : undefined;
}

/** Throws the system's error. */
export const writeRecord = (ports: Ports, record: InstallRecord) =>
  writeJson(ports, recordFile(ports, record.file), record);

export const removeRecord = (ports: Ports, file: string) => removeQuietly(ports, recordFile(ports, file));
