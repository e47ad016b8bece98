// A session for opencode that begins with a part of another one, or with given messages. Sessions are in a database of
// opencode's own, so it is given to opencode as a document that it imports.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { interrupted } from '../../core/context/repair';
import { strictMessages } from '../../core/context/strict';
import type { Message } from '../../core/conversation/model';
import { idOf, recordOf, textOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { ForkFormat, Known, NewSession } from '../fork/format';
import { notInTranscript } from '../fork/treeCut';
import { inOrder, type StoredMessage } from './messages';
import { storedSession } from './transcript';

export const opencodeForks: ForkFormat = {
  agent: 'opencode',
  folder: (ports) => path.join(ports.stateDir, 'contexts'),
  // Those of sessions count down, so that the newest is first.
  newId: (now) => idFor('ses', 2 ** 48 - 1 - countOf(now, 0)),
  file: (folder, { id }) => path.join(folder, `opencode-${id}.json`),
  *copy(ports, known, entry, session) {
    const { messages, info } = storedIn(ports, known);
    const list = inOrder(messages);
    const end = list.findIndex(({ id }) => id.slice(0, 500) === entry);
    if (end < 0) throw notInTranscript(entry);
    yield documentOf(
      session,
      { title: known.title, ...info },
      list.slice(0, end + 1).map(({ message }) => message),
    );
  },
  *write(ports, messages, session, known) {
    const { messages: others, info } = known === undefined ? { messages: [], info: {} } : storedIn(ports, known);
    const like = modelIn(others);
    if (like === undefined) {
      const text = 'No model is known that opencode could go on with: its own record of the conversation is gone.';
      throw new CheckpointError('failed', text);
    }
    yield documentOf(session, { title: known?.title, ...info }, [
      ...storedFrom(strictMessages(messages), session, like),
    ]);
  },
  before: (_session, file) => ({ program: 'opencode', args: ['import', file] }),
  start: ({ id }) => ({ program: 'opencode', args: ['--session', id] }),
};

function storedIn(ports: Ports, known: Known) {
  try {
    return storedSession(ports, known);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckpointError('damaged', `${known.file} cannot be copied: ${why}.`, { cause: error });
  }
}

/** As opencode makes them: a time with a counter, then what makes it unique. */
function idFor(kind: string, count: number): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const unique = [...randomBytes(14)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return `${kind}_${(count % 2 ** 48).toString(16).padStart(12, '0')}${unique}`;
}

const countOf = (now: number, nth: number) => (Math.floor(now) * 4096 + nth) % 2 ** 48;

/** Every id is a new one: opencode would put a part with an old one into the old session. */
function documentOf(session: NewSession, known: JsonRecord, messages: readonly StoredMessage[]): string {
  let nth = 0;
  const ids = new Map<string, string>();
  for (const { info } of messages) ids.set(textOf(info.id) ?? '', idFor('msg', countOf(session.now, nth++)));
  const renamed = (value: unknown) => ids.get(textOf(value) ?? '');
  const list = messages.map(({ info, parts }) => {
    const id = renamed(info.id)!;
    const parent = renamed(info.parentID);
    return {
      info: { ...info, id, sessionID: session.id, ...(parent !== undefined && { parentID: parent }) },
      parts: parts.map((part) => ({
        ...answered(part, session),
        id: idFor('prt', countOf(session.now, nth++)),
        sessionID: session.id,
        messageID: id,
      })),
    };
  });
  const { share: _share, revert: _revert, parentID: _parent, summary: _summary, ...rest } = known;
  const info = {
    slug: session.id.toLowerCase().replace(/[^a-z0-9]/g, '-'),
    projectID: 'global',
    version: '1.0.0',
    ...rest,
    id: session.id,
    directory: textOf(known.directory) ?? session.cwd,
    title: `${textOf(known.title) ?? 'A conversation'} (fork)`,
    time: { created: session.now, updated: session.now },
  };
  return JSON.stringify({ info, messages: list });
}

/** A call that was never answered is one that failed. */
function answered(part: JsonRecord, { now }: NewSession): JsonRecord {
  const state = recordOf(part.state);
  if (part.type !== 'tool' || state.status === 'completed' || state.status === 'error') return part;
  const time = { start: now, end: now };
  return { ...part, state: { status: 'error', input: recordOf(state.input), error: interrupted, time } };
}

/** What the last answer says of the model and the way of working. */
function modelIn(messages: readonly StoredMessage[]): JsonRecord | undefined {
  const { modelID, providerID, mode, agent } = messages.findLast(({ info }) => info.role === 'assistant')?.info ?? {};
  if (idOf(modelID) === undefined || idOf(providerID) === undefined) return undefined;
  return { modelID, providerID, mode: mode ?? 'build', agent: agent ?? 'build' };
}

function* storedFrom(list: readonly Message[], session: NewSession, like: JsonRecord): Generator<StoredMessage> {
  const { modelID, providerID, agent } = like;
  let asked = '';
  for (const [at, { role, content, tool_calls: calls = [] }] of list.entries()) {
    // Their order is that of their times.
    const created = session.now + at;
    const id = `message-${at}`;
    const text = content.trim() === '' ? [] : [{ type: 'text', text: content }];
    if (role === 'user') {
      asked = id;
      yield { info: { id, role, time: { created }, agent, model: { providerID, modelID } }, parts: text };
    }
    if (role !== 'assistant') continue;
    const results = list.slice(at + 1, at + 1 + calls.length);
    const parts = calls.map(({ id: callID, name, arguments: input }, nth) =>
      toolPart({ callID, tool: name }, input, results[nth], created),
    );
    yield { info: { ...answerInfo(session, like, created), id, parentID: asked }, parts: [...text, ...parts] };
  }
}

function answerInfo({ cwd }: NewSession, like: JsonRecord, created: number): JsonRecord {
  return {
    role: 'assistant',
    ...like,
    path: { cwd, root: cwd },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    time: { created, completed: created },
    finish: 'stop',
  };
}

function toolPart(call: JsonRecord, input: unknown, result: Message | undefined, at: number): JsonRecord {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const common = { input: isObject ? input : { input }, time: { start: at, end: at } };
  const { content = interrupted, is_error: failed = false } = result ?? {};
  const state = failed
    ? { status: 'error', error: content, ...common }
    : { status: 'completed', output: content, title: '', metadata: {}, ...common };
  return { type: 'tool', ...call, state };
}
