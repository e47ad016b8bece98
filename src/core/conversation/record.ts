// One line of a chain: what Brute writes (a full log), and what we write (the messages since the parent).
import { isCheckpointId, type CheckpointId } from '../store/ids';
import type { ConversationNode, Json, NodeSource, Summary, Usage } from './model';

export type JsonObject = { readonly [key: string]: Json };

/** A message as it is in the file: whatever others wrote into it comes back unchanged. */
export type StoredMessage = JsonObject & { readonly role: string };

export interface ChainRecord {
  readonly id: string;
  readonly parentId: string | null;
  readonly ts?: string | undefined;
  readonly iteration?: number | undefined;
  readonly messages: readonly StoredMessage[];
  /** `messages` are those added since the parent. */
  readonly delta: boolean;
  readonly replaces: boolean;
  readonly kind: ConversationNode['kind'];
  readonly source?: NodeSource | undefined;
  readonly files: readonly CheckpointId[];
  readonly summary?: Summary | undefined;
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
  readonly sidechain: boolean;
  /** Messages that are none, and were left out. */
  readonly dropped: number;
}

export const maxIdLength = 200;
/** Levels of arrays and objects in each other; more is no conversation, and would break whoever prints it. */
const maxDepth = 400;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOr = (value: unknown, max: number) => (typeof value === 'string' && value.length <= max ? value : undefined);
const countOr = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

export const isNodeId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxIdLength;

/** The record, or in words what is wrong with it. Never throws. */
export function readRecord(text: string): ChainRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isObject(value)) return 'not an object';
  if (!isNodeId(value['id']))
    return value['id'] === undefined ? 'without an id' : 'its id is no text of 1 to 200 characters';
  const { id, parent_id: parent, messages } = value;
  if (!Array.isArray(messages)) return 'without a list of messages';
  if (isTooDeep(value)) return `nested more than ${maxDepth} levels deep`;
  const good = (messages as readonly unknown[]).filter(isStoredMessage);
  return {
    id,
    // A parent of a wrong type is one that is not there.
    parentId: parent === undefined || parent === null ? null : isNodeId(parent) ? parent : '\0',
    ts: textOr(value['ts'], 40),
    iteration: countOr(value['iteration']),
    messages: good,
    delta: value['delta'] === true,
    replaces: value['replaces'] === true,
    kind: kindOf(value['kind']),
    source: sourceOf(value['source']),
    files: Array.isArray(value['files']) ? (value['files'] as readonly unknown[]).filter(isCheckpointId) : [],
    summary: summaryOf(value['summary']),
    usage: usageOf(value['usage']),
    model: textOr(value['model'], 200),
    sidechain: value['sidechain'] === true,
    dropped: messages.length - good.length,
  };
}

const isStoredMessage = (value: unknown): value is StoredMessage =>
  isObject(value) && typeof value['role'] === 'string';

const kinds: readonly unknown[] = ['compaction', 'rewind', 'other'];
const kindOf = (value: unknown) => (kinds.includes(value) ? (value as ConversationNode['kind']) : 'pass');

function sourceOf(value: unknown): NodeSource | undefined {
  if (!isObject(value)) return undefined;
  const agent = textOr(value['agent'], 100);
  const session = textOr(value['session'], 500);
  const entry = textOr(value['entry'], 500);
  if (agent === undefined || session === undefined) return undefined;
  return { agent, session, ...(entry !== undefined && { entry }) };
}

function summaryOf(value: unknown): Summary | undefined {
  if (!isObject(value) || typeof value['text'] !== 'string') return undefined;
  const { watermark, by } = value;
  const index = isObject(watermark) ? countOr(watermark['index']) : undefined;
  const id = isObject(watermark) ? textOr(watermark['id'], 500) : undefined;
  return {
    text: value['text'],
    by: by === 'model' || by === 'digest' ? by : 'agent',
    ...(index !== undefined && { watermark: { index, ...(id !== undefined && { id }) } }),
  };
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const [input, output] = [countOr(value['input']), countOr(value['output'])];
  return input === undefined || output === undefined ? undefined : { input, output };
}

/** Without recursion: the value may be nested as deeply as a line is long. */
export function isTooDeep(value: unknown): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const next: object[] = [];
    for (const each of level) {
      for (const key in each) {
        const inner = (each as Record<string, unknown>)[key];
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}

/** What is known of a line that is too long, from its beginning; undefined where even that is not. */
export function recordHead(beginning: string): Pick<ChainRecord, 'id' | 'parentId' | 'delta'> | undefined {
  const end = beginning.indexOf('"messages"');
  if (end < 0) return undefined;
  const found = /^[^{]*(\{[^]*),\s*$/.exec(beginning.slice(0, end));
  if (found === null) return undefined;
  const record = readRecord(`${found[1]},"messages":[]}`);
  return typeof record === 'string' ? undefined : record;
}

/** A line without its LF. Text from outside may hold halves of characters: they come back as they are. */
export function writeRecord(record: Omit<ChainRecord, 'dropped'>): string {
  const { id, parentId, ts, iteration, delta, replaces, kind, source, files, summary, usage, model, sidechain } =
    record;
  return JSON.stringify({
    id,
    parent_id: parentId,
    ts,
    iteration,
    v: 1,
    ...(delta && { delta }),
    ...(replaces && { replaces }),
    ...(kind !== 'pass' && { kind }),
    source,
    files: files.length > 0 ? files : undefined,
    summary,
    usage,
    model,
    ...(sidechain && { sidechain }),
    messages: record.messages,
  });
}

/** Whether both are the same JSON, whatever the order of their keys. Neither is {@link isTooDeep}. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in left) if (!isSameJson(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}
