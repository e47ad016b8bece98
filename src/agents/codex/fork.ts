// A rollout of Codex that begins with a part of another one, or with given messages.
import path from 'node:path';
import { strictMessages } from '../../core/context/strict';
import { interrupted } from '../../core/context/repair';
import type { Message } from '../../core/conversation/model';
import { idOf, recordOf, textOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { firstRecords } from '../../core/conversation/transcriptPlaces';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { ForkFormat, Known, NewSession } from '../fork/format';
import { timedUuid } from '../fork/newId';
import { eachSourceRecord } from '../fork/sourceRecords';
import { withTopLevel } from '../fork/topLevel';
import { notInTranscript, openCalls } from '../fork/treeCut';
import { Rollout } from './rollout';
import { codexHome, historyOf } from './transcript';

const agent = 'codex';

export const codexForks: ForkFormat = {
  agent,
  folder: (_ports, places) => path.join(codexHome(places), 'sessions'),
  newId: timedUuid,
  file(folder, { id, now }) {
    const [day, time] = localTime(now);
    return path.join(folder, ...day.split('-'), `rollout-${day}T${time}-${id}.jsonl`);
  },
  *copy(ports, known, entry, session) {
    const { lines, header, unanswered } = readCut(ports, known, entry);
    let ordinal = 0;
    yield JSON.stringify(headerOf(header, session, known.session));
    for (const text of lines) yield withTopLevel(text, { ordinal: String(++ordinal) });
    for (const { id, type } of unanswered) {
      const payload = { type: `${type}_output`, call_id: id, output: interrupted };
      yield JSON.stringify(item(session, ++ordinal, payload));
    }
  },
  *write(ports, messages, session, known) {
    const header = known === undefined ? undefined : firstRecords(ports, known.file)[0];
    let ordinal = 0;
    yield JSON.stringify(headerOf(header, session, known?.session));
    for (const payload of itemsOf(strictMessages(messages))) yield JSON.stringify(item(session, ++ordinal, payload));
  },
  start: ({ id }) => ({ program: 'codex', args: ['resume', id] }),
};

type CallType = 'function_call' | 'custom_tool_call';

/** All lines up to the last one that added to the entry, those of the rollouts that it builds on first. */
function readCut(ports: Ports, { file, session }: Known, entry: string) {
  const rollout = new Rollout({ agent, session });
  const lines: string[] = [];
  const types = new Map<string, CallType>();
  let header: JsonRecord | undefined;
  let end = 0;
  let seen = '';
  const take = (record: JsonRecord, text: string) => {
    const isHeader = record.type === 'session_meta' || (record.type === undefined && record.role === undefined);
    if (isHeader) header = record;
    else lines.push(text);
    const call = recordOf(record.payload ?? record);
    if (call.type === 'custom_tool_call') types.set(idOf(call.call_id) ?? '', 'custom_tool_call');
    const now = stateOf(rollout.nodeOf(entry)?.messages);
    if (now !== seen) end = lines.length;
    seen = now;
  };
  const { before, isMissing } = historyOf(ports, file);
  if (isMissing) {
    throw new CheckpointError('damaged', `${file} builds on a conversation of Codex that is not there any more.`);
  }
  for (const base of before) {
    rollout.inherit((add) =>
      eachSourceRecord(ports, base.file, ({ record, line, text }) => {
        if (typeof record.ordinal === 'number' && record.ordinal >= base.endOrdinal) return;
        add(record, line);
        take(record, text);
      }),
    );
  }
  eachSourceRecord(ports, file, ({ record, line, text }) => {
    rollout.add(record, line);
    take(record, text);
  });
  const node = rollout.nodeOf(entry);
  if (node === undefined || end === 0) throw notInTranscript(entry);
  const unanswered = openCalls(node).map((id) => ({ id, type: types.get(id) ?? ('function_call' as const) }));
  return { lines: lines.slice(0, end), header, unanswered };
}

/** Differs when something came to a message: it grows by its calls, and by their results behind it. */
function stateOf(messages: readonly Message[] | undefined): string {
  const [first] = messages ?? [];
  if (messages === undefined || first === undefined) return '';
  return [messages.length, first.content.length, first.tool_calls?.length, first.reasoning?.blocks.length].join(' ');
}

/** Nothing in it leads back to what the other session was built on: all of it is here. */
function headerOf(known: JsonRecord | undefined, session: NewSession, from: string | undefined): JsonRecord {
  const timestamp = new Date(session.now).toISOString();
  const isBare = known !== undefined && known.payload === undefined;
  const {
    history_base: _base,
    forked_from_ordinal_exclusive: _ordinal,
    ...meta
  } = recordOf(isBare ? known : known?.payload);
  const payload = {
    originator: 'codex_cli_rs',
    cli_version: '0.0.0',
    source: 'cli',
    ...meta,
    ...(meta.session_id !== undefined && { session_id: session.id }),
    id: session.id,
    ...(from !== undefined && { forked_from_id: from }),
    timestamp,
    cwd: textOf(meta.cwd) ?? session.cwd,
  };
  if (isBare) return payload;
  const ordinal = known?.ordinal === undefined ? {} : { ordinal: 0 };
  return { timestamp, ...ordinal, type: 'session_meta', payload };
}

const item = ({ now }: NewSession, ordinal: number, payload: JsonRecord) => ({
  timestamp: new Date(now).toISOString(),
  ordinal,
  type: 'response_item',
  payload,
});

function* itemsOf(messages: readonly Message[]): Generator<JsonRecord> {
  const types = new Map<string, CallType>();
  for (const { role, content, tool_calls: calls = [], tool_call_id: answered } of messages) {
    if (role === 'tool') {
      yield { type: `${types.get(answered ?? '') ?? 'function_call'}_output`, call_id: answered, output: content };
      continue;
    }
    if (content.trim() !== '' && role !== 'system') {
      yield {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: content }],
      };
    }
    for (const { id, name, arguments: input } of calls) {
      // A text is what a freeform tool takes.
      const isText = typeof input === 'string';
      types.set(id, isText ? 'custom_tool_call' : 'function_call');
      yield isText
        ? { type: 'custom_tool_call', call_id: id, name, input }
        : { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input ?? {}) };
    }
  }
}

/** As Codex names its files: day and time of the person's clock. */
function localTime(now: number): [day: string, time: string] {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return [day, [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join('-')];
}
