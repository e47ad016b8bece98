// Finding transcripts: folders are listed, the beginnings of the newest files are read, nothing is followed blindly.
import type { Dirent } from 'node:fs';
import path from 'node:path';
import type { Ports } from '../ports';
import type { TranscriptPlaces, TranscriptSession } from './transcript';
import { withTranscript } from './transcriptFollow';
import { parseLine, type JsonRecord } from './transcriptJson';

/** Names that are looked at in one folder. */
const maxNames = 50_000;
/** Of one agent; only for these the files' beginnings are read. */
const maxSessions = 2000;
const peekBytes = 64 * 1024;

/** Sorted by name; empty where there is no such folder. Never throws. */
export function entriesIn({ fs }: Ports, dir: string): Dirent[] {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true }).slice(0, maxNames);
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Absolute paths of the folders in a folder; links to folders count. */
export const foldersIn = (ports: Ports, dir: string): string[] =>
  entriesIn(ports, dir)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => path.join(dir, name));

export interface FoundFile {
  /** Absolute. */
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** ms since the epoch. */
  readonly mtimeMs: number;
}

/** The plain files in a folder whose name the test takes. */
export function filesIn(ports: Ports, dir: string, takes: (name: string) => boolean): FoundFile[] {
  return entriesIn(ports, dir)
    .filter((entry) => !entry.isDirectory() && takes(entry.name))
    .flatMap(({ name }) => fileAt(ports, path.join(dir, name)) ?? []);
}

export function fileAt({ fs }: Ports, file: string): FoundFile | undefined {
  try {
    const stat = fs.statSync(file);
    return stat.isFile() ? { file, size: stat.size, mtimeMs: stat.mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

/** The whole records at a file's beginning. Never throws. */
export function firstRecords(ports: Ports, file: string, bytes = peekBytes): JsonRecord[] {
  return linesOf(head(ports, file, bytes)).flatMap((line) => [...parseLine(line).records]);
}

/** A file's beginning. Never throws. */
export function head(ports: Ports, file: string, bytes = peekBytes): Buffer {
  try {
    return withTranscript(ports, file, (fd, { size }) => {
      const buffer = Buffer.alloc(Math.min(bytes, size));
      return buffer.subarray(0, ports.fs.readSync(fd, buffer, 0, buffer.length, 0));
    });
  } catch {
    return Buffer.alloc(0);
  }
}

/** The last one may be cut off: it is left out, unless it is the only one. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines.length > 0 ? lines : [bytes];
}

/** What the beginning of a session's file tells. */
export type Told = Partial<Pick<TranscriptSession, 'session' | 'cwd' | 'title' | 'startedAt' | 'unreadable'>>;

/**
 * The sessions of an agent, newest first. A session whose folder is not known is left out where roots are given.
 * @param tell may throw: that file is left out
 */
export function sessionsFrom(
  ports: Ports,
  agent: string,
  places: TranscriptPlaces,
  files: readonly FoundFile[],
  tell: (file: FoundFile) => Told & { readonly session: string },
): TranscriptSession[] {
  const newest = [...files].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.file < b.file ? -1 : 1)).slice(0, maxSessions);
  const sessions: TranscriptSession[] = [];
  for (const found of newest) {
    try {
      const { session, cwd, ...told } = tell(found);
      if (!isWanted(ports, places, cwd)) continue;
      const updatedAt = new Date(found.mtimeMs).toISOString();
      sessions.push({
        agent,
        session,
        file: found.file,
        ...(cwd !== undefined && { cwd }),
        ...told,
        updatedAt,
        size: found.size,
      });
    } catch {
      // Not one that can be shown.
    }
  }
  return sessions;
}

export function isWanted(ports: Ports, { roots }: TranscriptPlaces, cwd: string | undefined): boolean {
  if (roots === undefined) return true;
  if (cwd === undefined || !path.isAbsolute(cwd)) return false;
  return [cwd, realOr(ports, cwd)].some((dir) =>
    roots.some((root) => dir === root || dir.startsWith(root.endsWith(path.sep) ? root : root + path.sep)),
  );
}

function realOr({ fs }: Ports, dir: string): string {
  try {
    return fs.realpathSync(dir);
  } catch {
    return dir;
  }
}

/** A folder that an environment variable names, with `~`; else the default. */
export function folderFrom({ env, home }: TranscriptPlaces, variable: string, ...standard: string[]): string {
  const named = env[variable];
  if (named === undefined || named === '') return path.join(home, ...standard);
  return path.resolve(home, named.replace(/^~(?=$|[/\\])/, home));
}
