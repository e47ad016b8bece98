// VS Code's own agent: the log of Copilot where there is one, else the chat that VS Code keeps for its view.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TranscriptPlaces, TranscriptReader } from '../../core/conversation/transcript';
import { followLines } from '../../core/conversation/transcriptFollow';
import { idOf, recordOf, recordsOf, textOf, timeOf } from '../../core/conversation/transcriptJson';
import { titleOf } from '../../core/conversation/transcriptNodes';
import {
  filesIn,
  firstRecords,
  foldersIn,
  head,
  sessionsFrom,
  type FoundFile,
  type Told,
} from '../../core/conversation/transcriptPlaces';
import { followDocuments, parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import { eventsBuilder, toldByEvents } from '../copilotEvents';
import { chatBuilder, chatTree } from './chatSession';

const agent = 'vscode';
const products = ['Code', 'Code - Insiders', 'VSCodium'];

export const vscodeTranscripts: TranscriptReader = {
  agent,
  locate(ports, places) {
    const found = new Map<string, FoundFile & { folder: string }>();
    for (const folder of storageFolders(ports, places)) {
      const chats = path.basename(folder) === 'emptyWindowChatSessions' ? folder : path.join(folder, 'chatSessions');
      const lists = [
        filesIn(ports, chats, (name) => /\.jsonl?$/.test(name)),
        // What the agent itself was told and did says more: it goes before the view's.
        filesIn(ports, path.join(folder, 'GitHub.copilot-chat', 'transcripts'), (name) => name.endsWith('.jsonl')),
      ];
      for (const file of lists.flat()) found.set(`${folder}\n${sessionOf(file.file)}`, { ...file, folder });
    }
    const cwds = new Map<string, string | undefined>();
    const folderOf = new Map([...found.values()].map(({ file, folder }) => [file, folder]));
    return sessionsFrom(ports, agent, places, [...found.values()], (file) => {
      const folder = folderOf.get(file.file)!;
      if (!cwds.has(folder)) cwds.set(folder, workspaceOf(ports, folder));
      const cwd = cwds.get(folder);
      return { session: sessionOf(file.file), ...(cwd !== undefined && { cwd }), ...toldBy(ports, file.file) };
    });
  },
  read(ports, { file, session }, previous) {
    const source = { agent, session };
    if (isEventLog(file)) return followLines(ports, file, () => eventsBuilder(source), previous);
    if (file.endsWith('.jsonl')) return followLines(ports, file, () => chatBuilder(source), previous);
    return followDocuments(
      ports,
      [file],
      () => chatTree(source, recordOf(parseDocument(readDocument(ports, file)))),
      previous,
    );
  },
};

const sessionOf = (file: string) => path.basename(file).replace(/\.jsonl?$/, '');
const isEventLog = (file: string) => path.basename(path.dirname(file)) === 'transcripts';

/** One for each workspace that VS Code knows, and the one for windows without. */
export function storageFolders(ports: Ports, places: TranscriptPlaces): string[] {
  return userDataFolders(places).flatMap((user) => [
    ...foldersIn(ports, path.join(user, 'workspaceStorage')),
    path.join(user, 'globalStorage', 'emptyWindowChatSessions'),
  ]);
}

/** Where extensions keep what belongs to no workspace. */
export const globalStorageFolders = (places: TranscriptPlaces): string[] =>
  userDataFolders(places).map((user) => path.join(user, 'globalStorage'));

function userDataFolders({ env, home, userData = [], platform = process.platform }: TranscriptPlaces): string[] {
  const base =
    platform === 'darwin'
      ? path.join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? env.APPDATA || path.join(home, 'AppData', 'Roaming')
        : env.XDG_CONFIG_HOME || path.join(home, '.config');
  const portable = env.VSCODE_PORTABLE ? [path.join(env.VSCODE_PORTABLE, 'user-data', 'User')] : [];
  const remote = ['.vscode-server', '.vscode-server-insiders', '.vscode-remote'].map((name) =>
    path.join(home, name, 'data', 'User'),
  );
  return [...new Set([...userData, ...portable, ...products.map((name) => path.join(base, name, 'User')), ...remote])];
}

/** The folder of a workspace; undefined for one of several folders, and for a remote one. */
export function workspaceOf(ports: Ports, folder: string): string | undefined {
  try {
    const text = head(ports, path.join(folder, 'workspace.json')).toString('utf8');
    const uri = new URL(textOf(recordOf(JSON.parse(text)).folder) ?? '');
    return uri.protocol === 'file:' ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

function toldBy(ports: Ports, file: string): Told {
  if (isEventLog(file)) return toldByEvents(firstRecords(ports, file));
  // The whole chat may stand in one line: what its beginning tells is enough here.
  const text = head(ports, file).toString('utf8');
  const custom = stringAfter(text, 'customTitle');
  const [record] = firstRecords(ports, file);
  const chat = recordOf(record?.v ?? record);
  const prompt =
    recordsOf(chat.requests).map(({ message }) => textOf(recordOf(message).text))[0] ?? stringAfter(text, 'text');
  const title = titleOf(custom) ?? titleOf(prompt);
  const startedAt = timeOf(chat.creationDate) ?? timeOf(Number(/"creationDate":\s*(\d{10,14})/.exec(text)?.[1] ?? NaN));
  const session = idOf(chat.sessionId);
  return {
    ...(session !== undefined && { session }),
    ...(title !== undefined && { title }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

function stringAfter(text: string, name: string): string | undefined {
  const found = new RegExp(`"${name}":\\s*("(?:[^"\\\\]|\\\\.){0,2000}")`).exec(text)?.[1];
  try {
    return found === undefined ? undefined : (JSON.parse(found) as string);
  } catch {
    return undefined;
  }
}
