// Writing a chain: under a lock, one flushed write of whole lines, never a change of what is there.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { syncDir } from '../state/platform';
import { inStore } from '../store/inStore';
import { acquireLock } from '../store/lock';
import { writeFully } from '../store/plainFile';
import { ensureStore, makeFolder, type RootStores } from '../store/stores';
import { Chain, chainOf, checkConversations, hasContent } from './chain';
import { announceHead, settleHead, writeHead } from './head';
import { maxLineBytes } from './lines';
import type { Message } from './model';
import type { ConversationName } from './names';
import { isNodeId, isSameJson, isTooDeep, writeRecord, type ChainRecord, type StoredMessage } from './record';

/** What is written as one checkpoint of the conversation. */
export interface ChainEntry extends Partial<
  Pick<
    ChainRecord,
    'id' | 'ts' | 'iteration' | 'kind' | 'source' | 'files' | 'summary' | 'usage' | 'model' | 'sidechain'
  >
> {
  /** What it grew from: an id of the chain, or of an earlier entry of the same call; null at the beginning. */
  readonly parentId: string | null;
  /** The whole list now, or only what came since the parent. System messages are left out. */
  readonly messages: readonly (Message | StoredMessage)[];
  readonly only?: 'added' | undefined;
}

/** How much the deltas may outweigh the last full record before the next one is written whole. */
const outweighs = 2;
/** Bytes of one write; more lines than that are written in several. */
const maxWrite = 8 * 2 ** 20;

export interface AppendOptions {
  /** How long to wait for another writer, ms; default 2000. */
  readonly waitMs?: number;
  /** What the head names afterwards; default: the last of the entries. */
  readonly leaf?: string | undefined;
}

/**
 * Adds checkpoints at the end of a chain, and makes the last one its leaf. Where the root's store cannot be written,
 * they go to the one in user state.
 * @returns their ids
 * @throws CheckpointError `not-found` (a parent), `bad-argument`, `locked`, `store-refused`, `store-unwritable`
 */
export function appendToChain(
  ports: Ports,
  stores: RootStores,
  name: ConversationName,
  entries: readonly ChainEntry[],
  options: AppendOptions = {},
): string[] {
  const chain = chainOf(ports, stores, name);
  try {
    return append(ports, stores, chain, entries, options);
  } catch (error) {
    const isNew = chain.store === stores.primary && !hasContent(ports, chain.store, name);
    if (!isNew || !CheckpointError.is(error, 'store-unwritable')) throw error;
    return append(ports, stores, new Chain(ports, stores.fallback, name), entries, options);
  }
}

/** As {@link appendToChain}, for a chain that is open: it is read on instead of being read again. */
export function append(
  ports: Ports,
  stores: RootStores,
  chain: Chain,
  entries: readonly ChainEntry[],
  { waitMs = 2000, leaf }: AppendOptions = {},
): string[] {
  return withChainLock(ports, stores, chain, waitMs, () => {
    chain.refresh();
    const { lines, ids } = serialise(chain, entries);
    if (ids.length === 0) return ids;
    const last = leaf ?? ids.at(-1)!;
    if (isNodeId(last)) announceHead(ports, chain.store, chain.name, last);
    asStoreError(chain, () => inStore(ports, chain.store, (within) => write(within, chain, lines)));
    if (isNodeId(last)) settleHead(ports, chain.store, chain.name, last);
    return ids;
  });
}

/**
 * The next checkpoint of the chain grows from this one. Nothing that is written changes.
 * @throws CheckpointError `not-found`, `locked`, `store-unwritable`
 */
export function forkInPlace(ports: Ports, stores: RootStores, chain: Chain, id: string): string {
  return withChainLock(ports, stores, chain, 2000, () => {
    chain.refresh();
    const found = id === 'latest' ? chain.leaf : id;
    if (found === undefined) throw new CheckpointError('not-found', `The conversation ${chain.name} is empty.`);
    chain.indexOf(found);
    writeHead(ports, chain.store, chain.name, found);
    return found;
  });
}

/**
 * Waits until nobody is writing the chain, and reads what came. Where no lock can be had at all (nothing can be written
 * here), nobody is.
 * @throws CheckpointError `locked` where it takes longer than `waitMs`
 */
export function afterWriters(ports: Ports, stores: RootStores, chain: Chain, waitMs = 2000): void {
  try {
    withChainLock(ports, stores, chain, waitMs, () => chain.refresh());
  } catch (error) {
    if (!CheckpointError.is(error, 'store-unwritable')) throw error;
    chain.refresh();
  }
}

/** One writer of a chain at a time. */
function withChainLock<T>(ports: Ports, stores: RootStores, chain: Chain, waitMs: number, use: () => T): T {
  const lock = acquireLock(ports, { ...stores, root: chain.file }, `writing the conversation ${chain.name}`, {
    waitMs,
  });
  try {
    return use();
  } finally {
    lock.release();
  }
}

function serialise(chain: Chain, entries: readonly ChainEntry[]): { lines: string[]; ids: string[] } {
  const lines: string[] = [];
  const ids: string[] = [];
  /** Of the entries of this call. */
  const made = new Map<string, State>();
  for (const entry of entries) {
    const { parentId, messages, only, id = newId(chain, made), ...rest } = entry;
    if (!isNodeId(id) || chain.index.byId.has(id) || made.has(id)) {
      throw new CheckpointError('bad-argument', `${JSON.stringify(id)} cannot be the id of a new checkpoint.`);
    }
    const added = messages.filter(({ role }) => role !== 'system') as readonly StoredMessage[];
    if (isTooDeep(added)) throw new CheckpointError('bad-argument', 'A message is nested too deeply to be kept.');
    const parent = parentId === null ? undefined : (made.get(parentId) ?? stateOf(chain, parentId));
    const head = {
      ...({ ts: new Date(chain.ports.now()).toISOString(), kind: 'pass', files: [], sidechain: false } as const),
      ...rest,
      id,
      parentId,
    };
    const { line, state } = lineOf(head, added, only === 'added', parent);
    lines.push(line);
    ids.push(id);
    made.set(id, state);
  }
  return { lines, ids };
}

/** What decides how the next record is written. */
interface State {
  readonly fullBytes: number;
  readonly deltaBytes: number;
  /** The list up to here is this one, or (a delta) what came in addition to another's. */
  readonly list: () => readonly StoredMessage[] | undefined;
  readonly parent?: State | undefined;
}

function stateOf(chain: Chain, id: string): State {
  const node = chain.nodes[chain.indexOf(id)]!;
  const list = () => (node.incomplete ? undefined : chain.messages(id));
  return { list, fullBytes: node.fullBytes, deltaBytes: node.deltaBytes };
}

/** The whole list; undefined where something on the way is damaged. Many entries may follow each other: no recursion. */
function listOf(state: State): readonly StoredMessage[] | undefined {
  const parts: (readonly StoredMessage[])[] = [];
  for (let at: State | undefined = state; at !== undefined; at = at.parent) {
    const part = at.list();
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.reverse().flat();
}

type Head = Omit<Parameters<typeof writeRecord>[0], 'messages' | 'delta' | 'replaces'>;

function lineOf(
  head: Head,
  messages: readonly StoredMessage[],
  isAddition: boolean,
  parent: State | undefined,
): { line: string; state: State } {
  const full = (list: readonly StoredMessage[], replaces: boolean) => {
    const line = writeRecord({ ...head, messages: list, delta: false, replaces });
    const fullBytes = Buffer.byteLength(line);
    return { line, state: { list: () => list, fullBytes, deltaBytes: 0 } };
  };
  if (parent === undefined) return full(messages, false);
  const added = isAddition ? messages : addedTo(listOf(parent), messages);
  if (added === undefined) return full(messages, true);
  const line = writeRecord({ ...head, messages: added, delta: true, replaces: false });
  const deltaBytes = parent.deltaBytes + Buffer.byteLength(line);
  const state: State = { list: () => added, parent, fullBytes: parent.fullBytes, deltaBytes };
  const all = deltaBytes > outweighs * parent.fullBytes ? listOf(state) : undefined;
  // A delta whose way is damaged stays one: nothing better is known.
  if (all === undefined) return { line, state };
  const whole = full(all, false);
  // One that nobody reads again would take all that follow along.
  return whole.state.fullBytes > maxLineBytes ? { line, state } : whole;
}

/** What the list has beyond `before`; undefined where that is not its beginning. */
function addedTo(
  before: readonly StoredMessage[] | undefined,
  list: readonly StoredMessage[],
): readonly StoredMessage[] | undefined {
  if (before === undefined || before.length > list.length) return undefined;
  return before.every((each, i) => isSameJson(each, list[i])) ? list.slice(before.length) : undefined;
}

function newId(chain: Chain, made: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const id = randomBytes(6).toString('hex');
    if (!chain.index.byId.has(id) && !made.has(id)) return id;
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function write(ports: Ports, chain: Chain, lines: readonly string[]): void {
  const { fs } = ports;
  ensureStore(ports, chain.store);
  checkConversations(ports, chain.store);
  makeFolder(ports, chain.store.conversations);
  const isNew = fs.lstatSync(chain.file, { throwIfNoEntry: false }) === undefined;
  const fd = fs.openSync(chain.file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow, 0o600);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new CheckpointError('damaged', `${chain.file} is not a plain file.`);
    const { size, tornAt, tailIsGood } = chain.index;
    // Brute knows no lock: it may have written since the file was read.
    if (stat.size !== size) throw new CheckpointError('changed-meanwhile', `${chain.file} was changed. Try again.`);
    const isTorn = tornAt < size && !tailIsGood;
    if (isTorn) fs.ftruncateSync(fd, tornAt);
    const end = isTorn ? tornAt : size;
    try {
      writeLines(ports, fd, lines, tornAt < size && tailIsGood ? '\n' : '');
      fs.fsyncSync(fd);
    } catch (error) {
      // What is left of it would be cut by the next writer.
      try {
        fs.ftruncateSync(fd, end);
      } catch {
        // So it will be.
      }
      throw error;
    }
  } finally {
    fs.closeSync(fd);
  }
  if (isNew) {
    syncDir(ports, chain.store.conversations);
    syncDir(ports, chain.store.dir);
  }
}

function writeLines(ports: Ports, fd: number, lines: readonly string[], first: string): void {
  let text = first;
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < maxWrite) continue;
    writeFully(ports, fd, Buffer.from(text));
    text = '';
  }
  if (text !== '') writeFully(ports, fd, Buffer.from(text));
}

function asStoreError(chain: Chain, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError('store-unwritable', `${chain.file} cannot be written: ${String(error)}`, {
      cause: error,
    });
  }
}
