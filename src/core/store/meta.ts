// meta.json, version 1: one schema for what is written and for everything that is read.
import * as v from 'valibot';
import { isCheckpointId, type CheckpointId } from './ids';

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const idSchema = v.custom<CheckpointId>(isCheckpointId, 'not a checkpoint id');

/** Relative to the root with `/`; a name that is not UTF-8 is kept as its bytes. */
const pathSchema = v.union([text(4096), v.object({ bytes: text(8192) })]);

const stateSchema = v.variant('type', [
  v.object({
    type: v.literal('file'),
    sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    /** Bytes. */
    size: count,
    /** Permission bits, as in `stat`. */
    mode: v.pipe(count, v.maxValue(0o7777)),
    /** Relative to the checkpoint's folder: `pre/0-a.txt`. */
    blob: v.pipe(v.string(), v.regex(/^(pre|post)\/\d+-[^/\\\0]{1,255}$/)),
    inferred: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('absent'), inferred: v.optional(v.boolean()) }),
  v.object({
    type: v.literal('symlink'),
    target: text(4096),
    resolved: v.optional(text(4096)),
    inferred: v.optional(v.boolean()),
  }),
  v.object({ type: v.literal('directory'), inferred: v.optional(v.boolean()) }),
  v.object({ type: v.literal('unreadable'), error: text(1000), inferred: v.optional(v.boolean()) }),
]);

const entrySchema = v.object({
  path: pathSchema,
  pre: stateSchema,
  post: v.optional(stateSchema),
  provenance: v.picklist(['before-write', 'baseline', 'git', 'transcript', 'agent-backup']),
  renamedFrom: v.optional(pathSchema),
});

const agentSchema = v.object({
  name: text(100),
  session: text(500),
  turn: v.optional(text(500)),
  tool: v.optional(text(200)),
  toolUse: v.optional(text(500)),
  subagent: v.optional(text(500)),
});

const refsSchema = v.pipe(v.array(v.object({ id: idSchema, entry: count })), v.maxLength(1_000_000));

export const metaSchema = v.object({
  version: v.literal(1),
  id: idSchema,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  kind: v.picklist(['edit', 'command', 'restore', 'manual', 'recovered']),
  status: v.picklist(['pending', 'done', 'unchanged', 'abandoned']),
  /** Shared by the checkpoints of one call over several roots. */
  group: v.optional(text(100)),
  agent: v.optional(agentSchema),
  prompt: v.optional(text(20_000)),
  label: v.optional(text(1000)),
  /** What a restore takes back: entry `entry` of checkpoint `id`. */
  restores: v.optional(refsSchema),
  /** What it takes back a part of: these entries still stand. */
  restoresPart: v.optional(refsSchema),
  entries: v.pipe(v.array(entrySchema), v.maxLength(1_000_000)),
  notCovered: v.pipe(v.array(v.object({ path: v.optional(pathSchema), reason: text(1000) })), v.maxLength(100_000)),
  /** Keyed hash over the rest; empty where the key was out of reach. */
  mac: text(128),
});

export type Meta = v.InferOutput<typeof metaSchema>;
export type Entry = v.InferOutput<typeof entrySchema>;
export type State = v.InferOutput<typeof stateSchema>;
export type FileState = Extract<State, { type: 'file' }>;
export type RelativePath = v.InferOutput<typeof pathSchema>;
export type AgentInfo = v.InferOutput<typeof agentSchema>;
export type Provenance = Entry['provenance'];
export type NotCovered = Meta['notCovered'][number];
