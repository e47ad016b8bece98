// What a person saved, made, moved or removed in an editor while an agent's command ran. The sweep after the command reads
// it, so that none of it is booked as the command's. Written by the editor, in user state; gone when the command is over.
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../ports';
import { ensureDir, removeQuietly, uniqueSuffix, writeFileAtomic } from '../state/atomicFile';
import { readJson } from '../state/jsonFile';
import { readToEnd, sha256Of, withFileInPlace } from '../store/plainFile';
import { rootKey } from '../store/stores';
import { look } from './diskState';

/** Bytes; of a larger file only the name is kept. */
const maxBytes = 5 * 2 ** 20;
/** Saves of one root that are kept; a person who saves more often within one command is not told from it. */
const maxSaves = 500;

/** What was at a path, with its bytes; `unknown` where those are too many or cannot be read. */
export type Seen =
  | { readonly type: 'file'; readonly mode: number; readonly bytes: Buffer }
  | { readonly type: 'absent' }
  | { readonly type: 'unknown' };

const sideSchema = v.variant('type', [
  v.object({ type: v.literal('file'), mode: v.number(), sha256: v.string(), size: v.number() }),
  v.object({ type: v.literal('absent') }),
  v.object({ type: v.literal('unknown') }),
]);
const saveSchema = v.object({ at: v.number(), path: v.string(), before: sideSchema, after: sideSchema });

export type SavedSide = v.InferOutput<typeof sideSchema>;

export interface PersonSave extends v.InferOutput<typeof saveSchema> {
  /** Absolute: the bytes of a side that is a file. */
  readonly bytesOf: (side: 'before' | 'after') => string;
}

const folderOf = (ports: Ports, root: string) => path.join(ports.stateDir, 'saves', rootKey(root));

/** Never throws. */
export function seenAt(ports: Ports, absolute: string): Seen {
  const found = look(ports.fs, absolute);
  if (found.type === 'absent') return { type: 'absent' };
  if (found.type !== 'file' || found.size > maxBytes) return { type: 'unknown' };
  try {
    const bytes = withFileInPlace(ports, absolute, (fd, { size }) => readToEnd(ports, fd, size));
    return bytes.length > maxBytes ? { type: 'unknown' } : { type: 'file', mode: found.mode, bytes };
  } catch {
    return { type: 'unknown' };
  }
}

/** Notes what the person did to a path (relative, with `/`). Nothing is noted where nothing changed. Never throws. */
export function notePersonSave(ports: Ports, root: string, name: string, before: Seen, after: Seen): void {
  if (before.type === 'file' && after.type === 'file' && before.bytes.equals(after.bytes)) return;
  const folder = folderOf(ports, root);
  const at = ports.now();
  const file = path.join(folder, `${String(at).padStart(15, '0')}-${uniqueSuffix()}`);
  try {
    ensureDir(ports, folder);
    if (ports.fs.readdirSync(folder).length >= maxSaves * 3) return;
    for (const [side, seen] of Object.entries({ before, after })) {
      if (seen.type === 'file') writeFileAtomic(ports, `${file}.${side}`, seen.bytes, { flush: false });
    }
    const save = { at, path: name, before: sideOf(before), after: sideOf(after) };
    writeFileAtomic(ports, `${file}.json`, JSON.stringify(save), { flush: false });
  } catch {
    // Then the save counts as the command's, which an undo keeps in its guard.
  }
}

function sideOf(seen: Seen): SavedSide {
  if (seen.type !== 'file') return { type: seen.type };
  return { type: 'file', mode: seen.mode, sha256: sha256Of(seen.bytes), size: seen.bytes.length };
}

/** By path, oldest first. @param since ms since the epoch. Never throws. */
export function personSavesSince(ports: Ports, root: string, since: number): Map<string, PersonSave[]> {
  const folder = folderOf(ports, root);
  const saves = new Map<string, PersonSave[]>();
  for (const name of namesIn(ports, folder).sort()) {
    if (!name.endsWith('.json')) continue;
    const parsed = v.safeParse(saveSchema, readJson(ports, path.join(folder, name)));
    if (!parsed.success || parsed.output.at < since) continue;
    const base = path.join(folder, name.slice(0, -'.json'.length));
    const save = { ...parsed.output, bytesOf: (side: string) => `${base}.${side}` };
    saves.set(save.path, [...(saves.get(save.path) ?? []), save]);
  }
  return saves;
}

/** No command is under way any more. Never throws. */
export function forgetPersonSaves(ports: Ports, root: string): void {
  removeQuietly(ports, folderOf(ports, root));
}

function namesIn({ fs }: Ports, folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}
