// Which files have unsaved text in an editor, told by each VS Code window to the programs outside it.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Ports } from '../ports';
import { removeQuietly } from './atomicFile';
import { asRecord, readJson, writeJson } from './jsonFile';
import { isAlive } from './platform';

const folder = (ports: Ports) => path.join(ports.stateDir, 'unsaved');

/**
 * Replaces the list of one window. `paths` are absolute real paths; an empty list removes the record. The record
 * counts while the calling process lives. Throws where the user state is unwritable.
 */
export function writeUnsaved(ports: Ports, windowId: string, paths: string[]): void {
  const name = createHash('sha256').update(windowId).digest('hex').slice(0, 32);
  const file = path.join(folder(ports), `${name}.json`);
  if (paths.length === 0) removeQuietly(ports, file);
  else writeJson(ports, file, { pid: process.pid, paths }, { flush: false });
}

/** Absolute real paths over all windows that are alive; records of dead ones are removed. Never throws. */
export function unsavedPaths(ports: Ports): Set<string> {
  const unsaved = new Set<string>();
  let names: string[];
  try {
    names = ports.fs.readdirSync(folder(ports)).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  } catch {
    return unsaved;
  }
  for (const name of names) {
    const file = path.join(folder(ports), name);
    const { pid, paths } = asRecord(readJson(ports, file)) ?? {};
    if (typeof pid !== 'number' || !isAlive(pid)) removeQuietly(ports, file);
    else if (Array.isArray(paths))
      paths.filter((each) => typeof each === 'string').forEach((each) => unsaved.add(each));
  }
  return unsaved;
}
