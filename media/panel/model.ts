// What the panel knows of the conversation.
import { childrenOf, layOut, pathOf, turnHeads, type Graph } from '../../src/core/conversation/graph';
import type { PanelLabel, PanelNode } from '../../src/protocol/conversation';

export class PanelModel {
  nodes: PanelNode[] = [];
  leaf = -1;
  selected = -1;
  found: ReadonlySet<number> = new Set();
  readonly labels = new Map<number, PanelLabel>();
  readonly #unfolded = new Set<number>();
  #foldAll = false;
  #graph: Graph | undefined;
  #children: number[][] | undefined;
  #heads: Int32Array | undefined;
  #path: ReadonlySet<number> | undefined;
  #counts: Int32Array | undefined;

  add(from: number, nodes: readonly PanelNode[]): void {
    if (from === 0) {
      this.labels.clear();
      this.#unfolded.clear();
      this.nodes = [];
    }
    this.nodes.length = from;
    for (const node of nodes) this.nodes.push(node);
    this.changed();
  }

  changed(): void {
    this.#graph = this.#children = this.#heads = this.#path = this.#counts = undefined;
  }

  get children(): number[][] {
    return (this.#children ??= childrenOf(this.nodes));
  }

  get heads(): Int32Array {
    return (this.#heads ??= turnHeads(this.nodes, this.children));
  }

  get graph(): Graph {
    return (this.#graph ??= layOut(this.nodes, this.leaf, (head) => this.isFolded(head)));
  }

  /** The path of the leaf. */
  get path(): ReadonlySet<number> {
    return (this.#path ??= new Set(pathOf(this.nodes, this.leaf)));
  }

  isFolded(head: number): boolean {
    return this.#foldAll !== this.#unfolded.has(head);
  }

  /** Nodes of the turn that stand below its first. */
  foldedCount(head: number): number {
    return this.#countsByHead[head] ?? 0;
  }

  get #countsByHead(): Int32Array {
    if (this.#counts !== undefined) return this.#counts;
    const counts = new Int32Array(this.nodes.length);
    this.heads.forEach((head, i) => head !== i && counts[head]!++);
    return (this.#counts = counts);
  }

  toggle(head: number): void {
    if (!this.#unfolded.delete(head)) this.#unfolded.add(head);
    this.#graph = undefined;
  }

  toggleAll(): void {
    this.#foldAll = !this.#foldAll;
    this.#unfolded.clear();
    this.#graph = undefined;
  }

  /** Makes the row of a node visible. */
  unfoldTo(index: number): void {
    const head = this.heads[index]!;
    if (head !== index && this.isFolded(head)) this.toggle(head);
  }

  /** The next of the path: the branch of the leaf, else the first. */
  childOf(index: number): number | undefined {
    const children = this.children[index] ?? [];
    return children.find((child) => this.path.has(child)) ?? children[0];
  }

  /** Across branches: the sibling of the nearest ancestor (or itself) that has one. */
  siblingOf(index: number, step: 1 | -1): number | undefined {
    const roots = this.nodes.flatMap(({ parent }, i) => (parent < 0 ? [i] : []));
    for (let at = index, left = this.nodes.length; at >= 0 && left > 0; at = this.nodes[at]!.parent, left--) {
      const { parent } = this.nodes[at]!;
      const siblings = parent < 0 ? roots : (this.children[parent] ?? []);
      if (siblings.length < 2) continue;
      return siblings[siblings.indexOf(at) + step];
    }
    return undefined;
  }
}
