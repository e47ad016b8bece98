// Claude Code's transcripts: records with uuid and parentUuid, several for one message of the model. The format is not
// promised by its maker: every field may be missing.
import path from 'node:path';
import type { Followed, TranscriptPlaces, TranscriptReader } from '../../core/conversation/transcript';
import { treeOf, type RecordTreeBuilder } from '../../core/conversation/transcriptFollow';
import { IdTree, type TreeRecord } from '../../core/conversation/transcriptIdTree';
import {
  idOf,
  listOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import type { LongLine } from '../../core/conversation/transcriptLines';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import {
  filesIn,
  firstRecords,
  folderFrom,
  foldersIn,
  sessionsFrom,
  type Told,
} from '../../core/conversation/transcriptPlaces';
import { followDocuments, parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import { blocksOf, messageOf, usageOf } from '../messageBlocks';
import { followSubagents } from '../subagentFiles';

const agent = 'claude-code';

/** Absolute; in it, each project has a folder with its sessions. */
export const projectsFolder = (places: TranscriptPlaces) =>
  path.join(folderFrom(places, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects');

/** The name of a project's folder there; of a long path, Claude Code takes the beginning and adds something. */
export const projectName = (dir: string) => dir.replace(/[^a-zA-Z0-9]/g, '-');

export const claudeCodeTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    // A folder's name may be cut, so only its beginning is compared.
    const wanted = places.roots?.flatMap((root) => projectName(root).slice(0, 150));
    const folders = foldersIn(ports, projectsFolder(places)).filter(
      (dir) => wanted === undefined || wanted.some((name) => path.basename(dir).startsWith(name)),
    );
    const files = folders.flatMap((dir) =>
      filesIn(ports, dir, (name) => name.endsWith('.jsonl') && !name.startsWith('agent-')),
    );
    return sessionsFrom(ports, agent, places, files, ({ file }) => ({
      session: path.basename(file, '.jsonl'),
      ...toldBy(firstRecords(ports, file)),
    }));
  },
  read(ports, { file, session }, previous) {
    const source = { agent, session };
    if (file.endsWith('.json')) return readExport(ports, file, source, previous);
    const dir = path.join(path.dirname(file), path.basename(file, '.jsonl'), 'subagents');
    return followSubagents(ports, file, dir, (isSub) => claudeBuilder(source, isSub), previous);
  },
};

function toldBy(records: readonly JsonRecord[]): Told {
  const chain = records.filter(({ uuid }) => idOf(uuid) !== undefined);
  const cwd = chain.map((record) => textOf(record.cwd)).find((dir) => dir !== undefined);
  const named = records.map((record) => textOf(record.customTitle) ?? textOf(record.aiTitle) ?? textOf(record.summary));
  const prompt = chain.find(
    ({ type, isMeta, message }) => type === 'user' && isMeta !== true && promptOf(message) !== undefined,
  );
  const title = titleOf(named.findLast((text) => text !== undefined)) ?? titleOf(promptOf(prompt?.message));
  const startedAt = chain.map((record) => timeOf(record.timestamp)).find((time) => time !== undefined);
  return {
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function promptOf(message: unknown): string | undefined {
  const { text, results } = blocksOf(recordOf(message).content);
  return results.length === 0 && titleOf(text) !== undefined ? text : undefined;
}

/** The export of the web: one document with the same records. */
function readExport(ports: Ports, file: string, source: Source, previous: Followed | undefined): Followed {
  return followDocuments(
    ports,
    [file],
    () => {
      const builder = claudeBuilder(source);
      const { loglines } = recordOf(parseDocument(readDocument(ports, file)));
      recordsOf(loglines).forEach((record, i) => builder.add(record, i + 1));
      return treeOf(builder, []);
    },
    previous,
  );
}

/** @param sidechain all of it is a subagent's */
export function claudeBuilder(source: Source, sidechain = false): RecordTreeBuilder {
  const tree = new IdTree(source);
  let nameless: string | undefined;
  return {
    add(record, line) {
      tree.cwd ??= textOf(record.cwd);
      const named =
        textOf(record.customTitle) ??
        textOf(record.aiTitle) ??
        (record.type === 'summary' ? textOf(record.summary) : undefined);
      if (named !== undefined) tree.title = titleOf(named) ?? tree.title;
      const said = record.type === 'last-prompt' ? idOf(record.leafUuid) : undefined;
      if (said !== undefined) tree.leaf = said;
      // Snapshots of files have a message's id as well: only what belongs to the chain counts.
      const isChain = ['user', 'assistant', 'system', 'attachment', 'progress'].includes(textOf(record.type) ?? '');
      if (!isChain) return;
      let id = idOf(record.uuid);
      // The web's export has no ids: each record follows the one before.
      const parent = id === undefined ? (nameless ?? null) : (idOf(record.parentUuid) ?? null);
      if (id === undefined) nameless = id = `line-${line}`;
      // What came after it was said leads on.
      if (tree.leaf !== undefined) tree.leaf = undefined;
      tree.add(recordIn(record, id, parent, sidechain));
    },
    addLong(line, number) {
      const record = longRecord(line, number);
      if (record !== undefined) tree.add(record);
    },
    tree: () => tree.tree(),
    recordsByNode: () => tree.recordsByNode(),
  };
}

function recordIn(record: JsonRecord, id: string, parent: string | null, all: boolean): TreeRecord {
  const ts = timeOf(record.timestamp);
  const common = { id, parent, ts, sidechain: all || record.isSidechain === true };
  if (record.type === 'system' && record.subtype === 'compact_boundary') return { ...common, ...boundary(record) };
  const message = recordOf(record.message);
  const blocks = blocksOf(message.content);
  const own = { id, ts };
  if (record.type === 'assistant') {
    const { usage } = message;
    const { input_tokens: input, cache_creation_input_tokens: made, cache_read_input_tokens: cached } = recordOf(usage);
    return {
      ...common,
      role: 'assistant',
      messages: [messageOf('assistant', blocks, own)],
      group: idOf(message.id),
      model: textOf(message.model),
      usage: usageOf([input, made, cached], recordOf(usage).output_tokens),
    };
  }
  if (record.type !== 'user') return { ...common, role: 'none', messages: [] };
  const said = messageOf('user', blocks, own);
  if (record.isCompactSummary === true) return { ...common, role: 'summary', messages: [said] };
  if (blocks.results.length > 0) {
    const rest = blocks.text === '' && blocks.attachments.length === 0 ? [] : [said];
    return { ...common, role: 'result', messages: [...blocks.results.map((result) => ({ ...result, ts })), ...rest] };
  }
  return { ...common, role: record.isMeta === true && parent !== null ? 'more' : 'user', messages: [said] };
}

function boundary(record: JsonRecord): Pick<TreeRecord, 'role' | 'messages' | 'behind' | 'keep'> {
  const { preservedMessages, preservedSegment } = recordOf(record.compactMetadata);
  const ids = listOf(recordOf(preservedMessages).uuids).flatMap((id) => idOf(id) ?? []);
  const head = idOf(recordOf(preservedSegment).headUuid);
  const behind = idOf(record.logicalParentUuid);
  return {
    role: 'boundary',
    messages: [],
    ...(behind !== undefined && { behind }),
    ...(ids.length > 0 ? { keep: { ids } } : head !== undefined && { keep: { from: head } }),
  };
}

/** The place of a record whose line is not held, from what is written at its ends. */
function longRecord({ head, tail, size }: LongLine, number: number): TreeRecord | undefined {
  const ends = `${head.toString('utf8')}\n${tail.toString('utf8')}`;
  const field = (name: string) => new RegExp(`"${name}":"([^"\\\\]{1,200})"`).exec(ends)?.[1];
  const id = field('uuid') ?? `line-${number}`;
  const role = /"type":"assistant"/.test(ends) ? 'assistant' : /"type":"user"/.test(ends) ? 'more' : 'none';
  const content = `[too long to show: ${Math.round(size / 2 ** 20)} MB]`;
  return {
    id,
    parent: field('parentUuid') ?? null,
    role,
    messages: [{ role: role === 'assistant' ? 'assistant' : 'user', content }],
    ts: timeOf(field('timestamp')),
  };
}
