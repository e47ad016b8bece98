// What the panel is told of a chain: nodes as they are read, labels and messages for what is looked at.
import { diffStats } from '../../core/diff/stats';
import { addedMessages, labelOf, shownMessage, type ShownMessage } from '../../core/conversation/shown';
import type { StoredMessage } from '../../core/conversation/record';
import type { Ports } from '../../core/ports';
import { displayPath } from '../../core/restore/relativePath';
import type { CheckpointId } from '../../core/store/ids';
import { findCheckpoint } from '../../core/store/reader';
import type { PanelLabel, PanelNode, ToPanel } from '../../protocol/conversation';
import type { ConversationSource } from '../conversations/source';
import { readBlobOrNothing } from './fileBytes';

/** Nodes in one message. */
const batch = 5000;
const maxChips = 6;

export class PanelFeed {
  #sent = 0;
  /** The list that was sent; another one means that the file was replaced. */
  #list: unknown;
  #wasDone = false;

  constructor(
    private readonly ports: Ports,
    private readonly source: ConversationSource,
  ) {}

  /** Everything again: the page was loaded anew. */
  reset(): void {
    this.#list = undefined;
  }

  /** What is new since the last time. */
  *updates(): Generator<ToPanel> {
    const { chain, isDone } = this.source;
    const { nodes } = chain.index;
    // Parents and turns are only right once all is read.
    const isNew = this.#list !== nodes || nodes.length < this.#sent || (isDone && !this.#wasDone);
    let from = isNew ? 0 : this.#sent;
    if (isNew && nodes.length === 0) yield { type: 'nodes', from: 0, nodes: [] };
    for (; from < nodes.length; from += batch) {
      yield { type: 'nodes', from, nodes: nodes.slice(from, from + batch).map((_, i) => this.#node(from + i)) };
    }
    this.#list = nodes;
    this.#sent = nodes.length;
    this.#wasDone = isDone;
    yield this.state();
    if (isDone) yield { type: 'damage', damaged: chain.index.damaged.slice(0, 200) };
  }

  state(): ToPanel {
    const { chain, isDone, problem, percent, name } = this.source;
    const leaf = isDone ? chain.leaf : undefined;
    return {
      type: 'state',
      title: name,
      place: { root: this.source.root.hash, name },
      agent: chain.nodes.find((node) => node.source !== undefined)?.source?.agent ?? '',
      leaf: leaf === undefined ? -1 : (chain.index.byId.get(leaf) ?? -1),
      done: isDone,
      percent,
      damaged: chain.index.damageCount,
      ...(problem !== undefined && { problem }),
    };
  }

  #node(index: number): PanelNode {
    const { chain, isDone } = this.source;
    const node = chain.nodes[index]!;
    const early = node.parentId === null ? undefined : chain.index.byId.get(node.parentId);
    return {
      id: node.id,
      parent: isDone ? node.parent : early !== undefined && early < index ? early : -1,
      ts: node.ts,
      messages: node.own,
      opensTurn: node.opensTurn,
      kind: node.kind,
      files: node.files.length,
      ...(node.incomplete && { incomplete: true }),
      ...(node.orphan && { orphan: true }),
      ...(node.sidechain && { sidechain: true }),
    };
  }

  labels(indices: readonly number[]): PanelLabel[] {
    return indices.flatMap((index) => {
      const node = this.source.chain.nodes[index];
      if (node === undefined) return [];
      try {
        const { messages, summary } = this.#record(index);
        return [{ index, ...labelOf(messages, node.kind, summary), files: this.#chips(node.files) }];
      } catch {
        return [
          {
            index,
            text: node.tooLong ? '(too long to show)' : '(cannot be read)',
            who: 'other' as const,
            tools: [],
            files: [],
          },
        ];
      }
    });
  }

  /** What the node added. @throws as {@link Chain.record} */
  messages(index: number): ShownMessage[] {
    return this.#record(index).messages.map(shownMessage);
  }

  #record(index: number): { messages: readonly StoredMessage[]; summary: string | undefined } {
    const { chain } = this.source;
    const node = chain.nodes[index]!;
    const record = chain.record(node.id);
    return { messages: addedMessages(record, node, chain.nodes[node.parent]), summary: record.summary?.text };
  }

  #chips(files: readonly CheckpointId[]): PanelLabel['files'] {
    return files.slice(0, maxChips).flatMap((id) => {
      try {
        const { store, meta } = findCheckpoint(this.ports, this.source.root.stores, id);
        return meta.entries.slice(0, maxChips).map(({ path, pre, post }) => {
          const [before, after] = [pre, post].map((state) => readBlobOrNothing(this.ports, store, id, state));
          const { added, removed } = before && after ? diffStats(before, after) : { added: 0, removed: 0 };
          return { path: displayPath(path).slice(0, 500), added, removed };
        });
      } catch {
        // Pruned since: the conversation still names it.
        return [];
      }
    });
  }
}
