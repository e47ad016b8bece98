// From the nodes of a path to the list of everything that was said on it, with the summaries that lie on the way.
import type { ConversationNode, Message, Summary, Usage } from '../conversation/model';
import { sameMessage, textOf } from './message';
import { overlap } from './overlap';
import { bareSummary, carrierOf, isSummaryMessage } from './summaryMessage';
import { messageTokens, textTokens, usageTokens } from './tokens';

/** A node with a summary, and the index of the first message that its summary does not stand for. */
export interface SummaryPoint {
  readonly nodeId: string;
  readonly text: string;
  readonly by: Summary['by'];
  readonly at: number;
}

export interface Unrolled {
  /** All messages from the root to the leaf, also those that a compaction replaced; no summaries. */
  readonly messages: readonly Message[];
  /** For each message the position in the path of the node that brought it. */
  readonly nodeAt: readonly number[];
  /** A message's id: its own, or `<node>:<index>`; null past the end. */
  readonly idAt: (index: number) => string | null;
  /** The index of a message by its id, where the hint does not say it; -1 where it is not on the path. */
  readonly indexOf: (id: string, hint: number) => number;
  /** From the root on; only those whose watermark is on this path. */
  readonly summaries: readonly SummaryPoint[];
  /** What the agent had in its context: the text of a summary, if there is one, then `messages` from here on. */
  readonly inForce: { readonly from: number; readonly summary: string | undefined };
  /** Tokens that the agent's context took, as far as it said so itself, and an estimate for the rest. */
  readonly tokens: number;
}

/** @returns everything that was said on the way along `path`, from the root to the leaf */
export function unroll(path: readonly ConversationNode[]): Unrolled {
  const way = new Way(path);
  path.forEach((_, position) => way.take(position));
  return way.end();
}

type Bare = Omit<Summary, 'watermark'>;

interface Found extends Omit<SummaryPoint, 'at'> {
  readonly watermark: Summary['watermark'];
  /** The index at which the node itself stands: what a summary without a watermark ends at. */
  readonly here: number;
  /** How many times something had been taken back by then. */
  readonly cuts: number;
}

class Way {
  readonly #path: readonly ConversationNode[];
  readonly #messages: Message[] = [];
  readonly #nodeAt: number[] = [];
  /** By own ids of messages, and by ids of nodes; filled up to #mapped when it is first needed. */
  readonly #indexById = new Map<string, number>();
  #mapped = 0;
  readonly #found: Found[] = [];
  /** Lengths to which the list was cut back, in order. */
  readonly #cuts: number[] = [];
  #from = 0;
  #summary: string | undefined;
  #usage: { tokens: number; after: number } | undefined;

  constructor(path: readonly ConversationNode[]) {
    this.#path = path;
  }

  take(position: number): void {
    const node = this.#path[position]!;
    const { own, summary, isInList } = partsOf(node, this.#summary);
    const isNew = summary !== undefined && (summary.text !== this.#summary || node.summary !== undefined);
    if (node.kind === 'compaction' || (node.replaces === true && isInList && summary?.text !== this.#summary)) {
      this.#compact(node, position, own, summary);
      return;
    }
    const added = node.replaces === true ? this.#goBack(own, isInList) : own;
    if (isNew) this.#note(node, summary, this.#messages.length);
    this.#add(added, position);
    this.#measure(node.usage, added);
  }

  end(): Unrolled {
    const lowest: number[] = [];
    for (let at = this.#cuts.length, low = Infinity; at >= 0; at--)
      lowest[at] = low = Math.min(low, this.#cuts[at] ?? low);
    const summaries = this.#found.flatMap((one) => {
      const at = this.#resolve(one);
      // Where the list was cut back below it later, the summary tells of what is no longer on the path.
      const isStale = at === undefined || at > lowest[one.cuts]!;
      return isStale
        ? []
        : [{ nodeId: one.nodeId, text: one.text, by: one.by, at: Math.min(at, this.#messages.length) }];
    });
    const inForce = { from: Math.min(this.#from, this.#messages.length), summary: this.#summary };
    return {
      messages: this.#messages,
      nodeAt: this.#nodeAt,
      idAt: (index) => this.#idAt(index),
      indexOf: (id, hint) => (this.#idAt(hint) === id ? hint : (this.#find(id) ?? -1)),
      summaries,
      inForce,
      tokens: this.#tokens(),
    };
  }

  /** From here on the agent had a summary and some of its newest messages. */
  #compact(node: ConversationNode, position: number, own: readonly Message[], summary: Bare | undefined): void {
    const kept = node.replaces === true ? overlap(this.#messages, own) : 0;
    const here = this.#messages.length - kept;
    const found = summary && this.#note(node, summary, here, node.replaces === true && own.length > 0);
    this.#from = (found && this.#resolve(found)) ?? here;
    this.#summary = summary?.text;
    this.#add(own.slice(kept), position);
    // What the model said before is about another context.
    this.#usage = undefined;
  }

  /** The list is another one now: keeps what both begin with. @returns what comes after that */
  #goBack(own: readonly Message[], withSummary: boolean): readonly Message[] {
    let same = this.#commonPrefix(this.#from, own);
    if (!withSummary) {
      const fromStart = this.#from === 0 ? same : this.#commonPrefix(0, own);
      if (this.#summary !== undefined || fromStart > same || same === 0) {
        same = fromStart;
        this.#from = 0;
        this.#summary = undefined;
        this.#usage = undefined;
      }
    }
    const length = this.#from + same;
    if (length < this.#messages.length) {
      this.#messages.length = this.#nodeAt.length = length;
      if (this.#mapped > length) {
        this.#mapped = 0;
        this.#indexById.clear();
      }
      this.#cuts.push(length);
      this.#usage = undefined;
    }
    return own.slice(same);
  }

  /** @param isListed the node itself lists what is kept, which says more than its watermark */
  #note(node: ConversationNode, summary: Bare, here: number, isListed = false): Found {
    const watermark = isListed ? undefined : (node.summary?.watermark ?? undefined);
    const found = { nodeId: node.id, ...summary, watermark, here, cuts: this.#cuts.length };
    this.#found.push(found);
    return found;
  }

  #add(messages: readonly Message[], position: number): void {
    for (const message of messages) {
      this.#messages.push(message);
      this.#nodeAt.push(position);
    }
  }

  #idAt(index: number): string | null {
    const message = this.#messages[index];
    if (message === undefined) return null;
    return ownId(message) ?? `${this.#path[this.#nodeAt[index]!]!.id}:${index}`;
  }

  #find(id: string): number | undefined {
    const index = Number(/:(\d{1,15})$/.exec(id)?.[1] ?? -1);
    if (this.#idAt(index) === id) return index;
    for (; this.#mapped < this.#messages.length; this.#mapped++) {
      const node = this.#path[this.#nodeAt[this.#mapped]!]!;
      // Agents that name an entry mean what it holds.
      for (const name of [ownId(this.#messages[this.#mapped]!), node.id, node.source?.entry]) {
        if (name !== undefined && !this.#indexById.has(name)) this.#indexById.set(name, this.#mapped);
      }
    }
    return this.#indexById.get(id);
  }

  #measure(usage: Usage | undefined, added: readonly Message[]): void {
    const tokens = usageTokens(usage);
    if (tokens === undefined) return;
    // It was said with the last message of the assistant; results that follow were not read yet.
    const last = added.findLastIndex(({ role }) => role === 'assistant');
    const unread = last < 0 ? 0 : added.length - last - 1;
    this.#usage = { tokens, after: this.#messages.length - unread };
  }

  #tokens(): number {
    let tokens = this.#usage?.tokens ?? textTokens(this.#summary ?? '');
    for (let at = this.#usage?.after ?? this.#from; at < this.#messages.length; at++) {
      tokens += messageTokens(this.#messages[at]!);
    }
    return tokens;
  }

  #commonPrefix(from: number, own: readonly Message[]): number {
    const most = Math.min(own.length, this.#messages.length - from);
    let same = 0;
    while (same < most && sameMessage(this.#messages[from + same]!, own[same]!)) same++;
    return same;
  }

  /** The index that a watermark stands for, perhaps past the end; undefined where its message is not on the path. */
  #resolve({ watermark, here }: Found): number | undefined {
    if (watermark === undefined) return here;
    const index = Number.isFinite(watermark.index) ? Math.max(0, Math.floor(watermark.index)) : undefined;
    if (typeof watermark.id !== 'string' || watermark.id === '') return index ?? here;
    return index !== undefined && this.#idAt(index) === watermark.id ? index : this.#find(watermark.id);
  }
}

const ownId = ({ id }: Message): string | undefined => (typeof id === 'string' && id !== '' ? id : undefined);

/** A summary is no message of the conversation: it is told apart, so that it is replaced and never nested. */
function partsOf(node: ConversationNode, inForce: string | undefined): Parts {
  const given: unknown = node.summary?.text;
  const text = typeof given === 'string' ? bareSummary(given) : '';
  const isList = node.kind === 'compaction' || node.replaces === true;
  // A list that is written whole begins with the summary that the agent still has.
  const carrier = isList ? carrierOf(node.messages, text || (inForce ?? '')) : -1;
  const carried = node.messages.findLast(isSummaryMessage);
  const isInList = carrier >= 0 || carried !== undefined;
  const own = isInList
    ? node.messages.filter((message, at) => at !== carrier && !isSummaryMessage(message))
    : node.messages;
  if (text !== '') return { own, isInList, summary: { text, by: node.summary!.by } };
  const found = carried !== undefined ? bareSummary(textOf(carried)) : carrier >= 0 ? inForce : undefined;
  return { own, isInList, summary: found === undefined ? undefined : { text: found, by: 'agent' } };
}

interface Parts {
  /** The messages without what brings a summary. */
  readonly own: readonly Message[];
  readonly summary: Bare | undefined;
  /** A message of the node brings it. */
  readonly isInList: boolean;
}
