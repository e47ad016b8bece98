// Cursor's transcripts: messages without ids and times, and without the results of tools.
import path from 'node:path';
import type { TranscriptReader } from '../../core/conversation/transcript';
import { followLines, type TreeBuilder } from '../../core/conversation/transcriptFollow';
import { recordOf, textOf } from '../../core/conversation/transcriptJson';
import { titleOf, type Source } from '../../core/conversation/transcriptNodes';
import { Passes } from '../../core/conversation/transcriptPasses';
import { filesIn, firstRecords, folderFrom, foldersIn, sessionsFrom } from '../../core/conversation/transcriptPlaces';
import { blocksOf, messageOf } from '../messageBlocks';

const agent = 'cursor';

export const cursorTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const projects = path.join(folderFrom(places, 'CURSOR_CONFIG_DIR', '.cursor'), 'projects');
    const files = foldersIn(ports, projects).flatMap((project) => {
      const dir = path.join(project, 'agent-transcripts');
      const isOne = (name: string) => name.endsWith('.jsonl');
      return [
        ...filesIn(ports, dir, isOne),
        ...foldersIn(ports, dir).flatMap((session) => filesIn(ports, session, isOne)),
      ];
    });
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const project = path.dirname(
        file.slice(0, file.lastIndexOf(`${path.sep}agent-transcripts${path.sep}`) + 1) + 'x',
      );
      const cwd = folderNamed(places.roots ?? [], path.basename(project));
      const prompt = firstRecords(ports, file).find(({ role }) => role === 'user');
      const title = titleOf(prompt && promptOf(blocksOf(recordOf(prompt.message).content ?? prompt.content).text));
      return {
        session: path.basename(file, '.jsonl'),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
      };
    });
  },
  read: (ports, { file, session }, previous) =>
    followLines(ports, file, () => cursorBuilder({ agent, session }), previous),
};

/** The project's folder is only told by a name in which every other character became a dash. */
const folderNamed = (roots: readonly string[], name: string) =>
  roots.find((root) => root.replace(/[^a-zA-Z0-9]+/g, '-').replace(/^-/, '') === name.replace(/^-/, ''));

/** A prompt stands in marks of its own. */
const promptOf = (text: string) => /<user_query>\s*([^]*?)\s*<\/user_query>/.exec(text)?.[1] ?? text;

export function cursorBuilder(source: Source): TreeBuilder {
  const passes = new Passes(source);
  return {
    add(record, line) {
      const role = textOf(record.role);
      const blocks = blocksOf(recordOf(record.message).content ?? record.content);
      const id = `line-${line}`;
      if (role === 'assistant') {
        const calls = blocks.calls.map((call, i) => ({ ...call, id: call.id || `${id}-${i}` }));
        passes.add([messageOf('assistant', { ...blocks, calls }, { id })], { id });
      } else if (role === 'user') {
        for (const result of blocks.results) passes.result(result, { id });
        if (blocks.text !== '' || blocks.results.length === 0)
          passes.add([messageOf('user', { ...blocks, text: promptOf(blocks.text) }, { id })], { id });
      }
    },
    tree: () => passes.tree(),
  };
}
