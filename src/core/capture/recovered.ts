// Changes that were made before anything was captured, as an agent's own records tell them: planned first, then written
// as checkpoints of kind `recovered` whose ids are those of the time when it happened.
import { createHash } from 'node:crypto';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import type { DraftState } from '../store/draft';
import { parseCheckpointId, type CheckpointId } from '../store/ids';
import type { AgentInfo, Meta, NotCovered, Provenance } from '../store/meta';
import { listIds, listPage } from '../store/reader';
import { rootStores, type RootStores } from '../store/stores';
import { writeCheckpoint } from '../store/writer';
import { impossibleName } from './diskState';
import { readIgnoreRules } from './ignoreRules';
import { protectedIn } from './protectedNames';
import { holds, realPlace, relativeTo } from './roots';

export type RecoveredState = Uint8Array | 'absent';

export interface RecoveredFile {
  /** Absolute, as the agent named it. */
  readonly path: string;
  readonly pre: RecoveredState;
  /** Absent where it is not known. */
  readonly post?: RecoveredState | undefined;
  readonly provenance: Extract<Provenance, 'transcript' | 'agent-backup'>;
}

/** What one call of an agent, or one backup of it, changed. */
export interface RecoveredCall {
  readonly agent: AgentInfo;
  /** UTC, ISO 8601: when it happened. */
  readonly at: string;
  readonly prompt?: string | undefined;
  readonly files: readonly RecoveredFile[];
  /** Absolute paths that the call changed too, but whose bytes are not known. */
  readonly notCovered?: readonly { readonly path: string; readonly reason: string }[] | undefined;
}

/** A checkpoint that would be written. */
export interface PlannedRecovery {
  readonly id: CheckpointId;
  readonly call: RecoveredCall;
  /** With paths relative to the root. */
  readonly files: readonly (RecoveredFile & { readonly relative: string })[];
  readonly notCovered: readonly NotCovered[];
}

export interface SessionRecovery {
  /** Oldest first. */
  readonly checkpoints: readonly PlannedRecovery[];
  /** Calls whose files are in this root, but which are in the store already. */
  readonly known: number;
}

/**
 * For one root: tells of an agent's calls what can be recovered. What is in the store already is left out: recovered
 * before, captured when it happened, or told by an earlier question. Nothing is written.
 */
export function recoveryIn(ports: Ports, root: string): (calls: readonly RecoveredCall[]) => SessionRecovery {
  const stores = rootStores(ports, root);
  const taken = new Set<string>(listIds(ports, stores).map(({ id }) => id));
  const captured = capturedCalls(ports, stores);
  const place = placer(ports, root);
  return (calls) => {
    const checkpoints: PlannedRecovery[] = [];
    let known = 0;
    for (const call of calls) {
      const id = idOf(ports, call);
      const { here, refused } = placed(call, place);
      if (id === undefined || here.length === 0) continue;
      const isTold = taken.has(id) || captured.has(callKey(call.agent));
      const files = isTold
        ? []
        : here.filter((file) => !captured.has(fileKey(call.agent, file.relative, hashOf(file.pre))));
      if (files.length === 0) {
        known++;
        continue;
      }
      taken.add(id);
      checkpoints.push({ id, call, files, notCovered: refused });
    }
    return { checkpoints: checkpoints.sort((a, b) => (a.id < b.id ? -1 : 1)), known };
  };
}

/** A call's part in a root. */
function placed(call: RecoveredCall, place: ReturnType<typeof placer>) {
  const refused: NotCovered[] = [];
  const refuse = (path: string, reason: string) => refused.push({ path, reason: reason.slice(0, 1000) });
  const here = call.files.flatMap((file) => {
    const { relative, refused: reason } = place(file.path, file);
    if (relative !== undefined && reason !== undefined) refuse(relative, reason);
    if (relative === undefined || reason !== undefined || isSame(file.pre, file.post)) return [];
    return [{ ...file, relative }];
  });
  for (const { path, reason } of call.notCovered ?? []) {
    const { relative } = place(path);
    if (relative !== undefined) refuse(relative, reason);
  }
  return { here, refused };
}

/**
 * Writes a planned checkpoint. False where it is there by now.
 * @throws CheckpointError as `writeCheckpoint`, where neither store can be written
 */
export function writeRecovery(ports: Ports, root: string, { id, call, files, notCovered }: PlannedRecovery): boolean {
  const { primary, fallback } = rootStores(ports, root);
  const draft = {
    id,
    kind: 'recovered' as const,
    status: 'done' as const,
    createdAt: call.at,
    agent: call.agent,
    ...(call.prompt !== undefined && { prompt: call.prompt.slice(0, 20_000) }),
    entries: files.map(({ relative, path, pre, post, provenance }) => ({
      path: relative,
      pre: draftOf(ports, path, pre),
      ...(post !== undefined && { post: draftOf(ports, path, post) }),
      provenance,
    })),
    notCovered,
  };
  try {
    writeCheckpoint(ports, primary, draft);
  } catch (error) {
    if (CheckpointError.is(error, 'bad-argument')) return false;
    if (!CheckpointError.is(error, 'store-unwritable')) throw error;
    writeCheckpoint(ports, fallback, draft);
  }
  return true;
}

/** The same whenever it is asked for: what was recovered once is known again. Undefined for a time that cannot be. */
function idOf(ports: Ports, { agent, at, files }: RecoveredCall): CheckpointId | undefined {
  const time = Date.parse(at);
  // The future would drag all later ids behind it.
  if (!(time > 0) || time > ports.now()) return undefined;
  const what = agent.toolUse ?? [agent.session, files.map(({ path }) => path)];
  const digest = createHash('sha256')
    .update(JSON.stringify([agent.name, what]))
    .digest();
  const suffix = Array.from(digest.subarray(0, 10), (byte) => (byte % 36).toString(36)).join('');
  return parseCheckpointId(`${new Date(time).toISOString().replace(/[-:.]/g, '')}-${suffix}`);
}

/** Calls that hooks captured, by their ids; and files, for agents whose calls have none. */
function capturedCalls(ports: Ports, stores: RootStores): Set<string> {
  const keys = new Set<string>();
  const add = ({ agent, kind, entries }: Meta) => {
    if (agent === undefined || kind === 'recovered') return;
    keys.add(callKey(agent));
    for (const { path, pre } of entries) {
      if (typeof path === 'string') keys.add(fileKey(agent, path, pre.type === 'file' ? pre.sha256 : pre.type));
    }
  };
  for (const meta of listPage(ports, stores, { limit: Infinity }).checkpoints) add(meta);
  return keys;
}

const callKey = ({ name, toolUse }: AgentInfo) =>
  toolUse === undefined ? '' : JSON.stringify([name, toolUse.replace(/__vscode-\d+$/, '')]);
const fileKey = ({ name, session }: AgentInfo, path: string, pre: string) => JSON.stringify([name, session, path, pre]);
const hashOf = (state: RecoveredState) =>
  state === 'absent' ? 'absent' : createHash('sha256').update(state).digest('hex');

const isSame = (a: RecoveredState, b: RecoveredState | undefined) =>
  a === b || (typeof a === 'object' && typeof b === 'object' && Buffer.compare(a, b) === 0);

/** Where a path is in the root; undefined for what is elsewhere. */
function placer(ports: Ports, root: string) {
  const isIgnored = readIgnoreRules(ports, root);
  const { maxFileBytes } = readSettings(ports);
  return (path: string, file?: RecoveredFile): { relative?: string; refused?: string } => {
    if (impossibleName(path) !== undefined) return {};
    let relative: string;
    try {
      const absolute = realPlace(ports.fs, path);
      if (!holds(root, absolute)) return {};
      relative = relativeTo(root, absolute);
    } catch {
      return {};
    }
    const guarded = protectedIn(relative);
    if (guarded !== undefined) return { relative, refused: `${guarded} is never captured` };
    if (isIgnored(relative)) return { relative, refused: 'left out by .checkpointignore' };
    const size = Math.max(0, ...[file?.pre, file?.post].map((state) => (typeof state === 'object' ? state.length : 0)));
    return size > maxFileBytes ? { relative, refused: `larger than ${maxFileBytes} bytes` } : { relative };
  };
}

/** No record tells the mode: that of the file now is the best guess. */
function draftOf({ fs }: Ports, path: string, state: RecoveredState): DraftState {
  if (state === 'absent') return { type: 'absent' };
  let mode = 0o644;
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === true) mode = stat.mode & 0o777;
  } catch {
    // Below something that is no folder now.
  }
  return { type: 'file', mode, source: { type: 'bytes', bytes: state } };
}
