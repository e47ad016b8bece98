// pi's sessions, versions 1 to 3: a header, then entries; a list at first, a tree by id since version 2.
import path from 'node:path';
import type { Message } from '../../core/conversation/model';
import type { TranscriptPlaces, TranscriptReader } from '../../core/conversation/transcript';
import { followLines, type RecordTreeBuilder } from '../../core/conversation/transcriptFollow';
import { IdTree, type TreeRecord } from '../../core/conversation/transcriptIdTree';
import { countOf, idOf, recordOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { filesIn, firstRecords, folderFrom, foldersIn, sessionsFrom } from '../../core/conversation/transcriptPlaces';
import { blocksOf, messageOf, toolMessage, usageOf } from '../messageBlocks';

const agent = 'pi';

/** Absolute; in it, each workspace has a folder with its sessions. */
export const sessionsFolder = (places: TranscriptPlaces) =>
  path.join(folderFrom(places, 'PI_CODING_AGENT_DIR', '.pi', 'agent'), 'sessions');

export const piTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const files = foldersIn(ports, sessionsFolder(places)).flatMap((dir) =>
      filesIn(ports, dir, (name) => name.endsWith('.jsonl')),
    );
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const records = firstRecords(ports, file);
      const header = recordOf(records.find(({ type }) => type === 'session'));
      const cwd = textOf(header.cwd);
      const prompt = records.map(({ message }) => recordOf(message)).find(({ role }) => role === 'user');
      const title = titleOf(prompt && blocksOf(prompt.content).text);
      const startedAt = timeOf(header.timestamp);
      return {
        session: idOf(header.id) ?? path.basename(file, '.jsonl'),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(startedAt !== undefined && { startedAt }),
      };
    });
  },
  read: (ports, { file, session }, previous) => followLines(ports, file, () => piBuilder({ agent, session }), previous),
};

export function piBuilder(source: Source): RecordTreeBuilder {
  const tree = new IdTree(source);
  /** Of version 1, where entries are known by their number. */
  const list: string[] = [];
  return {
    add(record, line) {
      if (record.type === 'session') {
        tree.cwd ??= textOf(record.cwd);
        return;
      }
      if (record.type === 'session_info') tree.title = titleOf(textOf(record.name)) ?? tree.title;
      if (textOf(record.type) === undefined) return;
      const given = idOf(record.id);
      const id = given ?? `line-${line}`;
      const parent = given === undefined ? (list.at(-1) ?? null) : (idOf(record.parentId) ?? null);
      const index = countOf(record.firstKeptEntryIndex);
      const from = idOf(record.firstKeptEntryId) ?? (index === undefined ? undefined : list[index]);
      // Counted as the agent does it: all entries behind the header.
      list.push(id);
      tree.add({ ...entryIn(record, id, from), id, parent, ts: timeOf(record.timestamp) });
    },
    tree: () => tree.tree(),
    recordsByNode: () => tree.recordsByNode(),
  };
}

type Entry = Pick<TreeRecord, 'role' | 'messages' | 'keep' | 'summary' | 'model' | 'usage'>;

function entryIn(record: JsonRecord, id: string, from: string | undefined): Entry {
  const ts = timeOf(record.timestamp);
  const summary = textOf(record.summary);
  const own = { id, ts };
  switch (record.type) {
    case 'message':
      return messageIn(recordOf(record.message), own);
    case 'compaction':
      return {
        role: 'boundary',
        messages: [messageOf('user', blocksOf(summary ?? ''), own)],
        summary: { text: summary ?? '', by: 'agent' },
        ...(from !== undefined && { keep: { from } }),
      };
    case 'branch_summary':
      return { role: 'other', messages: [messageOf('user', blocksOf(summary ?? ''), own)] };
    case 'custom_message':
      return { role: 'other', messages: [messageOf('user', blocksOf(record.content), own)] };
    default:
      return { role: 'none', messages: [] };
  }
}

function messageIn(message: JsonRecord, own: Pick<Message, 'id' | 'ts'>): Entry {
  const blocks = blocksOf(message.content);
  switch (message.role) {
    case 'user':
      return { role: 'user', messages: [messageOf('user', blocks, own)] };
    case 'assistant': {
      const usage = recordOf(message.usage);
      return {
        role: 'assistant',
        messages: [messageOf('assistant', blocks, own)],
        model: textOf(message.model),
        usage: usageOf([usage.input, usage.cacheRead, usage.cacheWrite], usage.output),
      };
    }
    case 'toolResult':
      return {
        role: 'result',
        messages: [{ ...toolMessage(message.toolCallId, message.content, message.isError === true), ...own }],
      };
    case 'bashExecution': {
      const text = `$ ${textOf(message.command) ?? ''}\n${textOf(message.output) ?? ''}`;
      return { role: 'other', messages: [messageOf('user', blocksOf(text), own)] };
    }
    default:
      return {
        role: 'other',
        messages: [messageOf('user', blocksOf(message.content ?? textOf(message.summary)), own)],
      };
  }
}
