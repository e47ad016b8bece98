// A session of Claude Code that begins with a part of another one, or with given messages.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { anthropicMessages } from '../../core/context/dialects';
import { interrupted } from '../../core/context/repair';
import { isSummaryMessage } from '../../core/context/summaryMessage';
import { idOf, recordOf, textOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { firstRecords } from '../../core/conversation/transcriptPlaces';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { ForkFormat, Known, NewSession } from '../fork/format';
import { eachSourceRecord } from '../fork/sourceRecords';
import { withTopLevel } from '../fork/topLevel';
import { cutTree, openCalls, type RecordLink, type TreeCut } from '../fork/treeCut';
import { claudeBuilder, projectName, projectsFolder } from './transcript';

const agent = 'claude-code';
/** Longer names of projects end with something that only Claude Code knows. */
const maxProjectName = 200;

export const claudeCodeForks: ForkFormat = {
  agent,
  folder: (_ports, places) => projectsFolder(places),
  newId: () => randomUUID(),
  file(folder, { id, cwd }, known) {
    if (known !== undefined) return path.join(path.dirname(known.file), `${id}.jsonl`);
    const project = projectName(cwd);
    if (project.length <= maxProjectName) return path.join(folder, project, `${id}.jsonl`);
    throw new CheckpointError(
      'failed',
      `Where Claude Code keeps its sessions of ${cwd} is not known: the path is too long. Start Claude Code there once.`,
    );
  },
  *copy(ports, known, entry, session) {
    const { cut, links, envelope, prompt } = readCut(ports, known, entry);
    const sessionId = JSON.stringify(session.id);
    const lines: string[] = [];
    eachSourceRecord(ports, known.file, ({ record, line, text }) => {
      const id = isLinked(record) ? idOf(record.uuid) : undefined;
      if (id === undefined || !cut.ids.has(id)) return;
      // Later it may be written again, changed, or once more behind a compaction, which is not a part of this.
      const isInPlace = line <= cut.lastLine || links.get(id)?.before === before(record);
      if (isInPlace) lines.push(withTopLevel(text, { sessionId }));
    });
    yield* lines;
    const unanswered = openCalls(cut.node);
    let leaf = cut.lastId;
    if (unanswered.length > 0) {
      const content = unanswered.map((id) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: interrupted,
        is_error: true,
      }));
      const record = chainRecord(envelope, session, leaf, { type: 'user', message: { role: 'user', content } });
      leaf = record.uuid;
      yield JSON.stringify(record);
    }
    yield lastPrompt(session, leaf, prompt);
  },
  *write(ports, messages, session, known) {
    const envelope = known === undefined ? {} : envelopeOf(firstRecords(ports, known.file));
    const summary = messages.findIndex(({ role }) => role !== 'system');
    const first = messages[summary];
    const lead = first !== undefined && isSummaryMessage(first) ? first : undefined;
    const { messages: list } = anthropicMessages(messages);
    let leaf: string | null = null;
    let prompt = '';
    for (const [at, { role, content }] of list.entries()) {
      // The summary has a record of its own, by which Claude Code and we know it again.
      const parts = at === 0 && lead !== undefined ? [content.slice(0, 1), content.slice(1)] : [content];
      for (const [part, blocks] of parts.entries()) {
        if (blocks.length === 0) continue;
        const isSummary = part === 0 && parts.length > 1;
        const message = role === 'assistant' ? answer(blocks, envelope, session) : { role, content: blocks };
        const marks = isSummary ? { isCompactSummary: true } : {};
        const record: ChainRecord = chainRecord(envelope, session, leaf, { type: role, message, ...marks });
        leaf = record.uuid;
        const text = blocks.find((block) => block.type === 'text');
        if (role === 'user' && !isSummary && text !== undefined) prompt = text.text;
        yield JSON.stringify(record);
      }
    }
    if (leaf !== null) yield lastPrompt(session, leaf, prompt);
  },
  start: ({ id }) => ({ program: 'claude', args: ['--resume', id] }),
};

/** Records that lead on; a snapshot of files has the id of a message as well. */
const isLinked = ({ type }: JsonRecord) =>
  ['user', 'assistant', 'system', 'attachment', 'progress'].includes(textOf(type) ?? '');

const before = (record: JsonRecord) => idOf(record.parentUuid) ?? idOf(record.logicalParentUuid);

function readCut(ports: Ports, { file, session }: Known, entry: string) {
  const builder = claudeBuilder({ agent, session });
  const links = new Map<string, RecordLink>();
  const records: JsonRecord[] = [];
  let tooLong: number | undefined;
  eachSourceRecord(
    ports,
    file,
    ({ record, line }) => {
      builder.add(record, line);
      const id = isLinked(record) ? idOf(record.uuid) : undefined;
      if (id === undefined || links.has(id)) return;
      links.set(id, { before: before(record), line });
      if (record.type !== 'attachment') records.push(slim(record));
    },
    (line) => (tooLong ??= line),
  );
  const cut = cutTree(builder.tree(), builder.recordsByNode(), links, entry);
  refuseGap(cut, tooLong, file);
  const own = records.filter(({ uuid }) => cut.ids.has(String(uuid)));
  const prompt = own.findLast(({ prompt: said }) => said !== undefined)?.prompt;
  return { cut, links, envelope: envelopeOf(own), prompt: textOf(prompt) ?? '' };
}

/** What is needed of a record once it is read. */
function slim(record: JsonRecord): JsonRecord {
  const { uuid, cwd, version, gitBranch, entrypoint, message, type, isMeta } = record;
  const { content, model } = recordOf(message);
  const prompt = type === 'user' && isMeta !== true ? textOf(content)?.slice(0, 300) : undefined;
  return { uuid, cwd, version, gitBranch, entrypoint, message: { model }, prompt };
}

function refuseGap({ lastLine }: TreeCut, tooLong: number | undefined, file: string): void {
  if (tooLong === undefined || tooLong > lastLine) return;
  throw new CheckpointError('damaged', `Line ${tooLong} of ${file} is too long to be copied.`);
}

/** What each record says of where it comes from. */
function envelopeOf(records: readonly JsonRecord[]): JsonRecord {
  const last = records.findLast(({ version }) => textOf(version) !== undefined) ?? {};
  const model = records
    .map(({ message }) => textOf(recordOf(message).model))
    .findLast((name) => name !== undefined && !name.startsWith('<'));
  const { cwd, version, gitBranch, entrypoint } = last;
  return { cwd, version, gitBranch, entrypoint, model };
}

type ChainRecord = JsonRecord & { readonly uuid: string };

function chainRecord(envelope: JsonRecord, session: NewSession, parent: string | null, more: JsonRecord): ChainRecord {
  const { model: _model, cwd, ...rest } = envelope;
  return {
    parentUuid: parent,
    isSidechain: false,
    userType: 'external',
    cwd: textOf(cwd) ?? session.cwd,
    ...rest,
    sessionId: session.id,
    ...more,
    uuid: session.fresh(),
    timestamp: new Date(session.now).toISOString(),
  };
}

function answer(content: readonly { readonly type: string }[], { model }: JsonRecord, session: NewSession): JsonRecord {
  return {
    id: `msg_${session.fresh().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    ...(model !== undefined && { model }),
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

/** By it Claude Code knows where the conversation is, and lists it with its last prompt. */
const lastPrompt = ({ id }: NewSession, leafUuid: string, prompt: string) =>
  JSON.stringify({ type: 'last-prompt', lastPrompt: prompt.slice(0, 200), leafUuid, sessionId: id });
