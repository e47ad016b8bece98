// A session of pi that begins with a part of another one, or with given messages.
import path from 'node:path';
import { interrupted } from '../../core/context/repair';
import { strictMessages } from '../../core/context/strict';
import type { Message } from '../../core/conversation/model';
import { idOf, recordOf, textOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { firstRecords } from '../../core/conversation/transcriptPlaces';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { ForkFormat, Known, NewSession } from '../fork/format';
import { timedUuid } from '../fork/newId';
import { eachSourceRecord } from '../fork/sourceRecords';
import { cutTree, openCalls, type RecordLink } from '../fork/treeCut';
import { piBuilder, sessionsFolder } from './transcript';

const agent = 'pi';

export const piForks: ForkFormat = {
  agent,
  folder: (_ports, places) => sessionsFolder(places),
  newId: timedUuid,
  file(folder, { id, cwd, now }, known) {
    const name = `${new Date(now).toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
    const project = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
    return path.join(known === undefined ? path.join(folder, project) : path.dirname(known.file), name);
  },
  *copy(ports, known, entry, session) {
    const { cut, names } = readCut(ports, known, entry);
    const lines: string[] = [];
    eachSourceRecord(ports, known.file, ({ record, line, text }) => {
      const id = entryId(record, line);
      if (record.type !== 'session' && id !== undefined && cut.ids.has(id)) lines.push(text);
    });
    yield JSON.stringify(headerOf(firstRecords(ports, known.file), session, known.file));
    yield* lines;
    let parent = cut.lastId;
    for (const call of openCalls(cut.node)) {
      const result = { role: 'tool', content: interrupted, tool_call_id: call, is_error: true } as const;
      const made = entryOf(session, parent, resultOf(result, names.get(call), session));
      parent = made.id;
      yield JSON.stringify(made);
    }
  },
  *write(ports, messages, session, known) {
    const records = known === undefined ? [] : firstRecords(ports, known.file);
    yield JSON.stringify(headerOf(records, session, known?.file));
    const { api, provider, model } = recordOf(
      records.map(({ message }) => recordOf(message)).findLast(({ role }) => role === 'assistant'),
    );
    const names = new Map<string, string>();
    let parent: string | null = null;
    for (const message of strictMessages(messages)) {
      const stored = storedMessage(message, names, session, { api, provider, model });
      if (stored === undefined) continue;
      const made: Entry = entryOf(session, parent, stored);
      parent = made.id;
      yield JSON.stringify(made);
    }
  },
  start: (_session, file) => ({ program: 'pi', args: ['--session', file] }),
};

/** Of version 1 entries are known by their line, as our reader of them does it. */
const entryId = (record: JsonRecord, line: number) =>
  textOf(record.type) === undefined ? undefined : (idOf(record.id) ?? `line-${line}`);

function readCut(ports: Ports, { file, session }: Known, entry: string) {
  const builder = piBuilder({ agent, session });
  const links = new Map<string, RecordLink>();
  const names = new Map<string, string>();
  let last: string | undefined;
  let tooLong: number | undefined;
  const add = (record: JsonRecord, line: number) => {
    builder.add(record, line);
    const id = entryId(record, line);
    if (record.type === 'session' || id === undefined) return;
    const before = idOf(record.id) === undefined ? last : idOf(record.parentId);
    if (!links.has(id)) links.set(id, { before, line });
    last = id;
  };
  eachSourceRecord(
    ports,
    file,
    ({ record, line }) => add(record, line),
    (line) => (tooLong ??= line),
  );
  const cut = cutTree(builder.tree(), builder.recordsByNode(), links, entry);
  if (tooLong !== undefined && tooLong <= cut.lastLine)
    throw new CheckpointError('damaged', `Line ${tooLong} of ${file} is too long to be copied.`);
  for (const { tool_calls: calls = [] } of cut.node.messages) for (const { id, name } of calls) names.set(id, name);
  return { cut, names };
}

function headerOf(records: readonly JsonRecord[], session: NewSession, from: string | undefined): JsonRecord {
  const known = records.find(({ type }) => type === 'session') ?? { version: 3 };
  return {
    ...known,
    type: 'session',
    id: session.id,
    timestamp: new Date(session.now).toISOString(),
    cwd: textOf(known.cwd) ?? session.cwd,
    ...(from !== undefined && { parentSession: from }),
  };
}

interface Entry extends JsonRecord {
  readonly id: string;
}

/** Short ids, as pi makes them. */
const entryOf = (session: NewSession, parentId: string | null, message: JsonRecord): Entry => ({
  type: 'message',
  id: session.fresh().replaceAll('-', '').slice(0, 8),
  parentId,
  timestamp: new Date(session.now).toISOString(),
  message,
});

function storedMessage(
  message: Message,
  names: Map<string, string>,
  session: NewSession,
  like: JsonRecord,
): JsonRecord | undefined {
  const { role, content, tool_calls: calls = [], tool_call_id: answered } = message;
  const text = content.trim() === '' ? [] : [{ type: 'text', text: content }];
  if (role === 'user') return { role, content: text, timestamp: session.now };
  if (role === 'tool') return resultOf(message, names.get(answered ?? ''), session);
  if (role !== 'assistant') return undefined;
  for (const { id, name } of calls) names.set(id, name);
  const made = calls.map(({ id, name, arguments: input }) => {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    return { type: 'toolCall', id, name, arguments: isObject ? input : { input } };
  });
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost };
  return {
    role,
    content: [...text, ...made],
    ...like,
    usage,
    stopReason: calls.length > 0 ? 'toolUse' : 'stop',
    timestamp: session.now,
  };
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

const resultOf = (message: Message, toolName: string | undefined, { now }: NewSession): JsonRecord => ({
  role: 'toolResult',
  toolCallId: message.tool_call_id,
  toolName: toolName ?? 'unknown',
  content: [{ type: 'text', text: message.content }],
  isError: message.is_error === true,
  timestamp: now,
});
