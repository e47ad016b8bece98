// What is kept in memory of each record of a chain: where it is, and how it hangs together with the others.
import type { CheckpointId } from '../store/ids';
import type { ChainRecord } from './record';

export interface ChainNode extends Omit<ChainRecord, 'messages' | 'summary' | 'dropped' | 'model' | 'usage'> {
  /** Bytes in the file. */
  readonly offset: number;
  readonly length: number;
  /** 1 is the first. */
  readonly line: number;
  /** Messages in the record. */
  readonly own: number;
  /** Index of its last message of a person; -1 without one. */
  readonly lastUser: number;
  readonly hasSummary: boolean;
  readonly files: readonly CheckpointId[];
  /** The line is over the cap: it is kept, and its messages are not read. */
  readonly tooLong: boolean;
  /** Something in the record itself could not be used. */
  readonly isDamaged: boolean;

  // Set by linkNodes.
  /** Index of the parent; -1 at a root. */
  parent: number;
  /** It names a parent that is not there, or that descends from it. */
  orphan: boolean;
  /** The messages up to here are not all known. */
  incomplete: boolean;
  /** A prompt of the person came with it: a turn begins. */
  opensTurn: boolean;
  /** Messages from the root up to here, as far as they are known. */
  total: number;
  /** Bytes of the last full record on the way, and of the deltas since. */
  fullBytes: number;
  deltaBytes: number;
}

/** Finds parents, cuts cycles, and passes down what depends on the way from the root. Linear in the number of nodes. */
export function linkNodes(nodes: readonly ChainNode[], byId: ReadonlyMap<string, number>): void {
  for (const node of nodes) {
    const parent = node.parentId === null ? undefined : byId.get(node.parentId);
    node.parent = parent ?? -1;
    node.orphan = node.parentId !== null && parent === undefined;
  }
  cutCycles(nodes);
  const done = new Uint8Array(nodes.length);
  const way: number[] = [];
  for (let i = 0; i < nodes.length; i++) {
    for (let at = i; at >= 0 && done[at] === 0; at = nodes[at]!.parent) way.push(at);
    while (way.length > 0) {
      const at = way.pop()!;
      done[at] = 1;
      const node = nodes[at]!;
      passDown(node, node.parent < 0 ? undefined : nodes[node.parent]);
    }
  }
}

function passDown(node: ChainNode, parent: ChainNode | undefined): void {
  // Of a whole list, what its parent has is not its own.
  node.opensTurn = node.lastUser >= (node.delta || node.replaces ? 0 : (parent?.total ?? 0));
  const broken = node.tooLong || node.isDamaged;
  if (!node.delta) {
    node.incomplete = broken;
    node.total = node.own;
    node.fullBytes = node.length;
    node.deltaBytes = 0;
    return;
  }
  node.incomplete = broken || node.orphan || parent?.incomplete === true;
  node.total = (parent?.total ?? 0) + node.own;
  node.fullBytes = parent?.fullBytes ?? node.length;
  node.deltaBytes = parent === undefined ? 0 : parent.deltaBytes + node.length;
}

/** The first node in the file of each cycle becomes a root. */
function cutCycles(nodes: readonly ChainNode[]): void {
  // 0 not seen, else the number of the walk that saw it.
  const seen = new Uint32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    if (seen[i] !== 0) continue;
    let at = i;
    while (at >= 0 && seen[at] === 0) {
      seen[at] = i + 1;
      at = nodes[at]!.parent;
    }
    if (at < 0 || seen[at] !== i + 1) continue;
    let first = at;
    for (let next = nodes[at]!.parent; next !== at; next = nodes[next]!.parent) first = Math.min(first, next);
    nodes[first]!.parent = -1;
    nodes[first]!.orphan = true;
  }
}

/** Indices from the root to the node. */
export function pathTo(nodes: readonly ChainNode[], index: number): number[] {
  const path: number[] = [];
  for (let at = index; at >= 0; at = nodes[at]!.parent) path.push(at);
  return path.reverse();
}
