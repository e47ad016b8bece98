// A call is over: its checkpoint is found again, by its id or, where the agent has none, by order, tool and paths.
import type { Ports } from '../ports';
import { rootStores, type RootStores } from '../store/stores';
import { namedPaths } from './captureInRoot';
import { callKey, claimedCheckpoint } from './claim';
import { closeCheckpoint, openCheckpoints, type OpenCheckpoint } from './close';
import { closeLate } from './late';
import { readOpenRecord } from './openRecord';
import { absolutePath, rootOfFolder } from './placing';
import type { CallReference } from './request';
import { rootOfPath } from './roots';
import { sessionRoots } from './session';

/** Closes what the call opened; what was closed too soon, or never opened, is told all the same. Never throws for a store. */
export function closeCall(ports: Ports, call: CallReference, cause: 'post' | 'abandon'): void {
  const named = openedIn(ports, rootsNamed(ports, call), call);
  const session = call.agent?.session;
  // The payload of an event after the write may name no path, or another folder.
  const complete = session === undefined || (named.length > 0 && (call.writes ?? []).length > 0);
  const found = complete ? named : openedIn(ports, rootsOf(ports, call, session), call);
  if (found.length === 0 && cause === 'post' && call.kind !== 'command') late(ports, call);
  for (const each of found) {
    try {
      closeCheckpoint(ports, each, cause, undefined, unsavedIn(ports, each.root, call));
    } catch {
      // It stays open for the next closer.
    }
  }
}

function late(ports: Ports, call: CallReference): void {
  try {
    closeLate(ports, call);
  } catch {
    // No store takes it: the capture before the write has told the person, or will.
  }
}

/** The texts that the call left in editors, by path relative to the root. */
function unsavedIn(ports: Ports, root: string, call: CallReference): Map<string, Uint8Array> {
  const texts = new Map<string, Uint8Array>();
  for (const { path, unsaved } of call.writes ?? []) {
    if (unsaved === undefined) continue;
    try {
      const placed = rootOfPath(ports, absolutePath(call.cwd, path), call);
      if (placed?.root === root) texts.set(placed.relative, unsaved);
    } catch {
      // Out of reach: then nothing of it is captured either.
    }
  }
  return texts;
}

const rootsOf = (ports: Ports, call: CallReference, session: string) => [
  ...new Set([...rootsNamed(ports, call), ...sessionRoots(ports, session)]),
];

function rootsNamed(ports: Ports, call: CallReference): string[] {
  const roots = (call.writes ?? []).map((write) => {
    try {
      return rootOfPath(ports, absolutePath(call.cwd, write.path), call)?.root;
    } catch {
      return undefined;
    }
  });
  return [...new Set([...roots, rootOfFolder(ports, call)])].filter((root) => root !== undefined);
}

function openedIn(ports: Ports, roots: readonly string[], call: CallReference): OpenCheckpoint[] {
  return roots.flatMap((root) => {
    const stores = rootStores(ports, root);
    return byKey(ports, stores, call) ?? byOrder(ports, stores, call) ?? [];
  });
}

function byKey(
  ports: Ports,
  { root, primary, fallback }: RootStores,
  call: CallReference,
): OpenCheckpoint[] | undefined {
  const key = callKey(call.agent);
  if (key === undefined) return undefined;
  for (const store of [primary, fallback]) {
    const id = claimedCheckpoint(ports, store, key);
    if (id === undefined) continue;
    const record = readOpenRecord(ports, store, id);
    return record === undefined ? [] : [{ root, store, record }];
  }
  return undefined;
}

/** The oldest open call without an id of the same session, tool and paths. */
function byOrder(ports: Ports, stores: RootStores, { agent, cwd, writes }: CallReference): OpenCheckpoint | undefined {
  const named = writes?.length ? namedPaths(cwd, writes).join('\0') : undefined;
  return openCheckpoints(ports, stores).find(
    ({ record }) =>
      record.call === undefined &&
      record.session === agent?.session &&
      record.tool === agent?.tool &&
      (named === undefined || record.named.join('\0') === named),
  );
}
