// One rollout as passes of the model.
import type { Json, Message } from '../../core/conversation/model';
import type { TreeBuilder } from '../../core/conversation/transcriptFollow';
import {
  argumentsOf,
  countOf,
  idOf,
  listOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import type { BuiltNode, Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { blocksOf, messageOf, toolMessage, usageOf } from '../messageBlocks';
import { isContext } from './context';

interface Details {
  readonly id: string;
  readonly ts: string | undefined;
}

export class Rollout implements TreeBuilder {
  private readonly passes: Passes;
  private model: string | undefined;
  /** The pass that further parts of the model's answer belong to. */
  private open: BuiltNode | undefined;
  /** A message that was told by an event or as an item, and may come the other way as well. */
  private told: { role: string; text: string; by: 'event' | 'item' } | undefined;
  private prompts: BuiltNode[] = [];
  private missing = false;
  private sidechain = false;
  private inherited = false;
  private prefix = '';

  constructor(source: Source) {
    this.passes = new Passes(source);
  }

  /** What this one builds on is not there. */
  historyIsMissing(): void {
    this.missing = true;
  }

  /** Takes the lines of an earlier rollout first. */
  inherit(feed: (add: (record: JsonRecord, line: number) => void) => void): void {
    this.inherited = true;
    this.prefix += 'base-';
    feed((record, line) => this.add(record, line));
    this.prefix = this.prefix.slice('base-'.length);
    this.inherited = false;
    this.open = this.told = undefined;
  }

  add(record: JsonRecord, line: number): void {
    // The oldest files have the items themselves as lines.
    const enveloped = record.payload !== undefined;
    const item = enveloped ? recordOf(record.payload) : record;
    const type = enveloped ? textOf(record.type) : this.typeOfBare(record);
    const details = { id: idOf(item.id) ?? `${this.prefix}line-${line}`, ts: timeOf(record.timestamp) };
    if (type === 'session_meta') this.meta(item);
    else if (type === 'turn_context') {
      this.passes.cwd ??= textOf(item.cwd);
      this.model = textOf(item.model) ?? this.model;
    } else if (type === 'response_item') this.item(item, details);
    else if (type === 'event_msg') this.event(item, details);
    else if (type === 'compacted') this.compacted(item, details);
    else if (type === 'token_usage_record') this.used(recordOf(item.usage));
  }

  /** By its id in the tree, as far as it has been read. */
  nodeOf(id: string): BuiltNode | undefined {
    return this.passes.get(id);
  }

  tree() {
    const tree = this.passes.tree();
    if (!this.missing) return tree;
    return {
      ...tree,
      nodes: tree.nodes.map((node) => ({ ...node, incomplete: true, ...(node.parentId === null && { orphan: true }) })),
    };
  }

  private typeOfBare(record: JsonRecord): string {
    return record.type === undefined && record.role === undefined ? 'session_meta' : 'response_item';
  }

  private meta(item: JsonRecord): void {
    this.passes.cwd ??= textOf(item.cwd);
    if (this.inherited) return;
    if (recordOf(item.source).subagent !== undefined || idOf(item.parent_thread_id) !== undefined)
      this.sidechain = true;
  }

  private node(messages: readonly Message[], details: Details, more: { kind?: BuiltNode['kind'] } = {}): BuiltNode {
    return this.passes.add(messages, { ...details, ...more, ...(this.sidechain && { sidechain: true }) });
  }

  private item(item: JsonRecord, details: Details): void {
    switch (item.type) {
      case 'message':
        this.said(textOf(item.role) ?? '', item.content, details, 'item');
        return;
      case 'reasoning': {
        const text = recordsOf(item.summary)
          .map((part) => textOf(part.text) ?? '')
          .join('\n');
        const signature = textOf(item.encrypted_content);
        const block = {
          type: 'reasoning',
          ...(text !== '' && { text }),
          ...(signature !== undefined && { signature }),
        };
        const message = this.openMessage(
          details,
          ({ content, tool_calls }) => content === '' && tool_calls === undefined,
        );
        this.change(message, {
          ...message.said,
          reasoning: { blocks: [...(message.said.reasoning?.blocks ?? []), block] },
        });
        return;
      }
      case 'function_call':
        this.call(item.call_id ?? item.id, item.name, argumentsOf(item.arguments), details);
        return;
      case 'custom_tool_call':
        this.call(item.call_id ?? item.id, item.name, textOf(item.input) ?? null, details);
        return;
      case 'local_shell_call':
        this.call(item.call_id ?? item.id, 'local_shell', argumentsOf(item.action), details);
        return;
      case 'web_search_call':
        this.call(item.id ?? details.id, 'web_search', argumentsOf(item.action), details);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const { content, success } = recordOf(item.output);
        this.passes.result(
          { ...toolMessage(item.call_id, content ?? item.output, success === false), ts: details.ts },
          details,
        );
        this.open = undefined;
        return;
      }
    }
  }

  private event(item: JsonRecord, details: Details): void {
    switch (item.type) {
      case 'user_message':
        this.said('user', item.message, details, 'event');
        return;
      case 'agent_message':
        this.said('assistant', item.message, details, 'event');
        return;
      case 'token_count':
        this.used(recordOf(recordOf(item.info).last_token_usage));
        return;
      case 'thread_rolled_back':
        this.rollBack(countOf(item.num_turns) ?? 0);
        return;
    }
  }

  /** One message comes as an event and as an item, in either order. */
  private said(role: string, content: unknown, details: Details, by: 'event' | 'item'): void {
    if (role !== 'user' && role !== 'assistant') return;
    const blocks = blocksOf(content);
    const { told } = this;
    if (told !== undefined && told.role === role && told.by !== by && told.text.trim() === blocks.text.trim()) {
      this.told = undefined;
      return;
    }
    const said = messageOf(role, blocks, details);
    this.told = { role, text: blocks.text, by };
    if (role === 'user') {
      this.open = undefined;
      const context = isContext(blocks.text);
      const node = this.node([said], details, context ? { kind: 'other' } : {});
      if (!context) this.prompts.push(node);
      return;
    }
    const message = this.openMessage(
      details,
      ({ content: text, tool_calls }) => text === '' && tool_calls === undefined,
    );
    this.change(message, { ...said, ...(message.said.reasoning && { reasoning: message.said.reasoning }) });
  }

  private call(id: unknown, name: unknown, input: Json, details: Details): void {
    const { node } = this.openMessage(details, () => true);
    this.passes.addCall(node, { id: idOf(id) ?? '', name: textOf(name) ?? 'unknown', arguments: input });
    this.told = undefined;
  }

  /** The assistant's message that is still growing, or a new one. */
  private openMessage(details: Details, fits: (said: Message) => boolean): { node: BuiltNode; said: Message } {
    const said = this.open?.messages[0];
    if (this.open !== undefined && said?.role === 'assistant' && fits(said)) return { node: this.open, said };
    const empty: Message = {
      role: 'assistant',
      content: '',
      id: details.id,
      ...(details.ts !== undefined && { ts: details.ts }),
    };
    this.open = this.node([empty], details);
    this.open.model = this.model;
    return { node: this.open, said: empty };
  }

  private change({ node }: { node: BuiltNode }, said: Message): void {
    node.messages[0] = said;
  }

  /** Told when an answer is complete: what comes then belongs to the next one. */
  private used(usage: JsonRecord): void {
    const figures = usageOf([usage.input_tokens], usage.output_tokens);
    const node = this.open ?? this.passes.leaf;
    if (figures !== undefined && node?.messages[0]?.role === 'assistant') node.usage = figures;
    this.open = undefined;
  }

  /** Back before the last prompts; what followed them stays as a branch. */
  private rollBack(turns: number): void {
    const count = Math.min(turns, this.prompts.length);
    if (count < 1) return;
    const [first] = this.prompts.splice(this.prompts.length - count);
    this.passes.leaf = first!.parent;
    this.open = this.told = undefined;
  }

  private compacted(item: JsonRecord, details: Details): void {
    const text = textOf(item.message) ?? '';
    const before = this.passes.pathLength();
    const history = listOf(item.replacement_history).map(recordOf);
    const messages = history.flatMap((one): Message[] => {
      const blocks = blocksOf(one.content);
      if (one.type === 'function_call_output' || one.type === 'custom_tool_call_output')
        return [toolMessage(one.call_id, one.output)];
      if (one.role !== 'user' && one.role !== 'assistant') return [];
      return [messageOf(one.role, blocks)];
    });
    const list = messages.length > 0 ? messages : [messageOf('user', blocksOf(text), details)];
    this.passes.compaction(list, { text, by: 'agent', watermark: { index: before } }, details);
    this.open = this.told = undefined;
    this.prompts = [];
  }
}
