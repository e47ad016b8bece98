// Nodes while they are built, and what all readers do with them.
import type { ConversationNode, ConversationTree, Message, Summary, ToolCall, Usage } from './model';

export interface BuiltNode {
  id: string;
  parent: BuiltNode | undefined;
  kind: ConversationNode['kind'];
  messages: Message[];
  ts?: string | undefined;
  replaces?: boolean | undefined;
  summary?: Summary | undefined;
  usage?: Usage | undefined;
  model?: string | undefined;
  entry?: string | undefined;
  sidechain?: boolean | undefined;
  orphan?: boolean | undefined;
  incomplete?: boolean | undefined;
}

export interface Source {
  readonly agent: string;
  readonly session: string;
}

/** Ids that are given twice get a number, so that each node has its own. */
export class NodeIds {
  private readonly taken = new Set<string>();

  take(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.taken.has(id); n++) id = `${wanted}#${n}`;
    this.taken.add(id);
    return id;
  }
}

/** Copies: a tree that was handed out does not change when the reading goes on. */
export function treeFrom(
  source: Source,
  nodes: readonly BuiltNode[],
  leaf: BuiltNode | undefined,
  more: Pick<ConversationTree, 'title' | 'cwd'> = {},
): ConversationTree {
  const inside = new Set(nodes);
  return {
    nodes: nodes.map((node) => finished(source, node, inside)),
    ...(leaf !== undefined && inside.has(leaf) && { leaf: leaf.id }),
    damaged: [],
    ...(more.title !== undefined && { title: more.title }),
    ...(more.cwd !== undefined && { cwd: more.cwd }),
  };
}

function finished({ agent, session }: Source, node: BuiltNode, inside: ReadonlySet<BuiltNode>): ConversationNode {
  const { id, parent, kind, messages, entry, ...rest } = node;
  const there = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== false));
  return {
    id,
    parentId: parent !== undefined && inside.has(parent) ? parent.id : null,
    kind,
    messages: [...messages],
    ...there,
    source: { agent, session, ...(entry !== undefined && { entry }) },
    files: [],
  };
}

/** The calls that a node's messages make. */
export const callsOf = (node: BuiltNode): ToolCall[] => node.messages.flatMap(({ tool_calls = [] }) => [...tool_calls]);

/** Puts the result of a call into its node: in place of an earlier one for the same call. */
export function putResult(node: BuiltNode, result: Message): void {
  const at = node.messages.findIndex(({ role, tool_call_id: id }) => role === 'tool' && id === result.tool_call_id);
  if (at < 0) node.messages.push(result);
  else node.messages[at] = result;
}

/** A title out of a prompt: its first line that says something. */
export function titleOf(prompt: string | undefined): string | undefined {
  const line = prompt
    ?.slice(0, 4000)
    .split(/[\r\n]/)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .find((text) => text !== '' && !/^<[^>]*>?$/.test(text));
  return line === undefined ? undefined : line.slice(0, 200).toWellFormed();
}
