// Gemini CLI's chats: a list of messages that later lines change, replace or cut. What was cut is still in the file, so
// it is shown as a branch that was left.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Message } from '../../core/conversation/model';
import type { TranscriptReader } from '../../core/conversation/transcript';
import { treeOf, type TreeBuilder } from '../../core/conversation/transcriptFollow';
import {
  idOf,
  isRecord,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import { putResult, titleOf, type BuiltNode, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import {
  filesIn,
  firstRecords,
  folderFrom,
  foldersIn,
  head,
  sessionsFrom,
} from '../../core/conversation/transcriptPlaces';
import { followDocuments, parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import { argumentsOf } from '../../core/conversation/transcriptJson';
import { blocksOf, isEmpty, messageOf, toolMessage, usageOf } from '../messageBlocks';
import { followSubagents } from '../subagentFiles';

const agent = 'gemini';

export const geminiTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const tmp = path.join(folderFrom(places, 'GEMINI_CLI_HOME', '.'), '.gemini', 'tmp');
    const folders = foldersIn(ports, tmp);
    const hashes = new Map(places.roots?.map((root) => [createHash('sha256').update(root).digest('hex'), root]));
    const files = folders.flatMap((dir) =>
      filesIn(ports, path.join(dir, 'chats'), (name) => /^session-.*\.jsonl?$/.test(name)),
    );
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const project = path.dirname(path.dirname(file));
      const records = firstRecords(ports, file);
      const [header] = records;
      const said = head(ports, path.join(project, '.project_root'), 4096).toString('utf8').trim();
      const cwd = said !== '' ? said : hashes.get(textOf(header?.projectHash) ?? path.basename(project));
      const messages = [...records, ...records.flatMap((record) => messagesOf(record))];
      const prompts = messages
        .filter(({ type }) => type === 'user')
        .map(({ content }) => titleOf(blocksOf(content).text));
      const title = prompts.find((text) => text !== undefined && !text.startsWith('<'));
      const startedAt = timeOf(header?.startTime ?? header?.timestamp);
      return {
        session: idOf(header?.sessionId) ?? path.basename(file).replace(/\.jsonl?$/, ''),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(startedAt !== undefined && { startedAt }),
      };
    });
  },
  read(ports, { file, session }, previous) {
    const source = { agent, session };
    if (file.endsWith('.json')) {
      const build = () => {
        const builder = geminiBuilder(source);
        builder.add({ $set: recordOf(parseDocument(readDocument(ports, file))) }, 1);
        return treeOf(builder, []);
      };
      return followDocuments(ports, [file], build, previous);
    }
    const dir = path.join(path.dirname(file), session.replace(/[^\w.-]/g, '_'));
    return followSubagents(ports, file, dir, () => geminiBuilder(source), previous);
  },
};

const messagesOf = ({ $set, messages }: JsonRecord) => recordsOf(recordOf($set).messages ?? messages);

export function geminiBuilder(source: Source): TreeBuilder {
  const chat = new Chat(source);
  return {
    add(record, line) {
      const rewind = record.$rewindTo;
      if (rewind !== undefined) chat.rewind(textOf(rewind));
      else if (isRecord(record.$set) || Array.isArray(record.messages)) {
        const set = recordOf(record.$set ?? record);
        if (Array.isArray(set.messages)) chat.replaceAll(recordsOf(set.messages), line);
      } else chat.message(record, line);
    },
    tree: () => chat.passes.tree(),
  };
}

interface Listed {
  readonly id: string;
  readonly node: BuiltNode;
  /** It made the node; else it only holds results. */
  readonly said: boolean;
}

const isSaid = (record: JsonRecord, id: string) =>
  ['user', 'gemini', 'model'].includes(textOf(record.type) ?? '') && messagesIn(record, id).messages.length > 0;

class Chat {
  readonly passes: Passes;
  /** The ids of the messages that count now, with the node that each is in. */
  private list: Listed[] = [];
  private nodes = new Map<string, BuiltNode>();

  constructor(source: Source) {
    this.passes = new Passes(source);
  }

  message(record: JsonRecord, line: number): void {
    if (!['user', 'gemini', 'model'].includes(textOf(record.type) ?? '')) return;
    const id = idOf(record.id) ?? `line-${line}`;
    const known = this.nodes.get(id);
    const { messages, results } = messagesIn(record, id);
    if (known !== undefined) {
      // Written again, now with its calls or their results.
      const sameRole = messages[0] !== undefined && known.messages[0]?.role === messages[0].role;
      if (sameRole && known.kind === 'pass') this.passes.replace(known, [...messages, ...laterResults(known)]);
      for (const result of results) this.put(result, known);
      return;
    }
    const node = messages.length > 0 ? this.passes.add(messages, detailsOf(record, id)) : this.callerOf(results);
    for (const result of results) this.put(result, node);
    const held = node ?? this.passes.leaf;
    if (held === undefined) return;
    this.list.push({ id, node: held, said: node !== undefined && messages.length > 0 });
    this.nodes.set(id, held);
  }

  private callerOf(results: readonly Message[]): BuiltNode | undefined {
    return results.map(({ tool_call_id: id }) => this.passes.callerOf(id ?? '')).find((node) => node !== undefined);
  }

  private put(result: Message, node: BuiltNode | undefined): void {
    const caller = this.passes.callerOf(result.tool_call_id ?? '') ?? node;
    if (caller !== undefined) putResult(caller, result);
    else this.passes.add([result], { id: `result-${result.tool_call_id}`, kind: 'other' });
  }

  /** That message and all behind it are taken out; an unknown one takes out all, as the agent does it. */
  rewind(id: string | undefined): void {
    const at = this.list.findIndex((one) => one.id === id);
    this.setList(at < 0 ? [] : this.list.slice(0, at));
    this.passes.leaf = this.list.at(-1)?.node;
  }

  private setList(list: Listed[]): void {
    this.list = list;
    this.nodes = new Map(list.map(({ id, node }) => [id, node]));
  }

  replaceAll(records: readonly JsonRecord[], line: number): void {
    const ids = records.map((record, i) => idOf(record.id) ?? `line-${line}-${i}`);
    // Messages that only hold results are written in several ways: they do not tell lists apart.
    const wanted = [...new Set(ids.filter((id, i) => isSaid(records[i]!, id)))];
    const there = this.list.filter(({ said }) => said).map(({ id }) => id);
    if (there.every((id, i) => wanted[i] === id)) {
      records.forEach((record, i) => this.message({ ...record, id: ids[i] }, line));
    } else if (wanted.every((id, i) => there[i] === id)) {
      this.rewind(there[wanted.length]);
    } else {
      const messages = records.flatMap((record, i) => {
        const one = messagesIn(record, ids[i]!);
        return [...one.messages, ...one.results];
      });
      const [first] = messages;
      const node = this.passes.compaction(
        withoutRepeated(messages),
        { text: first?.content ?? '', by: 'agent' },
        { id: `line-${line}` },
      );
      this.setList(wanted.map((id) => ({ id, node, said: true })));
    }
  }
}

/** The first result of each call. */
function withoutRepeated(messages: readonly Message[]): Message[] {
  const seen = new Set<string>();
  return messages.filter(({ role, tool_call_id: id = '' }) => role !== 'tool' || (!seen.has(id) && seen.add(id)));
}

const laterResults = (node: BuiltNode) => node.messages.filter(({ role }) => role === 'tool');

function detailsOf(record: JsonRecord, id: string) {
  const tokens = recordOf(record.tokens);
  const context = /^\s*<session_context>/.test(blocksOf(record.content).text);
  return {
    id,
    ts: timeOf(record.timestamp),
    model: textOf(record.model),
    usage: usageOf([tokens.input], tokens.output),
    kind: context ? ('other' as const) : ('pass' as const),
  };
}

function messagesIn(record: JsonRecord, id: string): { messages: Message[]; results: Message[] } {
  const ts = timeOf(record.timestamp);
  const blocks = blocksOf(record.content);
  if (record.type === 'user') {
    const results = blocks.results.map((result) => ({ ...result, ts }));
    return { messages: isEmpty(blocks) && results.length > 0 ? [] : [messageOf('user', blocks, { id, ts })], results };
  }
  const calls = recordsOf(record.toolCalls);
  const own = calls.map((call) => ({
    id: idOf(call.id) ?? '',
    name: textOf(call.name) ?? 'unknown',
    arguments: argumentsOf(call.args),
  }));
  const thoughts = recordsOf(record.thoughts).map(({ subject, description }) => ({
    type: 'thought',
    text: [textOf(subject), textOf(description)].filter((text) => text !== undefined).join('\n'),
  }));
  const all = { ...blocks, calls: own.length > 0 ? own : blocks.calls, reasoning: [...blocks.reasoning, ...thoughts] };
  const results = calls.flatMap((call) => {
    if (call.result === undefined || call.result === null) return [];
    const [given] = blocksOf(call.result).results;
    return [
      {
        ...(given ?? toolMessage(call.id, call.result)),
        tool_call_id: idOf(call.id) ?? '',
        ...(call.status === 'error' && { is_error: true }),
        ts: timeOf(call.timestamp) ?? ts,
      },
    ];
  });
  return { messages: [messageOf('assistant', all, { id, ts })], results };
}
