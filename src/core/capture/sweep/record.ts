// What a sweep before a command notes, to tell afterwards what the command did: one folder for each command under way.
import { createHmac, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../../ports';
import { createFile } from '../../state/atomicFile';
import { readKey } from '../../state/key';
import { isCheckpointId, type CheckpointId } from '../../store/ids';
import { readToEnd, withPlainFile } from '../../store/plainFile';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const optionalText = v.exactOptional(v.string());

const copySchema = v.object({
  /** A file of the sweep's folder; several copies may be in one, one after the other. */
  pack: v.pipe(v.string(), v.regex(/^pack-[0-9A-Za-z-]+$/)),
  offset: count,
  length: count,
  sha256: v.string(),
});

/** What was at a path before. */
const notedSchema = v.variant('type', [
  v.object({
    type: v.literal('file'),
    /** Identity and times of the inode: equal while nobody touched it. */
    stamp: v.string(),
    /** It was written to so shortly before that the stamp may not change with the next write. */
    racy: v.exactOptional(v.literal(true)),
    mode: count,
    copy: v.exactOptional(copySchema),
    /** Why there is no copy. */
    reason: optionalText,
  }),
  v.object({ type: v.literal('absent') }),
  v.object({ type: v.literal('symlink'), target: v.string() }),
  v.object({ type: v.literal('directory') }),
  v.object({ type: v.literal('special'), reason: v.string() }),
]);

const repositorySchema = v.object({
  /** Absolute real path of its work tree; it may be above the root. */
  top: v.string(),
  /** Absolute. */
  gitDir: v.string(),
  commonDir: v.string(),
  head: optionalText,
  /** The copy of its index in the sweep's folder; absent where it had none. */
  index: v.exactOptional(v.pipe(v.string(), v.regex(/^index-[0-9A-Za-z-]+$/))),
  indexStamp: optionalText,
  filters: v.array(v.string()),
  /** Permissions of tracked files that are not the usual ones of their kind; absent where they were not noted. */
  modes: v.exactOptional(v.record(v.string(), count)),
  usual: v.exactOptional(v.object({ file: count, program: count })),
  /** Why nothing of it is covered. */
  refused: optionalText,
});

const recordSchema = v.object({
  version: v.literal(1),
  id: v.custom<CheckpointId>(isCheckpointId),
  /** Real path. */
  root: v.string(),
  /** ms since the epoch. */
  at: v.number(),
  /** See `callKey`. */
  call: optionalText,
  /** See `claimKey`. */
  claim: optionalText,
  command: optionalText,
  background: v.boolean(),
  agent: v.exactOptional(
    v.object({
      name: v.string(),
      session: v.string(),
      turn: v.optional(v.string()),
      tool: v.optional(v.string()),
      toolUse: v.optional(v.string()),
      subagent: v.optional(v.string()),
    }),
  ),
  prompt: optionalText,
  /** Shared with calls that ran at the same time, or in another root. */
  group: optionalText,
  /** Sweeps that were under way when this one began. */
  beside: v.array(v.custom<CheckpointId>(isCheckpointId)),
  repositories: v.array(repositorySchema),
  /** True where a folder without Git was walked. */
  walked: v.boolean(),
  /** By path relative to the root. */
  files: v.record(v.string(), notedSchema),
  /** Paths that were there, untracked, and were not looked at one by one. */
  names: v.array(v.string()),
  /** False where there were too many names to remember. */
  complete: v.boolean(),
  /** What rules of Git leave out, with a stamp where it is cheap; folders end in `/`. */
  ignored: v.record(v.string(), v.string()),
  /** Ignored paths that commands made: from then on they are looked at one by one. */
  made: v.array(v.string()),
  notCovered: v.array(v.object({ path: optionalText, reason: v.string() })),
});

export type SweepRecord = v.InferOutput<typeof recordSchema>;
export type RepositoryRecord = v.InferOutput<typeof repositorySchema>;
export type Noted = v.InferOutput<typeof notedSchema>;
export type CopyRef = v.InferOutput<typeof copySchema>;

/** Of a sweep whose command may still run; its name changes when somebody closes it. */
export const recordFile = (folder: string) => path.join(folder, 'record.json');
export const closedFile = (folder: string) => path.join(folder, 'closed.json');

const maxBytes = 128 * 2 ** 20;

/** Durable on return. Throws the system's error. */
export function writeRecord(ports: Ports, folder: string, record: SweepRecord): void {
  const text = JSON.stringify(record);
  createFile(ports, recordFile(folder), `${sign(ports, text)}\n${text}`);
}

/**
 * Undefined where there is none, it makes no sense, or it is not this person's: what it says is put into the person's
 * name later.
 */
export function readRecord(ports: Ports, file: string): SweepRecord | undefined {
  try {
    const text = withPlainFile(ports, file, (fd, { size }) =>
      size > maxBytes ? '' : readToEnd(ports, fd, size).toString('utf8'),
    );
    const at = text.indexOf('\n');
    const [mac, json] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 0 || !isEqual(mac, sign(ports, json))) return undefined;
    const parsed = v.safeParse(recordSchema, JSON.parse(json));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

function sign(ports: Ports, text: string): string {
  // Without a key nothing can be signed; then the checkpoint that comes of it is nobody's either.
  const key = readKey(ports, { create: true });
  return key === undefined ? '' : createHmac('sha256', key).update('sweep\0').update(text).digest('base64url');
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
