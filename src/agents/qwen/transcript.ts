// Qwen Code's transcripts: a tree by uuid, with Gemini's way to write a message.
import path from 'node:path';
import type { TranscriptReader } from '../../core/conversation/transcript';
import { followLines, type TreeBuilder } from '../../core/conversation/transcriptFollow';
import { IdTree, type TreeRecord } from '../../core/conversation/transcriptIdTree';
import { idOf, recordOf, recordsOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { filesIn, firstRecords, folderFrom, foldersIn, sessionsFrom } from '../../core/conversation/transcriptPlaces';
import { blocksOf, messageOf, usageOf } from '../messageBlocks';

const agent = 'qwen';

export const qwenTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const projects = path.join(folderFrom(places, 'QWEN_HOME', '.qwen'), 'projects');
    const files = foldersIn(ports, projects).flatMap((dir) =>
      filesIn(ports, path.join(dir, 'chats'), (name) => name.endsWith('.jsonl')),
    );
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const records = firstRecords(ports, file);
      const cwd = records.map((record) => textOf(record.cwd)).find((dir) => dir !== undefined);
      const prompt = records.find(({ type }) => type === 'user');
      const title = titleOf(prompt && blocksOf(recordOf(prompt.message).parts).text);
      const startedAt = timeOf(records[0]?.timestamp);
      return {
        session: path.basename(file, '.jsonl'),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(startedAt !== undefined && { startedAt }),
      };
    });
  },
  read: (ports, { file, session }, previous) =>
    followLines(ports, file, () => qwenBuilder({ agent, session }), previous),
};

export function qwenBuilder(source: Source): TreeBuilder {
  const tree = new IdTree(source);
  return {
    add(record) {
      const id = idOf(record.uuid);
      if (id === undefined) return;
      tree.cwd ??= textOf(record.cwd);
      tree.add(recordIn(record, id));
    },
    tree: () => tree.tree(),
  };
}

function recordIn(record: JsonRecord, id: string): TreeRecord {
  const ts = timeOf(record.timestamp);
  const common = { id, parent: idOf(record.parentUuid) ?? null, ts };
  const { parts } = recordOf(record.message);
  const blocks = blocksOf(parts);
  if (record.type === 'assistant') {
    const usage = recordOf(record.usageMetadata);
    return {
      ...common,
      role: 'assistant',
      messages: [messageOf('assistant', blocks, { id, ts })],
      model: textOf(record.model),
      usage: usageOf([usage.promptTokenCount], usage.candidatesTokenCount),
    };
  }
  if (record.type === 'tool_result') {
    return { ...common, role: 'result', messages: blocks.results.map((result) => ({ ...result, ts })) };
  }
  if (record.type === 'user') return { ...common, role: 'user', messages: [messageOf('user', blocks, { id, ts })] };
  if (record.subtype !== 'chat_compression') return { ...common, role: 'none', messages: [] };
  const { compressedHistory } = recordOf(record.systemPayload);
  const messages = recordsOf(compressedHistory).flatMap((content) => {
    const said = blocksOf(content.parts);
    return said.results.length > 0 ? said.results : [messageOf(content.role === 'model' ? 'assistant' : 'user', said)];
  });
  return { ...common, role: 'boundary', messages };
}
