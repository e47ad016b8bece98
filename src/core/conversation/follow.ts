// An agent's own transcript, as its reader understands it, added to our chain: so the history stays when the agent
// deletes its own. Never in the way of a write: the editor does it when it has
// nothing else to do.
import type { Ports } from '../ports';
import type { CheckpointId } from '../store/ids';
import { sha256Of } from '../store/plainFile';
import type { RootStores } from '../store/stores';
import { append, type ChainEntry } from './append';
import { chainOf, type Chain } from './chain';
import { readHead, writeHead } from './head';
import type { ConversationNode, ConversationTree, NodeSource } from './model';
import { sessionConversation, type ConversationName } from './names';
import { isNodeId, isTooDeep } from './record';

export interface FollowOptions {
  /** File checkpoints of tool calls, by the calls' ids; asked only where there are new calls. */
  readonly filesOf?: ((toolUses: readonly string[]) => readonly CheckpointId[]) | undefined;
  /** The agent has stopped: a last pass without its results is written as it is. */
  readonly isOver?: boolean | undefined;
  readonly waitMs?: number;
}

export interface FollowResult {
  readonly conversation: ConversationName;
  /** Ids of the checkpoints that were added. */
  readonly added: readonly string[];
}

/**
 * Adds what the tree has and the chain does not: one checkpoint for each pass. Repeating it adds nothing.
 * Errors as of {@link append}.
 */
export function followTree(
  ports: Ports,
  stores: RootStores,
  { agent, session }: Pick<NodeSource, 'agent' | 'session'>,
  tree: ConversationTree,
  { filesOf, isOver = false, waitMs = 0 }: FollowOptions = {},
): FollowResult {
  const conversation = sessionConversation(agent, session);
  const chain = chainOf(ports, stores, conversation);
  chain.refresh();
  const written = writtenBefore(chain);
  const nodes = new Map(tree.nodes.map((node) => [node.id, node]));
  const parents = new Set(tree.nodes.map(({ parentId }) => parentId));
  const entries: ChainEntry[] = [];
  const taken = new Set<string>();
  for (const node of inOrder(tree.nodes, nodes)) {
    const known = written.get(node.id);
    if (known === undefined && !isOver && !parents.has(node.id) && isOpen(node)) continue;
    // What came to a pass after it was written is added behind it.
    const messages = known === undefined ? node.messages : node.messages.slice(known.count);
    if ((known !== undefined && messages.length === 0) || isTooDeep(messages)) continue;
    const parent = node.parentId === null ? undefined : written.get(node.parentId);
    const id = freeId(chain, taken, known === undefined ? node.id : `${node.id}+${known.count}`);
    const calls = messages.flatMap(({ tool_calls: made }) => made?.map((call) => call.id) ?? []);
    entries.push({
      id,
      parentId: known?.id ?? parent?.id ?? null,
      messages,
      ...(!(node.replaces && known === undefined) && { only: 'added' as const }),
      ts: node.ts,
      iteration: node.iteration,
      kind: node.kind,
      summary: known === undefined ? node.summary : undefined,
      usage: node.usage,
      model: node.model,
      sidechain: node.sidechain === true,
      source: { agent, session, entry: node.id.slice(0, 500) },
      files: calls.length > 0 && filesOf !== undefined ? filesOf(calls) : node.files,
    });
    written.set(node.id, { id, count: node.messages.length });
  }
  const leaf = tree.leaf === undefined ? undefined : written.get(tree.leaf)?.id;
  if (entries.length > 0) return { conversation, added: append(ports, stores, chain, entries, { waitMs, leaf }) };
  // The agent went back to an earlier point, and has written nothing since.
  if (leaf !== undefined && leaf !== readHead(ports, chain.store, conversation) && leaf !== chain.leaf) {
    writeHead(ports, chain.store, conversation, leaf);
  }
  return { conversation, added: [] };
}

interface Written {
  /** The last checkpoint of the agent's entry. */
  readonly id: string;
  /** Messages of the entry that are there. */
  readonly count: number;
}

function writtenBefore(chain: Chain): Map<string, Written> {
  const written = new Map<string, Written>();
  for (const node of chain.nodes) {
    const entry = node.source?.entry;
    if (entry === undefined) continue;
    const before = node.parent < 0 ? 0 : chain.nodes[node.parent]!.total;
    const own = node.replaces ? node.own : node.total - before;
    written.set(entry, { id: node.id, count: (written.get(entry)?.count ?? 0) + own });
  }
  return written;
}

/** Parents first; of a cycle, whichever comes first. */
function* inOrder(
  list: readonly ConversationNode[],
  nodes: ReadonlyMap<string, ConversationNode>,
): Generator<ConversationNode> {
  const seen = new Set<string>();
  for (const node of list) {
    const way: ConversationNode[] = [];
    for (let at: ConversationNode | undefined = node; at !== undefined && !seen.has(at.id);) {
      seen.add(at.id);
      way.push(at);
      at = at.parentId === null ? undefined : nodes.get(at.parentId);
    }
    yield* way.reverse();
  }
}

/** A call without its result: the agent is still at it. */
function isOpen({ messages }: ConversationNode): boolean {
  const answered = new Set(messages.map((message) => message.tool_call_id));
  return messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => !answered.has(id)));
}

function freeId(chain: Chain, taken: Set<string>, wanted: string): string {
  const id = isNodeId(wanted) ? wanted : sha256Of(Buffer.from(wanted)).slice(0, 32);
  const isTaken = (each: string) => chain.index.byId.has(each) || taken.has(each);
  for (let i = 0; ; i++) {
    const candidate = i === 0 ? id : `${id.slice(0, 180)}~${i}`;
    if (isTaken(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}
