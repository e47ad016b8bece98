// How a conversation is drawn: rows in the order of the file, branches in lanes, turns folded. Pure; the panel uses it.

export interface GraphNode {
  /** Index of the parent; -1 at a root. Not always smaller than the own. */
  readonly parent: number;
  readonly opensTurn: boolean;
}

/** A branch: from the row it leaves its parent at, to its last row. */
export interface Segment {
  readonly lane: number;
  /** Row of the parent that it comes from; -1 at a root. */
  readonly from: number;
  readonly fromLane: number;
  readonly first: number;
  last: number;
}

export interface Graph {
  /** Index of the node of each row. */
  readonly rows: Int32Array;
  /** Of each node; -1 where it is folded away. */
  readonly rowOf: Int32Array;
  /** Of each row. */
  readonly lanes: Int32Array;
  readonly segments: readonly Segment[];
  readonly laneCount: number;
}

/** More branches at once share the last lane. */
export const maxLanes = 24;

export function childrenOf(nodes: readonly GraphNode[]): number[][] {
  const children: number[][] = nodes.map(() => []);
  nodes.forEach(({ parent }, i) => {
    if (parent >= 0 && parent < nodes.length) children[parent]!.push(i);
  });
  return children;
}

/** Indices from the root to the node. */
export function pathOf(nodes: readonly GraphNode[], index: number): number[] {
  const path: number[] = [];
  for (let at = index; at >= 0 && at < nodes.length && path.length <= nodes.length; at = nodes[at]!.parent)
    path.push(at);
  return path.reverse();
}

/** The node that begins the turn of each node: itself, where it is a fork's branch or a root. */
export function turnHeads(nodes: readonly GraphNode[], children: readonly (readonly number[])[]): Int32Array {
  const heads = new Int32Array(nodes.length).fill(-1);
  const way: number[] = [];
  for (let i = 0; i < nodes.length; i++) {
    let at = i;
    while (heads[at] === -1) {
      way.push(at);
      const { parent, opensTurn } = nodes[at]!;
      if (opensTurn || parent < 0 || parent >= nodes.length || children[parent]!.length > 1) {
        heads[at] = at;
        break;
      }
      at = parent;
    }
    const head = heads[at]!;
    while (way.length > 0) heads[way.pop()!] = head;
  }
  return heads;
}

/**
 * @param active index of the leaf that the conversation goes on from; its path is lane 0
 * @param isFolded whether the turn that begins with this node shows only that
 */
export function layOut(nodes: readonly GraphNode[], active: number, isFolded: (head: number) => boolean): Graph {
  const children = childrenOf(nodes);
  const heads = turnHeads(nodes, children);
  const isActive = new Uint8Array(nodes.length);
  for (const index of pathOf(nodes, active)) isActive[index] = 1;
  const rowOf = new Int32Array(nodes.length).fill(-1);
  const rows: number[] = [];
  for (let i = 0; i < nodes.length; i++) {
    if (heads[i] !== i && isFolded(heads[i]!)) continue;
    rowOf[i] = rows.length;
    rows.push(i);
  }
  const shownParent = (index: number) => {
    const { parent } = nodes[index]!;
    return parent < 0 || parent >= nodes.length ? -1 : rowOf[parent]! >= 0 ? parent : heads[parent]!;
  };
  const segments = findSegments(rows, rowOf, isActive, shownParent);
  return { rows: Int32Array.from(rows), rowOf, ...assignLanes(segments, rows.length) };
}

interface Branch {
  readonly rows: number[];
  readonly from: number;
  readonly isActive: boolean;
}

function findSegments(
  rows: readonly number[],
  rowOf: Int32Array,
  isActive: Uint8Array,
  shownParent: (index: number) => number,
): Branch[] {
  const branches: Branch[] = [];
  const branchOf = new Int32Array(rows.length).fill(-1);
  /** Rows whose branch goes on already. */
  const goesOn = new Uint8Array(rows.length);
  rows.forEach((index, row) => {
    const parent = shownParent(index);
    const from = parent < 0 ? -1 : rowOf[parent]!;
    // A parent that comes later in the file is joined from below.
    const before = from >= 0 && from < row ? branchOf[from]! : -1;
    const active = isActive[index] === 1;
    if (before >= 0 && goesOn[from] === 0 && branches[before]!.isActive === active) {
      goesOn[from] = 1;
      branches[before]!.rows.push(row);
      branchOf[row] = before;
      return;
    }
    branchOf[row] = branches.length;
    branches.push({ rows: [row], from, isActive: active });
  });
  return branches;
}

function assignLanes(branches: readonly Branch[], rowCount: number): Pick<Graph, 'lanes' | 'segments' | 'laneCount'> {
  const lanes = new Int32Array(rowCount);
  const segments: Segment[] = [];
  /** Last row of what is in each lane; lane 0 is the active path's. */
  const busyUntil: number[] = [Infinity];
  let laneCount = 1;
  for (const { rows, from, isActive } of branches) {
    const first = rows[0]!;
    const begin = from >= 0 ? Math.min(from + 1, first) : first;
    let lane = 0;
    if (!isActive) {
      lane = 1;
      while (lane < maxLanes - 1 && (busyUntil[lane] ?? -1) >= begin) lane++;
      busyUntil[lane] = rows.at(-1)!;
    }
    laneCount = Math.max(laneCount, lane + 1);
    for (const row of rows) lanes[row] = lane;
    segments.push({ lane, from, fromLane: from >= 0 ? lanes[from]! : lane, first, last: rows.at(-1)! });
  }
  return { lanes, segments, laneCount };
}
