// A conversation's chain, opened: what is in it, and the messages up to any of its checkpoints.
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { withPlainFile } from '../store/plainFile';
import { isRealFolder, type RootStores } from '../store/stores';
import { ChainIndex, readAt } from './chainIndex';
import { pathTo, type ChainNode } from './chainNode';
import { readHead, readNext } from './head';
import { chainFile, type ConversationName } from './names';
import { readRecord, type ChainRecord, type StoredMessage } from './record';

export interface Resumed {
  /** The parent of what is written next; null where there is nothing yet. */
  readonly id: string | null;
  /** Without the system messages of whoever goes on; see {@link withHistory}. */
  readonly messages: readonly StoredMessage[];
}

/** Nothing of the file is held but an index of its records. Not safe against being used by two at the same time. */
export class Chain {
  readonly index = new ChainIndex();
  /** The record that was read last: a list that grows is asked for again and again. */
  #last: { readonly id: string; readonly messages: readonly StoredMessage[] } | undefined;

  constructor(
    readonly ports: Ports,
    readonly store: StoreLayout,
    readonly name: ConversationName,
  ) {}

  /** Absolute. */
  get file(): string {
    return chainFile(this.store, this.name);
  }

  /**
   * Reads what the file has got since, at most `budget` bytes. A missing file is an empty chain.
   * @returns whether all of it is read
   * @throws CheckpointError `store-refused`, `damaged` (no plain file); else the system's error
   */
  refresh(budget = Infinity): boolean {
    try {
      return this.#open((ports, fd, stat) => this.index.advance(ports, fd, stat, budget));
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
      this.index.clear();
      return true;
    }
  }

  get nodes(): readonly ChainNode[] {
    return this.index.nodes;
  }

  /** The id that the conversation goes on from: what the head names, else the last good line. */
  get leaf(): string | undefined {
    const head = readHead(this.ports, this.store, this.name);
    if (head === undefined || !this.index.byId.has(head)) return this.index.nodes.at(-1)?.id;
    // The process that wrote the line may have ended before the head was written.
    const next = readNext(this.ports, this.store, this.name, head);
    return next !== undefined && this.index.byId.has(next) ? next : head;
  }

  /** @throws CheckpointError `not-found` */
  indexOf(id: string): number {
    const found = this.index.byId.get(id);
    if (found !== undefined) return found;
    throw new CheckpointError(
      'not-found',
      `There is no checkpoint ${JSON.stringify(id.slice(0, 100))} in the conversation ${this.name}. ` +
        '`conversation` shows the ones that are.',
    );
  }

  /** The ids from the root to the node, the node included. @throws CheckpointError `not-found` */
  path(id: string): string[] {
    return pathTo(this.nodes, this.indexOf(id)).map((at) => this.nodes[at]!.id);
  }

  /**
   * One record as it is in the file; a line that is too long has no messages.
   * @throws CheckpointError `not-found`, `changed-meanwhile`; else the system's error
   */
  record(id: string): ChainRecord {
    return this.#records([this.indexOf(id)])[0]!;
  }

  /** As {@link record}, for many: the file is opened once. */
  records(ids: readonly string[]): ChainRecord[] {
    return this.#records(ids.map((id) => this.indexOf(id)));
  }

  /**
   * All messages from the root up to the node.
   * @throws CheckpointError `not-found`; `damaged` where some are not known, unless `partial`; `changed-meanwhile`
   */
  messages(id: string, { partial = false } = {}): readonly StoredMessage[] {
    const index = this.indexOf(id);
    const node = this.nodes[index]!;
    if (node.incomplete && !partial) {
      throw new CheckpointError(
        'damaged',
        `Not all messages up to ${JSON.stringify(id)} are known: something before it is damaged or too long. ` +
          'Ask for what is left with --partial.',
      );
    }
    if (this.#last?.id === id) return this.#last.messages;
    const known = node.delta && node.parent >= 0 && this.#last?.id === this.nodes[node.parent]!.id;
    const way = known ? [index] : this.#sinceFull(index);
    const messages = this.#records(way).flatMap((record) => record.messages);
    const all = known ? [...this.#last!.messages, ...messages] : messages;
    if (!node.incomplete) this.#last = { id, messages: all };
    return all;
  }

  /**
   * Where to go on from, with the messages up to there. `latest` of an empty chain is the beginning of one.
   * Errors as {@link messages}.
   */
  resume(at: string, options: { partial?: boolean } = {}): Resumed {
    const id = at === 'latest' ? this.leaf : at;
    if (id === undefined) return { id: null, messages: [] };
    return { id, messages: this.messages(id, options) };
  }

  /** Indices from the last full record to the node. */
  #sinceFull(index: number): number[] {
    const way: number[] = [];
    for (let at = index; at >= 0; at = this.nodes[at]!.parent) {
      way.push(at);
      if (!this.nodes[at]!.delta) break;
    }
    return way.reverse();
  }

  #records(indices: readonly number[]): ChainRecord[] {
    return this.#open((ports, fd) =>
      indices.map((at) => {
        const node = this.nodes[at]!;
        if (node.tooLong) return { ...emptyRecord, id: node.id, parentId: node.parentId, delta: node.delta };
        const record = readRecord(readAt(ports, fd, node.offset, node.length).toString('utf8'));
        if (typeof record !== 'string' && record.id === node.id) return record;
        throw new CheckpointError('changed-meanwhile', `The conversation ${this.name} was changed. Open it again.`);
      }),
    );
  }

  #open<T>(use: (ports: Ports, fd: number, stat: Parameters<ChainIndex['advance']>[2]) => T): T {
    return inStore(this.ports, this.store, (within) => {
      checkConversations(within, this.store);
      return withPlainFile(within, this.file, (fd, stat) => use(within, fd, stat));
    });
  }
}

const emptyRecord = { messages: [], replaces: false, kind: 'pass', files: [], sidechain: false, dropped: 0 } as const;

/** @throws CheckpointError `store-refused` where the store or its folder of conversations leads elsewhere */
export function checkConversations(ports: Ports, store: StoreLayout): void {
  if (isRealFolder(ports, store.dir)) isRealFolder(ports, store.conversations);
}

/** Nothing is read yet; see {@link Chain.refresh}. Where both stores have it, the root's own wins. */
export function chainOf(ports: Ports, stores: RootStores, name: ConversationName): Chain {
  const isBelow = !hasContent(ports, stores.primary, name) && hasContent(ports, stores.fallback, name);
  return new Chain(ports, isBelow ? stores.fallback : stores.primary, name);
}

/** Whether there is anything of that name, other than an empty file. */
export function hasContent(ports: Ports, store: StoreLayout, name: ConversationName): boolean {
  try {
    const found = ports.fs.lstatSync(chainFile(store, name), { throwIfNoEntry: false });
    return found !== undefined && (found.size > 0 || !found.isFile());
  } catch {
    return false;
  }
}

/** Read to its end. Errors as {@link Chain.refresh}. */
export function openChain(ports: Ports, stores: RootStores, name: ConversationName): Chain {
  const chain = chainOf(ports, stores, name);
  chain.refresh();
  return chain;
}

/** A resumed history in its place: behind the leading system messages, before the new input. */
export function withHistory<T extends { readonly role: string }>(current: readonly T[], history: readonly T[]): T[] {
  const found = current.findIndex(({ role }) => role !== 'system');
  const at = found < 0 ? current.length : found;
  return [...current.slice(0, at), ...history, ...current.slice(at)];
}
