// A new context from a conversation: one summary, then everything from a watermark on, word for word. Pure.
import type { ConversationNode, Message, Summary } from '../conversation/model';
import { defaultKeepTokens } from '../state/settings';
import type { CheckpointId } from '../store/ids';
import { CheckpointError } from '../errors';
import { digest, type TouchedFile } from './digest';
import { legalCut, pairs } from './pairs';
import { repaired } from './repair';
import { bareSummary, summaryMessage } from './summaryMessage';
import { messageTokens, sumTokens } from './tokens';
import { unroll, type SummaryPoint, type Unrolled } from './unroll';

export interface RebuildOptions {
  /** Keep about so many tokens of the newest messages, whatever checkpoint there is. */
  readonly keepTokens?: number | undefined;
  /** So many where neither that nor a checkpoint tells; default {@link defaultKeepTokens}. */
  readonly keepByDefault?: number | undefined;
  /** The first message to keep; goes before `keepTokens`. */
  readonly watermark?: { readonly id?: string | null | undefined; readonly index: number } | undefined;
  /** A summary to use in place of the one on the path or the digest. */
  readonly summary?: { readonly text: string; readonly by: Summary['by'] } | undefined;
  /** Work with what is left of a damaged path. */
  readonly partial?: boolean | undefined;
  /** What is known of the files that these checkpoints captured, for the digest. */
  readonly files?:
    ((ids: readonly CheckpointId[], nodes: readonly ConversationNode[]) => readonly TouchedFile[]) | undefined;
}

export interface RebuildFigures {
  /** The summary came from a checkpoint (a node with a summary) on the path. */
  readonly fromCheckpoint: boolean;
  /** The first message that is kept. Its id is null where none is kept. */
  readonly watermark: { readonly id: string | null; readonly index: number };
  /** Messages that the summary stands for. */
  readonly summarizedCount: number;
  /** Messages from the watermark on. */
  readonly keptCount: number;
  /** Estimates. `tokensBefore` is what the agent had in its context at this point. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** There was nothing to do: `messages` is the list as it was. */
  readonly noOp: boolean;
}

export interface RebuildResult extends RebuildFigures {
  readonly messages: readonly Message[];
  /** The text of the summary in `messages`, without what stands around it; absent where there is none. */
  readonly summary?: { readonly text: string; readonly by: Summary['by'] };
  /** The node whose summary was used. */
  readonly checkpoint?: string;
}

export interface RebuildEvent extends RebuildFigures {
  readonly reason: 'rebuild';
}

/** For surfaces that show what happened. */
export function event(result: RebuildFigures): RebuildEvent {
  const { fromCheckpoint, watermark, summarizedCount, keptCount, tokensBefore, tokensAfter, noOp } = result;
  return { reason: 'rebuild', fromCheckpoint, watermark, summarizedCount, keptCount, tokensBefore, tokensAfter, noOp };
}

/**
 * @param path the nodes from the root to the leaf; nothing in it is changed
 * @throws CheckpointError `damaged` where not all messages of the path are known, unless `partial`
 */
export function rebuild(path: readonly ConversationNode[], options: RebuildOptions = {}): RebuildResult {
  if (options.partial !== true) requireWhole(path);
  const all = unroll(path);
  const { messages } = all;
  const lead = leadingSystem(messages);
  const callOf = pairs(messages);
  const cut = Math.max(lead, legalCut(messages, callOf, wantedCut(all, messages, options)));
  const base = baseOf(all, cut, options);
  const isCompaction = all.summaries.length === 0;
  if (isCompaction && cut === lead && options.summary === undefined) return unchanged(all, messages);

  const kept = repaired(messages.slice(cut));
  const summary = summaryOf(path, all, { cut, lead, base }, options);
  const list = [...messages.slice(0, lead), ...(summary === undefined ? [] : [summaryMessage(summary.text)]), ...kept];
  return {
    messages: list,
    fromCheckpoint: base !== undefined && (options.summary === undefined || options.summary.by === 'agent'),
    watermark: { id: all.idAt(cut), index: cut },
    summarizedCount: cut - lead,
    keptCount: kept.length,
    tokensBefore: all.tokens,
    tokensAfter: sumTokens(list),
    noOp: false,
    ...(summary !== undefined && { summary }),
    ...(base !== undefined && { checkpoint: base.nodeId }),
  };
}

function requireWhole(path: readonly ConversationNode[]): void {
  // What was before a full list does not matter for it.
  const begin = Math.max(
    0,
    path.findLastIndex(({ replaces }) => replaces === true),
  );
  const damaged = path
    .slice(begin)
    .find((node) => node.incomplete === true || (node.orphan === true && node.replaces !== true));
  if (damaged === undefined) return;
  throw new CheckpointError(
    'damaged',
    `Not all messages up to ${damaged.id} are known: the conversation's record is damaged. Choose an earlier point, or ask for what is left of it (partial).`,
  );
}

function leadingSystem(messages: readonly Message[]): number {
  const at = messages.findIndex(({ role }) => role !== 'system');
  return at < 0 ? messages.length : at;
}

function wantedCut(
  all: Unrolled,
  messages: readonly Message[],
  { watermark, keepTokens, keepByDefault }: RebuildOptions,
): number {
  const end = messages.length;
  if (watermark !== undefined) {
    const byId = typeof watermark.id !== 'string' ? -1 : all.indexOf(watermark.id, watermark.index);
    const index = byId >= 0 ? byId : watermark.index;
    return Number.isFinite(index) ? Math.min(end, Math.max(0, Math.floor(index))) : end;
  }
  const newest = newestOf(all.summaries);
  if (keepTokens === undefined && newest !== undefined) return newest.at;
  return tailOf(messages, keepTokens ?? keepByDefault ?? defaultKeepTokens);
}

/** The summary of the deepest node. */
const newestOf = (summaries: readonly SummaryPoint[]): SummaryPoint | undefined => summaries.at(-1);

/** Where the newest messages begin that take up the tokens. */
function tailOf(messages: readonly Message[], keepTokens: number): number {
  let at = messages.length;
  for (let tokens = 0; at > 0 && tokens < keepTokens; at--) tokens += messageTokens(messages[at - 1]!);
  return at;
}

/** The summary to begin with: the newest that stands for nothing that is kept word for word. */
function baseOf(all: Unrolled, cut: number, { keepTokens, watermark }: RebuildOptions): SummaryPoint | undefined {
  // The cut of a checkpoint's own watermark may have moved back: that what is kept overlaps its summary does no harm.
  if (keepTokens === undefined && watermark === undefined) return newestOf(all.summaries);
  return all.summaries.findLast(({ at }) => at <= cut);
}

function summaryOf(
  path: readonly ConversationNode[],
  all: Unrolled,
  { cut, lead, base }: { cut: number; lead: number; base: SummaryPoint | undefined },
  options: RebuildOptions,
): RebuildResult['summary'] {
  if (options.summary !== undefined) return { text: bareSummary(options.summary.text), by: options.summary.by };
  const begin = Math.max(lead, base?.at ?? lead);
  if (base !== undefined && begin >= cut) return { text: base.text, by: base.by };
  if (begin >= cut) return undefined;
  const part = all.messages.slice(begin, cut);
  const nodes = [...new Set(all.nodeAt.slice(begin, cut))].map((at) => path[at]!);
  const ids = [...new Set(nodes.flatMap(({ files }) => files))];
  const files = options.files?.(ids, nodes);
  return {
    text: digest(part, { earlier: base?.text, files }),
    by: 'digest',
  };
}

function unchanged(all: Unrolled, messages: readonly Message[]): RebuildResult {
  const list = repaired(messages);
  const lead = leadingSystem(messages);
  return {
    messages: list,
    fromCheckpoint: false,
    watermark: { id: all.idAt(lead), index: lead },
    summarizedCount: 0,
    keptCount: list.length - lead,
    tokensBefore: all.tokens,
    tokensAfter: list === messages ? all.tokens : sumTokens(list),
    noOp: list === messages,
  };
}
