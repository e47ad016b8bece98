// Turns: what an agent does between one prompt of the person and the next.
import type { Ports } from '../ports';
import { uniqueSuffix } from '../state/atomicFile';
import type { AgentInfo } from '../store/meta';
import { rootStores } from '../store/stores';
import { closeCheckpoint, openCheckpoints } from './close';
import { onDemand } from './onDemand';
import { rootOfFolder } from './placing';
import { hasOpenSweeps } from './sweep/isOpen';
import { asSession, maxPrompt, noteSession, readTurn, sessionRoots, writeTurn, type Turn } from './session';

export interface TurnEvent {
  readonly agent: AgentInfo;
  /** Absolute. */
  readonly cwd: string;
  readonly projectDir?: string;
}

/** ms within which the same prompt without a turn's id is the same turn, reported by a second hook. */
const repeated = 5000;

/**
 * A prompt of the person begins a turn, and ends what the session still has open. The turn's id is the agent's own,
 * verbatim; without one it is made. Repeating it with the same id changes nothing. Never throws.
 */
export function beginTurn(ports: Ports, event: TurnEvent & { readonly prompt?: string }): void {
  const { agent } = event;
  const root = rootOfFolder(ports, event);
  const prompt = event.prompt?.slice(0, maxPrompt).toWellFormed();
  const before = readTurn(ports, agent, root);
  const at = ports.now();
  if (before !== undefined) {
    const sameId = agent.turn !== undefined && before.id === agent.turn;
    const samePrompt = agent.turn === undefined && before.prompt === prompt && Math.abs(at - before.at) < repeated;
    if (sameId || samePrompt) return;
  }
  closeSession(ports, event, root);
  const id = agent.turn?.slice(0, 500) ?? `turn-${uniqueSuffix()}`;
  writeTurn(ports, agent, root, { id, at, ...(prompt !== undefined && { prompt }) });
  noteSession(ports, agent.session, []);
}

/**
 * The agent has stopped: what its session has open is closed, and the stores it touched are brought back under their
 * limits. Never throws.
 * @param event `keepOpen`: subagents still write in the background, so nothing is closed yet
 * @returns the roots (real paths) that the session touched
 */
export function endTurn(ports: Ports, event: TurnEvent & { readonly keepOpen?: boolean }): readonly string[] {
  const roots = rootsOf(ports, event, rootOfFolder(ports, event));
  if (!event.keepOpen) closeSession(ports, event, rootOfFolder(ports, event));
  noteSession(ports, event.agent.session, []);
  if (!event.keepOpen) tidy(ports, roots);
  return roots;
}

/**
 * An agent has started another one (`agent.subagent`), whose calls have a turn of their own name: they belong to the
 * turn that the session is in now. Ends nothing. Never throws.
 */
export function beginSubagent(ports: Ports, event: TurnEvent): void {
  const root = rootOfFolder(ports, event);
  const turn = readTurn(ports, event.agent, root);
  if (turn !== undefined) writeTurn(ports, asSession(event.agent), root, turn);
}

/** The session's present turn, if one was begun; of a subagent that in which it was started. Never throws. */
export function currentTurn(ports: Ports, event: TurnEvent): Turn | undefined {
  const { agent } = event;
  const root = rootOfFolder(ports, event);
  const own = agent.subagent === undefined ? undefined : readTurn(ports, asSession(agent), root);
  return own ?? readTurn(ports, agent, root);
}

function rootsOf(ports: Ports, { agent }: TurnEvent, root: string | undefined): string[] {
  return [...new Set([...sessionRoots(ports, agent.session), ...(root === undefined ? [] : [root])])];
}

function closeSession(ports: Ports, event: TurnEvent, root: string | undefined): void {
  for (const each of rootsOf(ports, event, root)) {
    for (const open of openCheckpoints(ports, rootStores(ports, each))) {
      if (open.record.session !== event.agent.session) continue;
      try {
        closeCheckpoint(ports, open, 'over');
      } catch {
        // It stays pending; a reader tries again.
      }
    }
    closeCommands(ports, each, event.agent.session);
  }
}

/** Commands whose end nobody told, and those that ran in the background. */
function closeCommands(ports: Ports, root: string, session: string): void {
  const stores = rootStores(ports, root);
  if (!hasOpenSweeps(ports, stores)) return;
  try {
    onDemand().closeSweeps(ports, stores, ({ agent }) => agent?.session === session);
  } catch {
    // A reader tries again.
  }
}

function tidy(ports: Ports, roots: readonly string[]): void {
  try {
    onDemand().tidyStores(ports, roots);
  } catch {
    // The next turn's end does it.
  }
}
