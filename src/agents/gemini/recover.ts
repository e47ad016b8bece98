// Gemini and Qwen keep, with the result of an edit, the file's text before and after it.
import type { RecoveredCall } from '../../core/capture/recovered';
import {
  idOf,
  isRecord,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import { titleOf } from '../../core/conversation/transcriptNodes';
import { blocksOf } from '../messageBlocks';
import { eachRecord } from '../eachRecord';
import type { Recover } from '../recover';
import path from 'node:path';

export const recoverGemini: Recover = (ports, { agent, session, file }) => {
  const calls = new Map<string, RecoveredCall>();
  let prompt: string | undefined;
  eachRecord(ports, file, (record) => {
    const said = record.type === 'user' ? blocksOf(record.content ?? recordOf(record.message).parts).text : '';
    if (titleOf(said) !== undefined && !said.startsWith('<session_context>')) prompt = said;
    const results = [
      ...recordsOf(record.toolCalls),
      ...(isRecord(record.toolCallResult) ? [record.toolCallResult] : []),
    ];
    for (const result of results) {
      const id = idOf(result.id) ?? idOf(result.callId);
      const at = timeOf(result.timestamp) ?? timeOf(record.timestamp);
      const change = changeIn(result, record);
      if (id === undefined || at === undefined || change === undefined || calls.has(id)) continue;
      const tool = textOf(result.name);
      calls.set(id, {
        agent: { name: agent, session, toolUse: id, ...(tool !== undefined && { tool: tool.slice(0, 200) }) },
        at,
        ...(prompt !== undefined && { prompt }),
        files: [change],
      });
    }
  });
  return [...calls.values()];
};

function changeIn(result: JsonRecord, record: JsonRecord): RecoveredCall['files'][number] | undefined {
  const { filePath, originalContent, newContent, isNewFile } = recordOf(result.resultDisplay);
  const before = textOf(originalContent);
  const after = textOf(newContent);
  const named = textOf(filePath);
  if (named === undefined || !path.isAbsolute(named) || before === undefined || after === undefined) return undefined;
  if (result.status !== undefined && result.status !== 'success') return undefined;
  // A new file and an empty one look the same but for what the model was told.
  const told = blocksOf(result.result ?? recordOf(record.message).parts)
    .results.map(({ content }) => content)
    .join('\n');
  const created = isNewFile === true || (before === '' && /created and wrote to new file/i.test(told));
  return {
    path: named,
    pre: created ? 'absent' : Buffer.from(before),
    post: Buffer.from(after),
    provenance: 'transcript',
  };
}
