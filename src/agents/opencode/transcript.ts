// opencode's sessions: small documents in folders (old), or rows of a database (now); both hold the same objects.
import path from 'node:path';
import type { TranscriptReader, TranscriptSession } from '../../core/conversation/transcript';
import { idOf, recordOf, recordsOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { titleOf } from '../../core/conversation/transcriptNodes';
import {
  fileAt,
  filesIn,
  folderFrom,
  foldersIn,
  isWanted,
  sessionsFrom,
} from '../../core/conversation/transcriptPlaces';
import { followDocuments, parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import { opencodeTree, type StoredMessage } from './messages';
import { databaseSessions, messagesInDatabase } from './database';

const agent = 'opencode';
const maxSmallBytes = 2 ** 20;

export const opencodeTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const data = path.join(folderFrom(places, 'XDG_DATA_HOME', '.local', 'share'), 'opencode');
    const storage = path.join(data, 'storage', 'session');
    const files = foldersIn(ports, storage).flatMap((dir) => filesIn(ports, dir, (name) => name.endsWith('.json')));
    const old = sessionsFrom(ports, agent, places, files, ({ file }) => ({
      session: path.basename(file, '.json'),
      ...toldBy(documentAt(ports, file)),
    }));
    const database = fileAt(ports, path.join(data, 'opencode.db'));
    const rows = database === undefined ? [] : fromDatabase(ports, database.file, database.size);
    const there = new Set(rows.map(({ session }) => session));
    // What was moved into the database stays in the folders as well.
    const sessions = [
      ...rows.filter(({ cwd }) => isWanted(ports, places, cwd)),
      ...old.filter(({ session }) => !there.has(session)),
    ];
    return sessions.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  },
  read(ports, { file, session }, previous) {
    const build = () => {
      const { messages, info } = storedSession(ports, { file, session });
      return opencodeTree({ agent, session }, messages, info);
    };
    if (file.endsWith('.db')) return followDocuments(ports, [file, `${file}-wal`], build, previous);
    // New messages change their folder; a part that grows changes its own.
    const folders = isStored(file) ? messageFolders(ports, storageOf(file), session) : [];
    return followDocuments(ports, [file, ...folders], build, previous);
  },
};

const storageOf = (file: string) => path.dirname(path.dirname(path.dirname(file)));
const isStored = (file: string) => path.basename(path.dirname(path.dirname(file))) === 'session';

/** All that is kept of a session, as it is. @throws what tells why it cannot be read */
export function storedSession(
  ports: Ports,
  { file, session }: Pick<TranscriptSession, 'file' | 'session'>,
): { readonly messages: readonly StoredMessage[]; readonly info: JsonRecord } {
  if (file.endsWith('.db')) return { messages: messagesInDatabase(ports, file, session), info: {} };
  if (isStored(file)) {
    return { messages: storedMessages(ports, storageOf(file), session), info: documentAt(ports, file) };
  }
  const { info, messages } = recordOf(parseDocument(readDocument(ports, file)));
  return { messages: recordsOf(messages).map(exported), info: recordOf(info) };
}

const exported = ({ info, parts }: JsonRecord): StoredMessage => ({ info: recordOf(info), parts: recordsOf(parts) });

function messageFolders(ports: Ports, storage: string, session: string): string[] {
  const dir = path.join(storage, 'message', session);
  const messages = filesIn(ports, dir, (name) => name.endsWith('.json'));
  const newest = messages.slice(-3).map(({ file }) => path.join(storage, 'part', path.basename(file, '.json')));
  return [dir, ...newest, ...newest.flatMap((part) => filesIn(ports, part, () => true).map(({ file }) => file))];
}

function storedMessages(ports: Ports, storage: string, session: string): StoredMessage[] {
  const isDocument = (name: string) => name.endsWith('.json');
  return filesIn(ports, path.join(storage, 'message', session), isDocument).map(({ file }) => {
    const info = { id: path.basename(file, '.json'), ...documentAt(ports, file) };
    const parts = filesIn(ports, path.join(storage, 'part', path.basename(file, '.json')), isDocument);
    return { info, parts: parts.map((part) => documentAt(ports, part.file)) };
  });
}

/** Empty where it cannot be read: one bad file does not hide the others. */
function documentAt(ports: Ports, file: string): JsonRecord {
  try {
    return recordOf(parseDocument(readDocument(ports, file, 32 * maxSmallBytes)));
  } catch {
    return {};
  }
}

function toldBy(info: JsonRecord) {
  const cwd = textOf(info.directory);
  const title = titleOf(textOf(info.title));
  const startedAt = timeOf(recordOf(info.time).created);
  return {
    ...(idOf(info.id) !== undefined && { session: idOf(info.id)! }),
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function fromDatabase(ports: Ports, file: string, size: number): TranscriptSession[] {
  try {
    return databaseSessions(ports, file).map(({ id, directory, title, created, updated }) => ({
      agent,
      session: id,
      file,
      cwd: directory,
      title: titleOf(title),
      startedAt: timeOf(created),
      updatedAt: timeOf(updated) ?? timeOf(created) ?? new Date(0).toISOString(),
      size,
    }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const unreadable = `${file} cannot be read (${why}). \`opencode export <session> > file.json\` writes a session that can.`;
    return [{ agent, session: 'opencode.db', file, updatedAt: new Date(0).toISOString(), size, unreadable }];
  }
}
