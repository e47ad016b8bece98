// Which records of a session that is a tree of records lead to one of its nodes.
import type { ConversationNode, ConversationTree } from '../../core/conversation/model';
import { CheckpointError } from '../../core/errors';

/** What leads from a record to the one before it. */
export interface RecordLink {
  readonly before: string | undefined;
  /** Where it was written first; 1 is the first line. */
  readonly line: number;
}

export interface TreeCut {
  readonly node: ConversationNode;
  readonly ids: ReadonlySet<string>;
  /** The line of the last of them. */
  readonly lastLine: number;
  /** The record that goes on from here. */
  readonly lastId: string;
}

/**
 * The path to a node, all records of each node on it: the results of parallel calls stand beside each other, and only
 * one of them leads on.
 * @throws CheckpointError `not-found`
 */
export function cutTree(
  tree: ConversationTree,
  recordsByNode: ReadonlyMap<string, readonly string[]>,
  links: ReadonlyMap<string, RecordLink>,
  entry: string,
): TreeCut {
  const nodes = new Map(tree.nodes.map((node) => [node.id, node]));
  const node = tree.nodes.find(({ id }) => id.slice(0, 500) === entry);
  const own = node === undefined ? [] : (recordsByNode.get(node.id) ?? []);
  if (node === undefined || own.length === 0) throw notInTranscript(entry);
  const ids = new Set<string>();
  const passed = new Set<string>();
  for (let at: ConversationNode | undefined = node; at !== undefined && !passed.has(at.id);) {
    passed.add(at.id);
    for (const id of recordsByNode.get(at.id) ?? []) addWithAncestors(ids, links, id);
    at = at.parentId === null ? undefined : nodes.get(at.parentId);
  }
  const lineOf = (id: string) => links.get(id)?.line ?? 0;
  const lastId = own.reduce((last, id) => (lineOf(id) >= lineOf(last) ? id : last));
  return { node, ids, lastLine: lineOf(lastId), lastId };
}

function addWithAncestors(ids: Set<string>, links: ReadonlyMap<string, RecordLink>, from: string): void {
  for (let id: string | undefined = from; id !== undefined && !ids.has(id); id = links.get(id)?.before) {
    if (links.has(id)) ids.add(id);
    else return;
  }
}

export const notInTranscript = (entry: string) =>
  new CheckpointError(
    'not-found',
    `The agent's own record of this conversation no longer has ${JSON.stringify(entry.slice(0, 100))}.`,
  );

/** Calls of the node without a result. */
export function openCalls({ messages }: Pick<ConversationNode, 'messages'>): string[] {
  const answered = new Set(messages.map((message) => message.tool_call_id));
  return messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)).filter((id) => !answered.has(id));
}
