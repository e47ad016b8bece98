// The event log that Copilot writes, in VS Code and on the command line: a straight chain of small events.
import {
  argumentsOf,
  idOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../core/conversation/transcriptJson';
import type { TreeBuilder } from '../core/conversation/transcriptFollow';
import { titleOf, type BuiltNode, type Source } from '../core/conversation/transcriptNodes';
import { Passes } from '../core/conversation/transcriptPasses';
import type { Told } from '../core/conversation/transcriptPlaces';
import type { ToolCall } from '../core/conversation/model';
import { blocksOf, messageOf, toolMessage, usageOf } from './messageBlocks';

export function eventsBuilder(source: Source): TreeBuilder {
  const log = new EventLog(source);
  return { add: (record, line) => log.add(record, line), tree: () => log.passes.tree() };
}

/** What the beginning of a log tells. */
export function toldByEvents(records: readonly JsonRecord[]): Told {
  const start = recordOf(records.find(({ type }) => type === 'session.start')?.data);
  const prompt = recordOf(records.find(({ type }) => type === 'user.message')?.data);
  const cwd = textOf(recordOf(start.context).cwd);
  const title = titleOf(textOf(prompt.content));
  const startedAt = timeOf(start.startTime);
  return {
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

class EventLog {
  readonly passes: Passes;
  private readonly byEvent = new Map<string, BuiltNode>();
  private model: string | undefined;
  private usage: ReturnType<typeof usageOf>;

  constructor(source: Source) {
    this.passes = new Passes(source);
  }

  add(record: JsonRecord, line: number): void {
    const data = recordOf(record.data);
    const event = idOf(record.id);
    const details = { id: event ?? `line-${line}`, ts: timeOf(record.timestamp) };
    const before = this.passes.leaf;
    this.take(textOf(record.type), data, details);
    if (event !== undefined && this.passes.leaf !== undefined && this.passes.leaf !== before)
      this.byEvent.set(event, this.passes.leaf);
  }

  private take(type: string | undefined, data: JsonRecord, details: { id: string; ts: string | undefined }): void {
    const side = textOf(data.parentToolCallId) !== undefined && { sidechain: true };
    switch (type) {
      case 'session.start':
        this.passes.cwd ??= textOf(recordOf(data.context).cwd);
        this.model = textOf(data.selectedModel) ?? this.model;
        return;
      case 'session.model_change':
        this.model = textOf(data.newModel) ?? this.model;
        return;
      case 'session.title_changed':
        this.passes.title = titleOf(textOf(data.title)) ?? this.passes.title;
        return;
      case 'session.usage_record':
      case 'assistant.usage': {
        const usage = recordOf(data.usage ?? data);
        this.usage = usageOf([usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens], usage.outputTokens);
        return;
      }
      case 'user.message':
        this.passes.add([messageOf('user', blocksOf(data.content), details)], { ...details, ...side });
        return;
      case 'assistant.message': {
        const { usage, model } = { usage: this.usage, model: textOf(data.model) ?? this.model };
        this.usage = undefined;
        const calls = recordsOf(data.toolRequests).map(({ toolCallId, name, arguments: input }) =>
          callOf(toolCallId, name, input),
        );
        const reasoning = textOf(data.reasoningText);
        const blocks = {
          ...blocksOf(data.content),
          calls,
          reasoning: reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }],
        };
        this.passes.add([messageOf('assistant', blocks, details)], { ...details, ...side, usage, model });
        return;
      }
      case 'tool.execution_start':
        this.callStarted(callOf(data.toolCallId, data.toolName, data.arguments), details);
        return;
      case 'tool.execution_complete':
        this.callEnded(data, details);
        return;
      case 'session.compaction_complete': {
        const text = textOf(data.summaryContent);
        if (data.success !== false && text !== undefined)
          this.passes.compaction([messageOf('user', blocksOf(text), details)], { text, by: 'agent' }, details);
        return;
      }
      case 'session.snapshot_rewind': {
        // That message and what follows is taken back; it stays as a branch.
        const from = this.byEvent.get(textOf(data.upToEventId) ?? '');
        if (from !== undefined) this.passes.leaf = from.parent;
        return;
      }
    }
  }

  /** A call is usually told before by the message that asks for it. */
  private callStarted(call: ToolCall, details: { id: string; ts: string | undefined }): void {
    if (this.passes.callerOf(call.id) !== undefined) return;
    const { leaf } = this.passes;
    if (leaf?.messages[0]?.role === 'assistant') this.passes.addCall(leaf, call);
    else this.passes.add([messageOf('assistant', { ...blocksOf(''), calls: [call] }, details)], details);
  }

  private callEnded(
    { toolCallId, result, error, success }: JsonRecord,
    details: { id: string; ts: string | undefined },
  ): void {
    const { content, text_result_for_llm: text, textResultForLlm } = recordOf(result);
    const said =
      textOf(content) ??
      textOf(text) ??
      textOf(textResultForLlm) ??
      textOf(result) ??
      textOf(recordOf(error).message) ??
      '';
    this.passes.result({ ...toolMessage(toolCallId, said, success === false), ts: details.ts }, details);
  }
}

const callOf = (id: unknown, name: unknown, input: unknown): ToolCall => ({
  id: idOf(id) ?? '',
  name: textOf(name) ?? 'unknown',
  arguments: argumentsOf(input),
});
