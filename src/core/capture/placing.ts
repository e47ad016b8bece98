// From the paths that an agent named to workspace roots and paths in them.
import path from 'node:path';
import type { Ports } from '../ports';
import type { NotCovered } from '../store/meta';
import { impossibleName, reasonOf } from './diskState';
import { expandFolders, maxPaths } from './folders';
import type { PathWrite, WriteRequest } from './request';
import { holds, realPlace, rootOfPath, type PlacedPath } from './roots';

export interface PlacedWrite {
  readonly place: PlacedPath;
  /** Set where the path's content comes from elsewhere and that is in the same root. */
  readonly from?: PlacedPath;
  readonly write: PathWrite;
}

/** A call's part in one root. */
export interface RootWrites {
  readonly writes: PlacedWrite[];
  readonly notCovered: NotCovered[];
}

/**
 * By root (real path). What lies in no root is told in the root of the agent's current folder; dropped where that is
 * no root either. Never throws for what is wrong with one path.
 */
export function placeWrites(ports: Ports, request: WriteRequest): Map<string, RootWrites> {
  const roots = new Map<string, RootWrites>();
  const of = (root: string) => {
    const part = roots.get(root) ?? { writes: [], notCovered: [] };
    roots.set(root, part);
    return part;
  };
  const isInside = (folder: string) => typeof locate(ports, folder, request) !== 'string';
  const { writes, notes } = expandFolders(ports, absoluteWrites(request), isInside);
  const homeless = [...notes];
  const each = joinSamePath(writes);
  if (each.length > maxPaths) {
    homeless.push({ path: request.cwd, reason: `only the first ${maxPaths} of the ${each.length} paths are covered` });
  }
  for (const write of each.slice(0, maxPaths)) {
    const place = locate(ports, write.path, request);
    if (typeof place === 'string') {
      homeless.push({ path: write.path, reason: place });
      continue;
    }
    const from = write.renamedFrom === undefined ? undefined : locate(ports, write.renamedFrom, request);
    const known = typeof from === 'object' && from.root === place.root;
    of(place.root).writes.push({ place, write, ...(known && { from }) });
  }
  if (homeless.length > 0 || roots.size === 0) {
    const root = rootOfFolder(ports, request);
    if (root !== undefined) of(root).notCovered.push(...homeless.map((note) => inRoot(root, note)));
  }
  return roots;
}

/** The root that new files in the agent's current folder belong to. */
export function rootOfFolder(ports: Ports, agent: Pick<WriteRequest, 'cwd' | 'projectDir'>): string | undefined {
  try {
    return rootOfPath(ports, path.join(agent.cwd, 'x'), agent)?.root;
  } catch {
    return undefined;
  }
}

export const absolutePath = (cwd: string, named: string): string => path.resolve(cwd, named.toWellFormed());

function absoluteWrites({ writes, cwd }: WriteRequest): PathWrite[] {
  return writes.map((write) => ({
    ...write,
    path: absolutePath(cwd, write.path),
    ...(write.renamedFrom !== undefined && { renamedFrom: absolutePath(cwd, write.renamedFrom) }),
  }));
}

/** @returns the place, or the reason why it has none */
function locate(ports: Ports, file: string, request: WriteRequest): PlacedPath | string {
  const impossible = impossibleName(file);
  if (impossible !== undefined) return impossible;
  try {
    const place = rootOfPath(ports, file, request);
    if (place === undefined) return 'it is outside every workspace folder';
    return isOwnState(ports, place.absolute) ? 'it belongs to the checkpoints’ own state' : place;
  } catch (error) {
    return `its folder cannot be resolved: ${reasonOf(error)}`;
  }
}

function isOwnState(ports: Ports, absolute: string): boolean {
  try {
    return holds(realPlace(ports.fs, ports.stateDir), absolute);
  } catch {
    return false;
  }
}

/** The record's paths are relative to its root; one from outside can only be named in the reason. */
function inRoot(root: string, { path: file, reason }: { path: string; reason: string }): NotCovered {
  return holds(root, file) && file.length < 4096
    ? { path: path.relative(root, file).split(path.sep).join('/'), reason }
    : { reason: `${file.slice(0, 800)}: ${reason}` };
}

/** One write a path: edits of the same file in one call follow each other. */
function joinSamePath(writes: readonly PathWrite[]): PathWrite[] {
  const byPath = new Map<string, PathWrite>();
  for (const write of writes) {
    const before = byPath.get(write.path);
    byPath.set(write.path, before === undefined ? write : join(before, write));
  }
  return [...byPath.values()];
}

function join(a: PathWrite, b: PathWrite): PathWrite {
  // Moved away and written anew, in whichever order they are named.
  if (a.expected?.type === 'absent') return b;
  if (b.expected?.type === 'absent') return a;
  const { expected: _, ...first } = a;
  const both = { ...b, ...first };
  if (a.expected?.type === 'edits' && b.expected?.type === 'edits') {
    return { ...both, expected: { type: 'edits', edits: [...a.expected.edits, ...b.expected.edits] } };
  }
  return both.expected === undefined ? both : { ...first, path: a.path };
}
