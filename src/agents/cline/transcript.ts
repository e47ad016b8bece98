// Cline's sessions: version 4 (and its command line) keeps a document for each, version 3 a folder for each task.
import path from 'node:path';
import type { ConversationTree } from '../../core/conversation/model';
import type { TranscriptPlaces, TranscriptReader } from '../../core/conversation/transcript';
import { idOf, recordOf, recordsOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { fileAt, folderFrom, foldersIn, head, sessionsFrom, type Told } from '../../core/conversation/transcriptPlaces';
import { followDocuments, parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import { blocksOf, isEmpty, messageOf, usageOf } from '../messageBlocks';
import { globalStorageFolders } from '../vscode/transcript';

const agent = 'cline';
const historyName = 'api_conversation_history.json';

export const clineTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const sessions = path.join(folderFrom(places, 'CLINE_DIR', '.cline'), 'data', 'sessions');
    const own = foldersIn(ports, sessions).flatMap(
      (dir) => fileAt(ports, path.join(dir, `${path.basename(dir)}.messages.json`)) ?? [],
    );
    const files = [
      ...own,
      ...taskFolders(ports, places).flatMap((dir) => fileAt(ports, path.join(dir, historyName)) ?? []),
    ];
    return sessionsFrom(ports, agent, places, files, ({ file }) => ({
      session: path.basename(path.dirname(file)),
      ...(path.basename(file) === historyName ? toldByTask(ports, file) : toldByManifest(ports, file)),
    }));
  },
  read(ports, { file, session }, previous) {
    const manifest = manifestOf(file);
    const build = () => {
      const document = parseDocument(readDocument(ports, file));
      const messages = Array.isArray(document) ? document : recordOf(document).messages;
      const tree = clineTree({ agent, session }, recordsOf(messages));
      // A write that was interrupted leaves an empty list.
      if (tree.nodes.length === 0 && previous !== undefined && previous.tree.nodes.length > 0)
        throw new Error('the file is empty now');
      const { cwd, title } =
        path.basename(file) === historyName ? toldByTask(ports, file) : toldByManifest(ports, file);
      return { ...tree, ...(cwd !== undefined && { cwd }), ...(title !== undefined && { title }) };
    };
    return followDocuments(ports, [file, manifest], build, previous);
  },
};

const manifestOf = (file: string) => file.replace(/\.messages\.json$/, '.json');

function taskFolders(ports: Ports, places: TranscriptPlaces): string[] {
  return globalStorageFolders(places).flatMap((dir) =>
    foldersIn(ports, path.join(dir, 'saoudrizwan.claude-dev', 'tasks')),
  );
}

function toldByManifest(ports: Ports, file: string): Told {
  const manifest = documentOf(ports, manifestOf(file));
  return told(
    textOf(manifest.cwd),
    textOf(recordOf(manifest.metadata).title) ?? textOf(manifest.prompt),
    timeOf(manifest.started_at),
  );
}

/** Version 3 tells the folder only within its first message. */
function toldByTask(ports: Ports, file: string): Told {
  const text = head(ports, file).toString('utf8');
  const cwd =
    /# Current Working Directory \(([^)\n\\]{1,1000})\)/.exec(text)?.[1] ??
    /"cwdOnTaskInitialization":\s*"([^"\\]{1,1000})"/.exec(text)?.[1];
  const task = /<task>\\n(.{1,400}?)(?:\\n|<\/task>)/.exec(text)?.[1];
  const id = Number(path.basename(path.dirname(file)));
  return told(cwd, task, timeOf(Number.isSafeInteger(id) ? id : undefined));
}

function told(cwd: string | undefined, prompt: string | undefined, startedAt: string | undefined): Told {
  const title = titleOf(prompt);
  return {
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function documentOf(ports: Ports, file: string): JsonRecord {
  try {
    return recordOf(parseDocument(readDocument(ports, file, 2 ** 20)));
  } catch {
    return {};
  }
}

export function clineTree(source: Source, messages: readonly JsonRecord[]): ConversationTree {
  const passes = new Passes(source);
  messages.forEach((message, i) => {
    const id = idOf(message.id) ?? `message-${i}`;
    const ts = timeOf(message.ts);
    const blocks = blocksOf(message.content);
    const metrics = recordOf(message.metrics);
    const details = {
      id,
      ts,
      model: textOf(recordOf(message.modelInfo).id),
      usage: usageOf([metrics.inputTokens, metrics.cacheReadTokens, metrics.cacheWriteTokens], metrics.outputTokens),
    };
    if (message.role === 'assistant') {
      passes.add([messageOf('assistant', blocks, { id, ts })], details);
      return;
    }
    if (message.role !== 'user') return;
    for (const [n, result] of blocks.results.entries()) passes.result({ ...result, ts }, { id: `${id}-${n}`, ts });
    if (isEmpty(blocks) && blocks.results.length > 0) return;
    const said = messageOf('user', blocks, { id, ts });
    const compacted = /^compaction/.test(textOf(recordOf(message.metadata).kind) ?? '');
    const after = passes.leaf;
    if (compacted) passes.compaction([said], { text: blocks.text, by: 'agent' }, { id, ts });
    // Version 3 puts what it adds behind the results into the same message.
    else if (blocks.results.length > 0 && after !== undefined) after.messages.push(said);
    else passes.add([said], { id, ts });
  });
  return passes.tree();
}
