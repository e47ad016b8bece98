// What is read of opencode's database.
import { recordOf, textOf } from '../../core/conversation/transcriptJson';
import type { Ports } from '../../core/ports';
import { openSqlite, type SqliteRow } from './sqlite';
import type { StoredMessage } from './messages';

export interface SessionRow {
  readonly id: string;
  readonly directory?: string | undefined;
  readonly title?: string | undefined;
  /** ms since the epoch. */
  readonly created?: number | undefined;
  readonly updated?: number | undefined;
}

/** @throws what tells why the database cannot be read */
export function databaseSessions(ports: Ports, file: string): SessionRow[] {
  return openSqlite(ports, file, (database) => {
    const sessions: SessionRow[] = [];
    for (const row of database.rows('session')) {
      const id = textOf(row.id);
      if (id === undefined) continue;
      const data = jsonIn(row.data);
      sessions.push({
        id,
        directory: textOf(row.directory) ?? textOf(data.directory),
        title: textOf(row.title) ?? textOf(data.title),
        created: numberIn(row.time_created) ?? numberIn(recordOf(data.time).created),
        updated: numberIn(row.time_updated) ?? numberIn(recordOf(data.time).updated),
      });
    }
    return sessions;
  });
}

/** In the order of the rows. @throws what tells why the database cannot be read */
export function messagesInDatabase(ports: Ports, file: string, session: string): StoredMessage[] {
  return openSqlite(ports, file, (database) => {
    const isOurs = (row: SqliteRow) => row.session_id === session;
    const messages = new Map<string, { info: Record<string, unknown>; parts: Record<string, unknown>[] }>();
    for (const row of database.rows('message', isOurs)) {
      const id = textOf(row.id);
      const time = { created: numberIn(row.time_created) };
      if (id !== undefined) messages.set(id, { info: { time, ...jsonIn(row.data), id }, parts: [] });
    }
    for (const row of database.rows('part', (part) => messages.has(textOf(part.message_id) ?? ''))) {
      messages.get(textOf(row.message_id)!)!.parts.push({ ...jsonIn(row.data), id: textOf(row.id) });
    }
    for (const { parts } of messages.values()) parts.sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
    return [...messages.values()];
  });
}

const numberIn = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

function jsonIn(value: unknown): Record<string, unknown> {
  try {
    return { ...recordOf(JSON.parse(textOf(value) ?? '')) };
  } catch {
    return {};
  }
}
