// Codex keeps patches. What a file was before one follows from what it was after: from its content where the session
// made or removed it, else from the file as it is now, as long as every line of every later patch is still there.
import path from 'node:path';
import type { RecoveredCall, RecoveredFile, RecoveredState } from '../../core/capture/recovered';
import { idOf, isRecord, recordOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { eachRecord } from '../eachRecord';
import { blocksOf } from '../messageBlocks';
import { readBackup } from '../readBackup';
import type { Recover } from '../recover';
import { isContext } from './context';
import { applyDiff } from './unifiedDiff';

interface Change {
  readonly path: string;
  readonly type: 'add' | 'delete' | 'update';
  readonly content?: string | undefined;
  readonly diff?: string | undefined;
  readonly moveTo?: string | undefined;
  pre?: RecoveredState | undefined;
  post?: RecoveredState | undefined;
}

interface Patch {
  readonly id: string;
  readonly at: string;
  readonly turn: string | undefined;
  readonly prompt: string | undefined;
  readonly changes: readonly Change[];
}

export const recoverCodex: Recover = (ports, { agent, session, file }) => {
  const patches = patchesIn((use) => eachRecord(ports, file, use));
  forwards(patches);
  const now = new Map<string, RecoveredState | undefined>();
  backwards(patches, (name) => {
    if (!now.has(name))
      now.set(
        name,
        ports.fs.lstatSync(name, { throwIfNoEntry: false }) === undefined ? 'absent' : readBackup(ports, name),
      );
    return now.get(name);
  });
  return patches.map(({ id, at, turn, prompt, changes }): RecoveredCall => {
    const files = changes.flatMap(({ path: name, pre, post }): RecoveredFile[] =>
      pre === undefined ? [] : [{ path: name, pre, ...(post !== undefined && { post }), provenance: 'transcript' }],
    );
    const notCovered = changes
      .filter(({ pre }) => pre === undefined)
      .map(({ path: name, type }) => ({
        path: name,
        reason:
          type === 'add'
            ? 'Codex does not tell whether there was a file before'
            : 'the file is another one now: the patch cannot be reversed',
      }));
    const info = { name: agent, session, tool: 'apply_patch', toolUse: id, ...(turn !== undefined && { turn }) };
    return { agent: info, at, ...(prompt !== undefined && { prompt }), files, notCovered };
  });
};

function patchesIn(each: (use: (record: JsonRecord) => void) => void): Patch[] {
  const patches = new Map<string, Patch>();
  const failed = new Set<string>();
  let prompt: string | undefined;
  let turn: string | undefined;
  each((record) => {
    const payload = recordOf(record.payload);
    if (record.type === 'turn_context') turn = idOf(payload.turn_id) ?? turn;
    const said =
      payload.role === 'user'
        ? blocksOf(payload.content).text
        : payload.type === 'user_message'
          ? textOf(payload.message)
          : undefined;
    if (said !== undefined && !isContext(said)) prompt = said;
    const item = payload.type === 'item_completed' ? recordOf(payload.item) : payload;
    const id = idOf(item.call_id) ?? idOf(item.id);
    if (payload.type === 'patch_apply_end' && payload.success === false && id !== undefined) failed.add(id);
    const isPatch =
      item.type === 'FileChange'
        ? item.status !== 'failed'
        : item.type === 'patch_apply_begin' || item.type === 'patch_apply_end';
    const at = timeOf(record.timestamp);
    if (!isPatch || id === undefined || at === undefined || !isRecord(item.changes)) return;
    const changes = Object.entries(item.changes).flatMap(([name, change]) => changeOf(name, recordOf(change)));
    patches.set(id, { id, at, turn: idOf(payload.turn_id) ?? turn, prompt, changes });
  });
  return [...patches.values()].filter(({ id }) => !failed.has(id));
}

/** Newer ones name the kind in a field, older ones have it as the key. */
function changeOf(name: string, change: JsonRecord): Change[] {
  const kinds = ['add', 'delete', 'update'] as const;
  const type = kinds.find((kind) => change.type === kind || (change.type === undefined && isRecord(change[kind])));
  if (type === undefined || !path.isAbsolute(name)) return [];
  const told = change.type === undefined ? recordOf(change[type]) : change;
  const moveTo = textOf(told.move_path);
  return [
    {
      path: name,
      type,
      content: textOf(told.content),
      diff: textOf(told.unified_diff),
      moveTo: moveTo !== undefined && path.isAbsolute(moveTo) ? moveTo : undefined,
    },
  ];
}

/** From what the session itself put there. */
function forwards(patches: readonly Patch[]): void {
  const known = new Map<string, RecoveredState>();
  for (const change of patches.flatMap(({ changes }) => changes)) {
    const { path: name, type, content, diff, moveTo } = change;
    const before = known.get(name);
    if (type === 'add') {
      change.pre = before;
      change.post = content === undefined ? undefined : Buffer.from(content);
    } else if (type === 'delete') {
      change.pre = content === undefined ? before : Buffer.from(content);
      change.post = 'absent';
    } else {
      const after = before instanceof Buffer && diff !== undefined ? applyDiff(before, diff, false) : undefined;
      if (after !== undefined) change.pre = before;
      change.post = moveTo === undefined ? after : 'absent';
      if (moveTo !== undefined) set(moveTo, after);
    }
    set(name, change.post);
  }
  function set(name: string, state: RecoveredState | undefined): void {
    if (state === undefined) known.delete(name);
    else known.set(name, state);
  }
}

/** From the files as they are now. */
function backwards(patches: readonly Patch[], now: (name: string) => RecoveredState | undefined): void {
  const later = new Map<string, RecoveredState | undefined>();
  const after = (name: string) => (later.has(name) ? later.get(name) : now(name));
  for (const change of patches.flatMap(({ changes }) => changes).reverse()) {
    const { path: name, type, diff, moveTo } = change;
    if (change.pre === undefined && type === 'update' && diff !== undefined) {
      const found = after(moveTo ?? name);
      const before = found instanceof Buffer ? applyDiff(found, diff, true) : undefined;
      if (before !== undefined) {
        change.pre = before;
        change.post = moveTo === undefined ? found : 'absent';
      }
    }
    later.set(name, change.pre);
    if (moveTo !== undefined) later.set(moveTo, undefined);
  }
}
