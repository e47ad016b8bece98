// A conversation that is written as records with an id and a parent each: any number of them make one node, some none,
// and what they say of each other may be wrong.
import type { ConversationTree, Message, Summary, Usage } from './model';
import { callsOf, NodeIds, putResult, titleOf, treeFrom, type BuiltNode, type Source } from './transcriptNodes';

export interface TreeRecord {
  readonly id: string;
  readonly parent: string | null;
  /**
   * `none`: it only passes its parent on. `more`: it belongs to the node before it. `summary`: it belongs to the
   * boundary before it; without one it is a boundary by itself.
   */
  readonly role: 'user' | 'assistant' | 'result' | 'more' | 'other' | 'boundary' | 'summary' | 'none';
  readonly messages: readonly Message[];
  /** Records of one message of the model share it. */
  readonly group?: string | undefined;
  readonly ts?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly sidechain?: boolean | undefined;
  /** Of a boundary: the record that the summary stands behind, where that is not the parent. */
  readonly behind?: string | undefined;
  readonly summary?: Summary | undefined;
  /** Of a boundary: what stays after the summary: the named records, or all of the path from one on. */
  readonly keep?: { readonly ids: readonly string[] } | { readonly from: string } | undefined;
}

/** Records that are looked at on the way up; a chain between a message and its summary is short. */
const maxSteps = 200;
/** Compactions of one conversation, the newest ones, for which is worked out what they kept. */
const maxKept = 200;

interface Held {
  record: TreeRecord;
  parent: Held | undefined;
  /** Of a boundary: what it stands behind, as it was when the boundary was written. */
  behind: Held | undefined;
  node?: BuiltNode | undefined;
  /** Kept over a compaction: the record stands elsewhere as well. */
  readonly copied?: true;
}

export class IdTree {
  cwd: string | undefined;
  title: string | undefined;
  /** The id of the record that the conversation goes on from, as far as the agent says it. */
  leaf: string | undefined;
  private readonly byId = new Map<string, Held>();
  private readonly all: Held[] = [];

  constructor(readonly source: Source) {}

  get lastId(): string | undefined {
    return this.all.at(-1)?.record.id;
  }

  add(record: TreeRecord): void {
    const parent = record.parent === null ? undefined : this.byId.get(record.parent);
    const behind = record.behind === undefined ? undefined : this.byId.get(record.behind);
    const known = this.byId.get(record.id);
    if (known === undefined) {
      const held: Held = { record, parent, behind };
      this.byId.set(record.id, held);
      this.all.push(held);
    } else if (parent !== undefined && parent !== known.parent && this.isBehindBoundary(parent, known)) {
      // Kept over a compaction: it is written again below the summary, and stays where it was as well.
      const copy: Held = { record: { ...record, role: 'more' }, parent, behind, copied: true };
      this.byId.set(record.id, copy);
      this.all.push(copy);
    } else {
      // Written again, as on a resume: the last one counts, at the place of the first.
      known.record = record;
      known.parent = parent;
      known.behind = behind;
    }
  }

  private isBehindBoundary(from: Held, original: Held): boolean {
    let steps = maxSteps;
    for (let held: Held | undefined = from; held !== undefined && steps-- > 0; held = held.parent) {
      if (held === original) return false;
      if (held.copied === true || held.record.role === 'boundary') return true;
    }
    return false;
  }

  tree(): ConversationTree {
    this.originals = undefined;
    // What came before its parent finds it now.
    for (const held of this.all) {
      held.node = undefined;
      if (held.parent === undefined && held.record.parent !== null) held.parent = this.byId.get(held.record.parent);
    }
    const nodes = this.group();
    this.join(nodes);
    breakCycles(nodes.map(({ node }) => node));
    const boundaries = nodes.filter(({ node }) => node.kind === 'compaction').slice(-maxKept);
    for (const { node, first } of boundaries) this.keep(node, first);
    const prompt = nodes.find(({ first }) => first.record.role === 'user')?.node.messages[0]?.content;
    return treeFrom(
      this.source,
      nodes.map(({ node }) => node),
      this.leafNode(),
      { title: this.title ?? titleOf(prompt), cwd: this.cwd },
    );
  }

  /** The ids of the records that make each node of the tree that was built last, in the order of the file. */
  recordsByNode(): Map<string, string[]> {
    const records = new Map<string, string[]>();
    for (const { node, record } of this.all) {
      if (node === undefined) continue;
      const known = records.get(node.id);
      if (known === undefined) records.set(node.id, [record.id]);
      else known.push(record.id);
    }
    return records;
  }

  /** Which records make a node together. */
  private group(): { node: BuiltNode; first: Held }[] {
    const nodes: { node: BuiltNode; first: Held }[] = [];
    const ids = new NodeIds();
    const groups = new Map<string, BuiltNode>();
    const callers = new Map<string, BuiltNode>();
    const nodeAbove = upwards();
    for (const held of this.all) {
      const { record } = held;
      if (record.role === 'none') continue;
      const above = nodeAbove(held);
      const joined = this.joins(held, above, groups, callers);
      const node = joined ?? {
        id: ids.take(record.id),
        parent: undefined,
        kind: kindOf(record),
        messages: [],
        entry: record.id,
      };
      held.node = node;
      if (joined === undefined) nodes.push({ node, first: held });
      addTo(node, record, joined !== undefined);
      if (record.group !== undefined) groups.set(record.group, node);
      for (const call of callsOf(node)) callers.set(call.id, node);
    }
    return nodes;
  }

  private joins(
    { record, parent }: Held,
    above: BuiltNode | undefined,
    groups: ReadonlyMap<string, BuiltNode>,
    callers: ReadonlyMap<string, BuiltNode>,
  ): BuiltNode | undefined {
    if (record.role === 'assistant') {
      const node = record.group === undefined ? undefined : groups.get(record.group);
      return node !== undefined && node === above ? node : undefined;
    }
    if (record.role === 'more') return above;
    if (record.role === 'summary') return above?.kind === 'compaction' ? above : undefined;
    if (record.role !== 'result') return undefined;
    const called = record.messages.map(({ tool_call_id: id }) => (id === undefined ? undefined : callers.get(id)));
    const node = called.find((found) => found !== undefined);
    // A result whose parent is not told belongs to its call all the same.
    return node !== undefined && (node === above || parent === undefined) ? node : undefined;
  }

  private join(nodes: readonly { node: BuiltNode; first: Held }[]): void {
    const nodeAbove = upwards();
    for (const { node, first } of nodes) {
      const { record } = first;
      const behind = first.behind ?? (record.behind === undefined ? undefined : this.byId.get(record.behind));
      const above = behind === undefined ? nodeAbove(first) : (behind.node ?? nodeAbove(behind));
      node.parent = above === node ? undefined : above;
      const named = record.behind ?? record.parent;
      const lost = named !== null && behind === undefined && first.parent === undefined;
      if (lost || above === node || first.parent === first) node.orphan = true;
      if (record.sidechain === true) node.sidechain = true;
    }
  }

  /** What the agent keeps verbatim after a summary. */
  private keep(node: BuiltNode, { record }: Held): void {
    const { keep } = record;
    const path: BuiltNode[] = [];
    for (let above = node.parent; above !== undefined; above = above.parent) path.push(above);
    path.reverse();
    const before = path.flatMap(({ messages, replaces }) => (replaces === true ? [] : messages));
    let first = before.length;
    let id: string | undefined;
    if (keep !== undefined) {
      const from = 'from' in keep ? this.nodeBefore(keep.from) : undefined;
      const kept =
        'ids' in keep ? new Set(keep.ids.map((one) => this.nodeBefore(one))) : new Set<BuiltNode | undefined>();
      const start = 'from' in keep ? path.findIndex((one) => one === from) : path.findIndex((one) => kept.has(one));
      const rest = start < 0 ? [] : path.slice(start).filter((one) => 'from' in keep || kept.has(one));
      // More than the summary: what is kept was written again behind it.
      const written = node.messages.length > 1;
      for (const { messages, replaces } of rest) if (!written && replaces !== true) node.messages.push(...messages);
      const [head] = rest.flatMap(({ messages }) => messages);
      if (head !== undefined) {
        first = before.indexOf(head);
        id = head.id;
      }
    }
    const [said] = node.messages;
    const summary: Summary = record.summary ?? { text: said?.content ?? '', by: 'agent' };
    node.summary = { ...summary, watermark: { ...(id !== undefined && { id }), index: Math.max(0, first) } };
  }

  /** The node of a record as it was before a compaction wrote it again. */
  private nodeBefore(id: string): BuiltNode | undefined {
    return (this.originals ??= firstOnes(this.all)).get(id)?.node;
  }

  private originals: Map<string, Held> | undefined;

  private leafNode(): BuiltNode | undefined {
    const said = this.leaf === undefined ? undefined : this.byId.get(this.leaf);
    const own = said?.node ?? (said === undefined ? undefined : upwards()(said));
    const newest = this.all.findLast(({ node, record }) => node !== undefined && record.sidechain !== true);
    return own ?? (newest ?? this.all.findLast(({ node }) => node !== undefined))?.node;
  }
}

function firstOnes(all: readonly Held[]): Map<string, Held> {
  const first = new Map<string, Held>();
  for (const held of all) if (!first.has(held.record.id)) first.set(held.record.id, held);
  return first;
}

const kindOf = ({ role }: TreeRecord): BuiltNode['kind'] =>
  role === 'boundary' || role === 'summary' ? 'compaction' : role === 'user' || role === 'assistant' ? 'pass' : 'other';

/** Finds the nearest node above a record; what only passes its parent on is walked once. */
function upwards(): (held: Held) => BuiltNode | undefined {
  const found = new Map<Held, BuiltNode | undefined>();
  return (held) => {
    const way = new Set<Held>();
    let node: BuiltNode | undefined;
    for (let above = held.parent; above !== undefined && above !== held && !way.has(above); above = above.parent) {
      node = above.node ?? found.get(above);
      if (node !== undefined || found.has(above)) break;
      way.add(above);
    }
    for (const passed of way) found.set(passed, node);
    return node;
  };
}

function addTo(node: BuiltNode, record: TreeRecord, joined: boolean): void {
  for (const message of record.messages) {
    const last = node.messages.findLast(({ role }) => role === 'assistant');
    if (message.role === 'tool') putResult(node, message);
    else if (message.role === 'assistant' && joined && last !== undefined && record.role === 'assistant') {
      node.messages[node.messages.indexOf(last)] = merged(last, message);
    } else node.messages.push(message);
  }
  node.ts ??= record.ts;
  node.model ??= record.model;
  node.usage = record.usage ?? node.usage;
  if (node.kind === 'compaction') node.replaces = true;
}

/** One message of the model that was written block by block. */
function merged(a: Message, b: Message): Message {
  const blocks = [...(a.reasoning?.blocks ?? []), ...(b.reasoning?.blocks ?? [])];
  const calls = [...(a.tool_calls ?? []), ...(b.tool_calls ?? [])];
  const attachments = [...(a.attachments ?? []), ...(b.attachments ?? [])];
  return {
    ...b,
    ...a,
    content: [a.content, b.content].filter((text) => text !== '').join('\n\n'),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(blocks.length > 0 && { reasoning: { blocks } }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Of a ring of parents, the first in the file becomes a root. */
function breakCycles(nodes: readonly BuiltNode[]): void {
  const order = new Map(nodes.map((node, i) => [node, i]));
  const settled = new Set<BuiltNode>();
  for (const start of nodes) {
    const way = new Set<BuiltNode>();
    let node: BuiltNode | undefined = start;
    while (node !== undefined && !settled.has(node) && !way.has(node)) {
      way.add(node);
      node = node.parent;
    }
    if (node !== undefined && way.has(node)) {
      const ring = [...way].slice([...way].indexOf(node));
      const first = ring.reduce((a, b) => (order.get(b)! < order.get(a)! ? b : a));
      first.parent = undefined;
      first.orphan = true;
    }
    for (const passed of way) settled.add(passed);
  }
}
