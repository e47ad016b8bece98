// Windsurf's transcripts: steps, each with its own kind of content under the name of its type.
import path from 'node:path';
import type { TranscriptReader } from '../../core/conversation/transcript';
import { followLines, type TreeBuilder } from '../../core/conversation/transcriptFollow';
import { idOf, jsonOf, recordOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { filesIn, firstRecords, sessionsFrom } from '../../core/conversation/transcriptPlaces';
import { blocksOf, messageOf, toolMessage } from '../messageBlocks';
import { pathOfUri } from '../transcriptUri';

const agent = 'windsurf';

export const windsurfTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const dir = path.join(places.home, '.windsurf', 'transcripts');
    const files = filesIn(ports, dir, (name) => name.endsWith('.jsonl'));
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const records = firstRecords(ports, file);
      const prompt = records.find(({ type }) => type === 'user_input');
      const title = titleOf(prompt && saidIn(contentOf(prompt)));
      // No folder is named: that of a file which was changed tells whose conversation it is.
      const changed = records.map((record) => pathOfUri(contentOf(record).path)).find((one) => one !== undefined);
      const root = changed === undefined ? undefined : places.roots?.find((one) => changed.startsWith(one + path.sep));
      return {
        session: path.basename(file, '.jsonl'),
        ...(root !== undefined && { cwd: root }),
        ...(title !== undefined && { title }),
      };
    });
  },
  read: (ports, { file, session }, previous) =>
    followLines(ports, file, () => windsurfBuilder({ agent, session }), previous),
};

/** What a step holds stands under the name of its type. */
export const contentOf = (record: JsonRecord): JsonRecord => recordOf(record[textOf(record.type) ?? '']);

const words = ['user_response', 'response', 'text', 'message', 'prompt', 'content', 'query'];
const saidIn = (content: JsonRecord) =>
  words.map((word) => textOf(content[word])).find((text) => text !== undefined) ?? '';

export function windsurfBuilder(source: Source): TreeBuilder {
  const passes = new Passes(source);
  return {
    add(record, line) {
      const type = textOf(record.type);
      if (type === undefined) return;
      const content = contentOf(record);
      const id = idOf(record.id) ?? idOf(record.step_id) ?? `line-${line}`;
      const ts = timeOf(record.timestamp ?? record.created_at);
      if (type === 'user_input') passes.add([messageOf('user', blocksOf(saidIn(content)), { id, ts })], { id, ts });
      else if (type === 'planner_response' || type === 'notify_user')
        passes.add([messageOf('assistant', blocksOf(saidIn(content)), { id, ts })], { id, ts });
      else addStep(passes, { type, content, id, ts, failed: record.status === 'error' });
    },
    tree: () => passes.tree(),
  };
}

interface Step {
  readonly type: string;
  readonly content: JsonRecord;
  readonly id: string;
  readonly ts: string | undefined;
  readonly failed: boolean;
}

/** Something that the agent did: a call of the message before it, with what came out of it. */
function addStep(passes: Passes, { type, content, id, ts, failed }: Step): void {
  const { output, result, stdout, ...input } = content;
  const call = { id, name: type, arguments: jsonOf(input) };
  const { leaf } = passes;
  if (leaf?.messages[0]?.role === 'assistant') passes.addCall(leaf, call);
  else passes.add([messageOf('assistant', { ...blocksOf(''), calls: [call] }, { id, ts })], { id, ts });
  const said = output ?? result ?? stdout;
  if (said !== undefined) passes.result({ ...toolMessage(id, said, failed), ts }, { id, ts });
}
