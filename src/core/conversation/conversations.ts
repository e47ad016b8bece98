// All conversations of a root.
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { inStore } from '../store/inStore';
import type { RootStores } from '../store/stores';
import { Chain, checkConversations } from './chain';
import { isConversationName, type ConversationName } from './names';

export interface FoundConversation {
  readonly chain: Chain;
  /** Of the file, ms since the epoch. */
  readonly changedAt: number;
  /** Bytes. */
  readonly size: number;
}

/** As the command line shows a conversation. */
export interface ConversationSummary {
  readonly id: ConversationName;
  readonly agent: string | null;
  readonly session: string | null;
  readonly nodes: number;
  /** Nodes with two children or more. */
  readonly forks: number;
  readonly leaf: string | null;
  /** Lines that could not be used, or not whole. */
  readonly damaged: number;
  /** UTC, ISO 8601. */
  readonly updatedAt: string;
}

/**
 * Newest first; nothing of the files is read. What is no plain file with the name of a conversation is passed over.
 * @throws CheckpointError `store-refused`; else the system's error
 */
export function findConversations(ports: Ports, stores: RootStores): FoundConversation[] {
  const found = new Map<ConversationName, FoundConversation>();
  for (const store of [stores.primary, stores.fallback]) {
    inStore(ports, store, (within) => {
      checkConversations(within, store);
      for (const file of namesIn(within, store.conversations)) {
        const name = file.endsWith('.jsonl') ? file.slice(0, -'.jsonl'.length) : '';
        if (!isConversationName(name) || found.has(name)) continue;
        const chain = new Chain(ports, store, name);
        const stat = within.fs.lstatSync(chain.file, { throwIfNoEntry: false });
        if (stat?.isFile()) found.set(name, { chain, changedAt: stat.mtimeMs, size: stat.size });
      }
    });
  }
  return [...found.values()].sort((a, b) => b.changedAt - a.changedAt);
}

function namesIn({ fs }: Ports, folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

/** `chain` is read to its end. `changedAt`: of its file, ms since the epoch, for one without times. */
export function summarise(chain: Chain, changedAt: number): ConversationSummary {
  const { nodes } = chain;
  const source = nodes.find((node) => node.source !== undefined)?.source;
  const times = nodes.map(({ ts }) => Date.parse(ts ?? '')).filter((time) => !Number.isNaN(time));
  const updated = times.reduce((newest, time) => Math.max(newest, time), -Infinity);
  return {
    id: chain.name,
    agent: source?.agent ?? null,
    session: source?.session ?? null,
    nodes: nodes.length,
    forks: forksOf(chain).length,
    leaf: chain.leaf ?? null,
    damaged: chain.index.damageCount,
    updatedAt: new Date(Number.isFinite(updated) ? updated : changedAt).toISOString(),
  };
}

/** Ids of the nodes with two children or more, in the order of the file. */
export function forksOf({ nodes }: Pick<Chain, 'nodes'>): string[] {
  const children = new Uint32Array(nodes.length);
  for (const { parent } of nodes) if (parent >= 0) children[parent]!++;
  return nodes.filter((_, i) => children[i]! > 1).map(({ id }) => id);
}

/** Whether a conversation cannot be opened at all, in words; else undefined. */
export function refusalOf(chain: Chain): string | undefined {
  try {
    chain.refresh();
    return undefined;
  } catch (error) {
    return CheckpointError.is(error) || error instanceof Error ? error.message : String(error);
  }
}
