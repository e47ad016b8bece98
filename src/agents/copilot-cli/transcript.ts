// Copilot CLI's sessions: a folder each, with a log of events.
import path from 'node:path';
import type { TranscriptReader } from '../../core/conversation/transcript';
import { followLines } from '../../core/conversation/transcriptFollow';
import { fileAt, firstRecords, folderFrom, foldersIn, sessionsFrom } from '../../core/conversation/transcriptPlaces';
import { eventsBuilder, toldByEvents } from '../copilotEvents';

const agent = 'copilot-cli';

export const copilotCliTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const state = path.join(folderFrom(places, 'COPILOT_HOME', '.copilot'), 'session-state');
    const files = foldersIn(ports, state).flatMap((dir) => fileAt(ports, path.join(dir, 'events.jsonl')) ?? []);
    return sessionsFrom(ports, agent, places, files, ({ file }) => ({
      session: path.basename(path.dirname(file)),
      ...toldByEvents(firstRecords(ports, file)),
    }));
  },
  read: (ports, { file, session }, previous) =>
    followLines(ports, file, () => eventsBuilder({ agent, session }), previous),
};
