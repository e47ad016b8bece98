// Rebuilding the context of a conversation that is kept as a chain, and keeping what was distilled from it.
import { afterWriters, append } from '../conversation/append';
import type { Chain } from '../conversation/chain';
import type { ConversationNode, Message } from '../conversation/model';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import type { RootStores } from '../store/stores';
import { rebuild, type RebuildOptions, type RebuildResult } from './rebuild';
import { touchedFiles } from './touchedFiles';

export interface ChainRebuildOptions extends Omit<RebuildOptions, 'files' | 'keepByDefault'> {
  /** The node to rebuild up to; default `latest`: where the conversation is now. */
  readonly at?: string | undefined;
  /** How long to wait for a checkpoint that is being written, in ms; default 2000. */
  readonly waitMs?: number | undefined;
}

export interface ChainRebuild extends RebuildResult {
  /** The node up to which it goes; null where the conversation is empty. */
  readonly at: string | null;
}

/**
 * The new context of a conversation. The chain is not changed; a checkpoint that is being written is waited for.
 * @throws CheckpointError `not-found` (the node), `damaged` (unless `partial`), `locked`, `store-refused`, `changed-meanwhile`
 */
export function rebuildChain(
  ports: Ports,
  stores: RootStores,
  chain: Chain,
  options: ChainRebuildOptions = {},
): ChainRebuild {
  const { at = 'latest', waitMs, ...rest } = options;
  afterWriters(ports, stores, chain, waitMs);
  const id = nodeOf(chain, at);
  const path = id === null ? [] : chainPath(chain, id);
  const files: RebuildOptions['files'] = (ids, nodes) => touchedFiles(ports, stores, ids, nodes);
  const { keepTokens: keepByDefault } = readSettings(ports).rebuild;
  return { at: id, ...rebuild(path, { ...rest, keepByDefault, files }) };
}

const nodeOf = (chain: Chain, at: string): string | null =>
  at === 'latest' ? (chain.leaf ?? null) : chain.nodes[chain.indexOf(at)]!.id;

/** The nodes from the root to `id`, with their messages. Errors as {@link Chain.records}. */
export function chainPath(chain: Chain, id: string): ConversationNode[] {
  const ids = chain.path(id);
  const leaf = chain.nodes[chain.indexOf(id)]!;
  return chain.records(ids).map((record, index) => {
    const { orphan, incomplete, delta } = chain.nodes[chain.indexOf(ids[index]!)]!;
    const { delta: _delta, dropped: _dropped, messages, ...node } = record;
    return {
      ...node,
      parentId: ids[index - 1] ?? null,
      messages: messages as unknown as readonly Message[],
      // A whole list; where it only goes on from the parent's, that is found again.
      replaces: !delta && index > 0,
      orphan,
      // What is missing before a whole list does not matter to who has the list.
      incomplete: incomplete && leaf.incomplete,
    };
  });
}

/**
 * Keeps the summary of a rebuilt context in the chain, so that the next rebuild begins with it. The conversation goes
 * on from where it was: the list of messages is the same.
 * @returns the id of the new node; undefined where there is nothing new to keep
 * @throws CheckpointError `locked`, `store-unwritable`, `not-found` where the chain was replaced
 */
export function keepDistilled(
  ports: Ports,
  stores: RootStores,
  chain: Chain,
  rebuilt: ChainRebuild,
): string | undefined {
  const { at, summary, watermark, checkpoint } = rebuilt;
  if (at === null || summary === undefined) return undefined;
  if (checkpoint !== undefined && isKept(chain, checkpoint, rebuilt)) return undefined;
  if (!chain.index.byId.has(at))
    throw new CheckpointError('not-found', `The conversation ${chain.name} no longer has ${at}.`);
  const mark = { index: watermark.index, ...(watermark.id !== null && { id: watermark.id }) };
  const entry = {
    parentId: at,
    messages: [],
    only: 'added',
    kind: 'other',
    summary: { ...summary, watermark: mark },
  } as const;
  // Only where it was distilled at the leaf does the conversation go on behind it.
  const leaf = chain.leaf === at ? undefined : chain.leaf;
  return append(ports, stores, chain, [entry], { leaf })[0];
}

function isKept(chain: Chain, checkpoint: string, { summary, watermark }: ChainRebuild): boolean {
  const kept = chain.record(checkpoint).summary;
  return kept?.text === summary?.text && (kept?.watermark === undefined || kept.watermark.index === watermark.index);
}
