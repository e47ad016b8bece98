// Codex's rollouts: a list of what the model was given and gave, with events beside it that say some of it again.
import path from 'node:path';
import type { Followed, TranscriptPlaces, TranscriptReader } from '../../core/conversation/transcript';
import { followLines } from '../../core/conversation/transcriptFollow';
import { idOf, recordOf, textOf, timeOf } from '../../core/conversation/transcriptJson';
import { titleOf } from '../../core/conversation/transcriptNodes';
import {
  filesIn,
  firstRecords,
  folderFrom,
  foldersIn,
  sessionsFrom,
  type FoundFile,
} from '../../core/conversation/transcriptPlaces';
import type { Ports } from '../../core/ports';
import { blocksOf } from '../messageBlocks';
import { isContext } from './context';
import { Rollout } from './rollout';

const agent = 'codex';
const isRollout = (name: string) => name.startsWith('rollout-') && name.endsWith('.jsonl');

/** Absolute. */
export const codexHome = (places: TranscriptPlaces) => folderFrom(places, 'CODEX_HOME', '.codex');

/** A fork of a fork, and so on. */
const maxAncestors = 16;

export const codexTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const home = codexHome(places);
    const files = ['sessions', 'archived_sessions'].flatMap((name) => rolloutsIn(ports, path.join(home, name), 3));
    return sessionsFrom(ports, agent, places, files, ({ file }) => {
      const records = firstRecords(ports, file);
      const [header] = records;
      const meta = header?.payload === undefined ? recordOf(header) : recordOf(header.payload);
      const cwd = textOf(meta.cwd);
      const prompts = records
        .map(({ payload, ...bare }) => recordOf(payload ?? bare))
        .filter((item) => item.role === 'user' || item.type === 'user_message');
      const titles = prompts.map((item) => (isContext(promptIn(item)) ? undefined : titleOf(promptIn(item))));
      const title = titles.find((text) => text !== undefined);
      const startedAt = timeOf(meta.timestamp);
      return {
        session: idOf(meta.id) ?? path.basename(file, '.jsonl'),
        ...(cwd !== undefined && { cwd }),
        ...(title !== undefined && { title }),
        ...(startedAt !== undefined && { startedAt }),
      };
    });
  },
  read(ports, { file, session }, previous) {
    return followLines(ports, file, () => rolloutWithHistory(ports, file, { agent, session }), previous);
  },
};

const promptIn = (item: { readonly [key: string]: unknown }) => textOf(item.message) ?? blocksOf(item.content).text;

function rolloutsIn(ports: Ports, dir: string, levels: number): FoundFile[] {
  const below = levels > 0 ? foldersIn(ports, dir).flatMap((folder) => rolloutsIn(ports, folder, levels - 1)) : [];
  return [...filesIn(ports, dir, isRollout), ...below];
}

export interface RolloutHistory {
  /** The rollouts that it builds on, oldest first. */
  readonly before: readonly { readonly file: string; readonly endOrdinal: number }[];
  /** One of them is not there. */
  readonly isMissing: boolean;
}

/** A fork may not repeat what it builds on: that is in the file that it names. */
export function historyOf(ports: Ports, file: string): RolloutHistory {
  const before: { file: string; endOrdinal: number }[] = [];
  let current = file;
  for (let i = 0; i < maxAncestors; i++) {
    const base = recordOf(recordOf(firstRecords(ports, current)[0]?.payload).history_base);
    const thread = idOf(base.thread_id);
    if (thread === undefined || !/^[\w-]+$/.test(thread)) break;
    const found = findRollout(ports, current, thread);
    const endOrdinal = typeof base.end_ordinal_exclusive === 'number' ? base.end_ordinal_exclusive : Infinity;
    if (found === undefined || found === file || before.some((one) => one.file === found))
      return { before, isMissing: true };
    before.unshift({ file: found, endOrdinal });
    current = found;
  }
  return { before, isMissing: false };
}

function rolloutWithHistory(ports: Ports, file: string, source: { agent: string; session: string }): Rollout {
  const rollout = new Rollout(source);
  const { before, isMissing } = historyOf(ports, file);
  if (isMissing) rollout.historyIsMissing();
  for (const one of before) rollout.inherit((add) => feed(ports, one.file, one.endOrdinal, add));
  return rollout;
}

/** By its place: all rollouts are in folders of their day below one folder. */
function findRollout(ports: Ports, near: string, thread: string): string | undefined {
  const isIt = (name: string) => isRollout(name) && name.endsWith(`-${thread}.jsonl`);
  const [beside] = filesIn(ports, path.dirname(near), isIt);
  if (beside !== undefined) return beside.file;
  const sessions = /^(.*[/\\](?:archived_)?sessions)[/\\]/.exec(near)?.[1];
  if (sessions === undefined) return undefined;
  return rolloutsIn(ports, sessions, 3).find(({ file }) => isIt(path.basename(file)))?.file;
}

function feed(ports: Ports, file: string, end: number, add: Rollout['add']): Followed {
  const builder = {
    add: (record: Parameters<Rollout['add']>[0], line: number) => {
      if (typeof record.ordinal !== 'number' || record.ordinal < end) add(record, line);
    },
    tree: () => ({ nodes: [], damaged: [] }),
  };
  return followLines(ports, file, () => builder);
}
