// The workspace folders that the extension has seen open; hooks find the root of a path by them.
import path from 'node:path';
import type { Ports } from '../ports';
import { readJson, writeJson } from './jsonFile';

const rootsFile = (ports: Ports) => path.join(ports.stateDir, 'roots.json');

/** Absolute real paths, in the order they were registered. Never throws. */
export function registeredRoots(ports: Ports): string[] {
  const found = readJson(ports, rootsFile(ports));
  if (!Array.isArray(found)) return [];
  return [...new Set(found.filter((root): root is string => typeof root === 'string' && path.isAbsolute(root)))];
}

/** Adds folders (by their real paths) and drops the ones that are gone. Throws where the user state is unwritable. */
export function registerRoots(ports: Ports, roots: readonly string[]): void {
  const added = roots.map((root) => realFolder(ports, root)).filter((root) => root !== undefined);
  // Another window may write at the same moment; the loser adds its folders again.
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = registeredRoots(ports);
    const kept = before.filter((root) => realFolder(ports, root) !== undefined);
    const next = [...new Set([...kept, ...added])];
    if (next.length === before.length && next.every((root, i) => root === before[i])) return;
    writeJson(ports, rootsFile(ports), next);
  }
}

function realFolder({ fs }: Ports, folder: string): string | undefined {
  try {
    const real = fs.realpathSync.native(folder);
    return fs.statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
