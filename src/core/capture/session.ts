// What is kept of an agent's session between its events: its present turn, and the roots that it touched.
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as v from 'valibot';
import type { Ports } from '../ports';
import { ensureDir, removeQuietly, writeFileAtomic } from '../state/atomicFile';
import { readJson } from '../state/jsonFile';
import type { AgentInfo } from '../store/meta';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { ensureIndexDir, ensureStore, rootStores } from '../store/stores';

/** Characters of a prompt that are kept: enough to know it again. */
export const maxPrompt = 2000;

const turnSchema = v.object({
  id: v.pipe(v.string(), v.maxLength(500)),
  prompt: v.exactOptional(v.pipe(v.string(), v.maxLength(maxPrompt))),
  /** ms since the epoch. */
  at: v.number(),
});

export type Turn = v.InferOutput<typeof turnSchema>;

/** The agent's name is left out: one session may be reported under two names. */
const keyOf = (session: string) => createHash('sha256').update(session).digest('hex').slice(0, 32);
const stateFile = (ports: Ports, session: string) => path.join(ports.stateDir, 'sessions', `${keyOf(session)}.json`);

/** The same for a subagent: what it does belongs to the turn that it was started in, also when that is over. */
export const asSession = ({ session, subagent }: AgentInfo): Pick<AgentInfo, 'session'> => ({
  session: subagent === undefined ? session : `${session}\0${subagent}`,
});
const rootsFile = (ports: Ports, session: string) => path.join(ports.stateDir, 'sessions', `${keyOf(session)}.roots`);
const storeFile = ({ index }: StoreLayout, session: string) => path.join(index, 'sessions', `${keyOf(session)}.json`);

/** The newest record of the turn; never throws. `root`: that of the agent's current folder. */
export function readTurn(
  ports: Ports,
  { session }: Pick<AgentInfo, 'session'>,
  root: string | undefined,
): Turn | undefined {
  const own = readJson(ports, stateFile(ports, session));
  // What a store says of the future would win for ever.
  const latest = ports.now() + 60_000;
  return [own, root === undefined ? undefined : readStoreTurn(ports, session, root)]
    .map((found) => v.safeParse(turnSchema, found))
    .flatMap((found) => (found.success && found.output.at <= latest ? [found.output] : []))
    .sort((a, b) => b.at - a.at)[0];
}

function readStoreTurn(ports: Ports, session: string, root: string): unknown {
  const store = rootStores(ports, root).primary;
  try {
    return inStore(ports, store, (within) => readJson(within, storeFile(store, session)));
  } catch {
    return undefined;
  }
}

/** In user state; where an agent's sandbox forbids that, in the store of the root. Never throws. */
export function writeTurn(
  ports: Ports,
  { session }: Pick<AgentInfo, 'session'>,
  root: string | undefined,
  turn: Turn,
): void {
  try {
    ensureDir(ports, path.dirname(stateFile(ports, session)));
    return writeRecord(ports, stateFile(ports, session), turn);
  } catch {
    if (root === undefined) return;
  }
  try {
    const store = rootStores(ports, root).primary;
    inStore(ports, store, (within) => {
      ensureStore(within, store);
      ensureIndexDir(within, store, 'sessions');
      writeRecord(within, storeFile(store, session), turn);
    });
  } catch {
    // Captures go on without a turn's name.
  }
}

function writeRecord(ports: Ports, file: string, turn: Turn): void {
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
