// The rows of the Checkpoints view. A node stays the same object as long as its row is there, so that VS Code keeps
// its place; what it stands for is replaced under it.
import type { Damaged } from '../../core/store/reader';
import type { Edit, Turn, TurnFile } from '../timeline/turns';
import type { HostRoot } from '../workspaceRoots';

export interface RootNode {
  readonly type: 'root';
  readonly id: string;
  readonly root: HostRoot;
}

export interface TurnNode {
  readonly type: 'turn';
  readonly id: string;
  readonly root: HostRoot;
  turn: Turn;
}

export interface FileNode {
  readonly type: 'file';
  readonly id: string;
  readonly parent: TurnNode;
  file: TurnFile;
}

export interface EditNode {
  readonly type: 'edit';
  readonly id: string;
  readonly parent: FileNode;
  edit: Edit;
}

export interface DamagedNode {
  readonly type: 'damaged';
  readonly id: string;
  readonly root: HostRoot;
  /** Its id is `store` where the store as a whole is refused. */
  readonly damaged: Damaged;
}

export interface MoreNode {
  readonly type: 'more';
  readonly id: string;
  readonly root: HostRoot;
}

export type Node = RootNode | TurnNode | FileNode | EditNode | DamagedNode | MoreNode;

/** Commands get their arguments from anywhere: only our own nodes pass. */
export function isNode<T extends Node['type']>(
  value: unknown,
  ...types: readonly T[]
): value is Extract<Node, { type: T }> {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('id' in value)) return false;
  return known.has(value) && (types as readonly unknown[]).includes(value.type);
}

const known = new WeakSet<object>();

export function node<T extends Node>(made: T): T {
  known.add(made);
  return made;
}
