// What is kept of an agent's session between its events: its present turn, and the roots that it touched.
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../ports';
import { ensureDir, removeQuietly, writeFileAtomic } from '../state/atomicFile';
import { readJson } from '../state/jsonFile';
import type { AgentInfo } from '../store/meta';
import { ensureStore, rootStores } from '../store/stores';

const turnSchema = v.object({
  id: v.pipe(v.string(), v.maxLength(500)),
  prompt: v.exactOptional(v.string()),
  /** ms since the epoch. */
  at: v.number(),
});

export type Turn = v.InferOutput<typeof turnSchema>;

/** The agent's name is left out: one session may be reported under two names. */
const keyOf = (session: string) => createHash('sha256').update(session).digest('hex').slice(0, 32);
const stateFile = (ports: Ports, session: string) => path.join(ports.stateDir, 'sessions', `${keyOf(session)}.json`);
const rootsFile = (ports: Ports, session: string) => path.join(ports.stateDir, 'sessions', `${keyOf(session)}.roots`);
const storeFile = (ports: Ports, session: string, root: string) =>
  path.join(rootStores(ports, root).primary.index, 'sessions', `${keyOf(session)}.json`);

/** The newest record of the turn; never throws. `root`: that of the agent's current folder. */
export function readTurn(ports: Ports, { session }: AgentInfo, root: string | undefined): Turn | undefined {
  const files = [stateFile(ports, session), ...(root === undefined ? [] : [storeFile(ports, session, root)])];
  return files
    .map((file) => v.safeParse(turnSchema, readJson(ports, file)))
    .flatMap((found) => (found.success ? [found.output] : []))
    .sort((a, b) => b.at - a.at)[0];
}

/** In user state; where an agent's sandbox forbids that, in the store of the root. Never throws. */
export function writeTurn(ports: Ports, { session }: AgentInfo, root: string | undefined, turn: Turn): void {
  try {
    return writeRecord(ports, stateFile(ports, session), turn);
  } catch {
    if (root === undefined) return;
  }
  try {
    ensureStore(ports, rootStores(ports, root).primary);
    writeRecord(ports, storeFile(ports, session, root), turn);
  } catch {
    // Captures go on without a turn's name.
  }
}

function writeRecord(ports: Ports, file: string, turn: Turn): void {
  ensureDir(ports, path.dirname(file));
  writeFileAtomic(ports, file, JSON.stringify(turn), { flush: false });
}

/** Notes an event of the session and the roots it touched. Never throws. */
export function noteSession(ports: Ports, session: string, roots: readonly string[]): void {
  const file = rootsFile(ports, session);
  const at = ports.now() / 1000;
  try {
    const known = sessionRoots(ports, session);
    const added = roots.filter((root) => !known.includes(root));
    if (added.length > 0) {
      ensureDir(ports, path.dirname(file));
      // Appended in one write: several processes do this at once.
      ports.fs.writeFileSync(file, added.map((root) => `${JSON.stringify(root)}\n`).join(''), {
        flag: 'a',
        mode: 0o600,
      });
    }
    ports.fs.utimesSync(file, at, at);
  } catch {
    // In a sandbox: the turn's end then looks only at the current folder's root.
  }
}

/** Real absolute paths. Never throws. */
export function sessionRoots(ports: Ports, session: string): string[] {
  let text: string;
  try {
    text = ports.fs.readFileSync(rootsFile(ports, session), 'utf8');
  } catch {
    return [];
  }
  const roots = text.split('\n').flatMap((line) => {
    try {
      const root: unknown = JSON.parse(line);
      return typeof root === 'string' && path.isAbsolute(root) ? [root] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(roots)];
}

/** When the session last had an event, ms since the epoch; undefined where that is not known. */
export function sessionSeen(ports: Ports, session: string | undefined): number | undefined {
  try {
    return session === undefined ? undefined : ports.fs.statSync(rootsFile(ports, session)).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Forgets sessions without an event since `before`, ms since the epoch. Never throws. */
export function removeOldSessions(ports: Ports, before: number): void {
  const folder = path.join(ports.stateDir, 'sessions');
  try {
    for (const name of ports.fs.readdirSync(folder)) {
      const file = path.join(folder, name);
      if (ports.fs.lstatSync(file).mtimeMs < before) removeQuietly(ports, file);
    }
  } catch {
    // No sessions, or another process removes them.
  }
}
