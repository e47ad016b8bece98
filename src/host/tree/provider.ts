// The Checkpoints view: rows on demand, and only what changed is drawn again.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { Disposer } from '../disposable';
import type { LineStats } from '../timeline/stats';
import type { Timeline, TimelineChange } from '../timeline/timeline';
import type { Turn } from '../timeline/turns';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import { RowItems } from './items';
import { node, type EditNode, type FileNode, type Node, type RootNode, type TurnNode } from './nodes';
import { tooltipOf } from './tooltip';

/** Times in the rows are in minutes. */
const clockMs = 60_000;

export class CheckpointTree extends Disposer implements vscode.TreeDataProvider<Node> {
  readonly #changed = this.own(new vscode.EventEmitter<Node | Node[] | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #items: RowItems;
  /** By id, so that a row keeps its object. */
  readonly #roots = new Map<string, RootNode>();
  #turns = new Map<string, TurnNode>();
  /** Whether folder rows are shown at the moment. */
  #folders = false;

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly timeline: Timeline,
    stats: LineStats,
  ) {
    super();
    this.#items = new RowItems(stats, ports.now);
    this.own(timeline.onDidChange((change) => this.#update(change)));
    this.own(stats.onDidCount(({ root, turn }) => this.#redraw([turnId(root, turn)])));
  }

  /** Keeps the times in the rows right while somebody looks. */
  startClock(): vscode.Disposable {
    const timer = setInterval(() => this.#redraw([...this.#turns.keys()]), clockMs);
    return { dispose: () => clearInterval(timer) };
  }

  getTreeItem(element: Node): vscode.TreeItem {
    return this.#items.item(element);
  }

  resolveTreeItem(item: vscode.TreeItem, element: Node): vscode.TreeItem {
    item.tooltip ??= tooltipOf(this.ports, element);
    return item;
  }

  getParent(element: Node): Node | undefined {
    switch (element.type) {
      case 'root':
        return undefined;
      case 'file':
      case 'edit':
        return element.parent;
      default:
        return this.#folders ? this.#rootNode(element.root) : undefined;
    }
  }

  getChildren(element?: Node): Node[] {
    switch (element?.type) {
      case undefined:
        return this.#topRows();
      case 'root':
        return this.#rowsOf(element.root);
      case 'turn':
        return element.turn.files.map((file) => this.#fileNode(element, file));
      case 'file':
        return element.file.edits.length > 1 ? element.file.edits.map((edit) => this.#editNode(element, edit)) : [];
      default:
        return [];
    }
  }

  /** The row of a turn that is loaded. */
  turnNode(root: HostRoot, key: string): TurnNode | undefined {
    const turn = this.timeline.get(root).turns.find((each) => each.key === key);
    return turn && this.#turnNode(root, turn);
  }

  #topRows(): Node[] {
    const filled = this.roots.all.filter((root) => !this.timeline.isEmpty(root));
    this.#folders = filled.length > 1;
    if (this.#folders) return filled.map((root) => this.#rootNode(root));
    return filled[0] ? this.#rowsOf(filled[0]) : [];
  }

  #rowsOf(root: HostRoot): Node[] {
    const { turns, damaged, more } = this.timeline.get(root);
    return [
      ...damaged
        .filter(({ id }) => id === 'store')
        .map((each, i) => node({ type: 'damaged', id: `${root.hash}!store${i}`, root, damaged: each })),
      ...turns.map((turn) => this.#turnNode(root, turn)),
      ...damaged
        .filter(({ id }) => id !== 'store')
        .map((each) => node({ type: 'damaged', id: `${root.hash}!${each.id}`, root, damaged: each })),
      ...(more ? [node({ type: 'more', id: `${root.hash}+`, root })] : []),
    ];
  }

  #rootNode(root: HostRoot): RootNode {
    const known = this.#roots.get(root.hash);
    if (known?.root === root) return known;
    const made = node<RootNode>({ type: 'root', id: root.hash, root });
    this.#roots.set(root.hash, made);
    return made;
  }

  #turnNode(root: HostRoot, turn: Turn): TurnNode {
    const id = turnId(root, turn);
    const known = this.#turns.get(id);
    if (known?.root === root) {
      known.turn = turn;
      return known;
    }
    const made = node<TurnNode>({ type: 'turn', id, root, turn });
    this.#turns.set(id, made);
    return made;
  }

  #fileNode(parent: TurnNode, file: FileNode['file']): FileNode {
    return node({ type: 'file', id: `${parent.id}#${file.path}`, parent, file });
  }

  #editNode(parent: FileNode, edit: EditNode['edit']): EditNode {
    return node({ type: 'edit', id: `${parent.id}#${edit.checkpoint.id}:${edit.entry}`, parent, edit });
  }

  #update({ root, keys }: TimelineChange): void {
    if (keys === undefined) {
      const filled = this.roots.all.filter((each) => this.timeline.isLoaded(each) && !this.timeline.isEmpty(each));
      const known = this.#folders && filled.length > 1 && filled.includes(root) && this.#roots.get(root.hash);
      this.#changed.fire(known && known.root === root ? known : undefined);
      return;
    }
    for (const turn of this.timeline.get(root).turns) if (keys.includes(turn.key)) this.#turnNode(root, turn);
    this.#redraw(keys.map((key) => `${root.hash}/${key}`));
  }

  #redraw(ids: readonly string[]): void {
    const nodes = ids.map((id) => this.#turns.get(id)).filter((each) => each !== undefined);
    if (nodes.length > 0) this.#changed.fire(nodes);
  }
}

const turnId = (root: HostRoot, turn: Turn) => `${root.hash}/${turn.key}`;
