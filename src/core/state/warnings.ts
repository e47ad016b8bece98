// What a background process could not do, kept until the person has seen it once.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Ports } from '../ports';
import { createFile, ensureDir, removeQuietly, writeFileAtomic } from './atomicFile';
import { asRecord, readJson } from './jsonFile';

export interface Warning {
  /** What it is about; a second warning of the same key is dropped. */
  readonly key: string;
  /** For the person: what is wrong and what to do. */
  readonly text: string;
  /** ISO time of the first one. */
  readonly at: string;
  readonly shown: boolean;
}

const folder = (ports: Ports) => path.join(ports.stateDir, 'warnings');

// One file a key, so that many processes at once need no lock.
const fileOf = (ports: Ports, key: string) =>
  path.join(folder(ports), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);

/** Never throws: a warning must not break what it warns of. */
export function addWarning(ports: Ports, { key, text }: { key: string; text: string }): void {
  try {
    ensureDir(ports, folder(ports));
    const warning: Warning = { key, text, at: new Date(ports.now()).toISOString(), shown: false };
    createFile(ports, fileOf(ports, key), JSON.stringify(warning), { flush: false });
  } catch {
    // Already there, or nowhere to write it.
  }
}

/** Oldest first. Never throws. */
export function readWarnings(ports: Ports): Warning[] {
  let names: string[];
  try {
    names = ports.fs.readdirSync(folder(ports));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => asWarning(readJson(ports, path.join(folder(ports), name))))
    .filter((warning) => warning !== undefined)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Never throws. */
export function markWarningShown(ports: Ports, key: string): void {
  const warning = asWarning(readJson(ports, fileOf(ports, key)));
  if (warning === undefined || warning.shown) return;
  try {
    writeFileAtomic(ports, fileOf(ports, key), JSON.stringify({ ...warning, shown: true }), { flush: false });
  } catch {
    // It is shown once more.
  }
}

/** Call it when the cause is gone, so that the next failure is told again. Never throws. */
export function clearWarning(ports: Ports, key: string): void {
  removeQuietly(ports, fileOf(ports, key));
}

function asWarning(value: unknown): Warning | undefined {
  const { key, text, at, shown } = asRecord(value) ?? {};
  if (typeof key !== 'string' || typeof text !== 'string' || typeof at !== 'string') return undefined;
  return { key, text, at, shown: shown === true };
}
