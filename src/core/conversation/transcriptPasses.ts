// A conversation that is written as a list: each message follows the one before, until something goes back.
import type { ConversationTree, Message, Summary, ToolCall } from './model';
import { callsOf, NodeIds, putResult, titleOf, treeFrom, type BuiltNode, type Source } from './transcriptNodes';

export type PassDetails = Partial<Pick<BuiltNode, 'ts' | 'model' | 'usage' | 'entry' | 'sidechain' | 'kind'>> & {
  /** The agent's own id of it, else something that stays the same when the file is read again. */
  readonly id: string;
};

export class Passes {
  /** The node that the next one follows. */
  leaf: BuiltNode | undefined;
  cwd: string | undefined;
  title: string | undefined;
  private readonly nodes: BuiltNode[] = [];
  private readonly byId = new Map<string, BuiltNode>();
  private readonly ids = new NodeIds();
  private readonly callers = new Map<string, BuiltNode>();
  private firstPrompt: string | undefined;

  constructor(readonly source: Source) {}

  /** A node under the leaf, which becomes the leaf. */
  add(messages: readonly Message[], { id, ...details }: PassDetails): BuiltNode {
    const node: BuiltNode = {
      id: this.ids.take(id),
      parent: this.leaf,
      kind: 'pass',
      messages: [...messages],
      entry: id,
      ...details,
    };
    this.nodes.push(node);
    this.byId.set(node.id, node);
    this.leaf = node;
    for (const call of callsOf(node)) this.callers.set(call.id, node);
    const [first] = messages;
    if (first?.role === 'user' && node.kind === 'pass') this.firstPrompt ??= titleOf(first.content);
    return node;
  }

  /** The context was replaced: what follows builds on these messages only. */
  compaction(messages: readonly Message[], summary: Summary | undefined, details: PassDetails): BuiltNode {
    const node = this.add(messages, { ...details, kind: 'compaction' });
    node.replaces = true;
    node.summary = summary;
    return node;
  }

  /** A further call of an assistant's message that is already there. */
  addCall(node: BuiltNode, call: ToolCall): void {
    const at = node.messages.findIndex(({ role }) => role === 'assistant');
    const { tool_calls = [], ...message } = node.messages[at] ?? { role: 'assistant', content: '' };
    const changed: Message = { ...message, tool_calls: [...tool_calls, call] };
    if (at < 0) node.messages.unshift(changed);
    else node.messages[at] = changed;
    this.callers.set(call.id, node);
  }

  /** By its id in the tree. */
  get(id: string): BuiltNode | undefined {
    return this.byId.get(id);
  }

  callerOf(callId: string): BuiltNode | undefined {
    return this.callers.get(callId);
  }

  /** A call's result, put to its call; where nobody made that call, a node of its own. */
  result(message: Message, details: PassDetails): BuiltNode {
    const caller = message.tool_call_id === undefined ? undefined : this.callers.get(message.tool_call_id);
    if (caller === undefined) return this.add([message], { ...details, kind: 'other' });
    putResult(caller, message);
    return caller;
  }

  /** Replaces a node's messages, as agents do that write a message again when it grows. */
  replace(node: BuiltNode, messages: readonly Message[]): void {
    node.messages = [...messages];
    for (const call of callsOf(node)) this.callers.set(call.id, node);
  }

  /** How many messages the path to the leaf has. */
  pathLength(): number {
    let length = 0;
    for (let node = this.leaf; node !== undefined; node = node.parent) length += node.messages.length;
    return length;
  }

  tree(): ConversationTree {
    return treeFrom(this.source, this.nodes, this.leaf, { title: this.title ?? this.firstPrompt, cwd: this.cwd });
  }
}
