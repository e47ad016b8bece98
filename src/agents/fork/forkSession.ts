// A conversation that its agent itself goes on from: a new session beside the old one, which is never changed.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Chain } from '../../core/conversation/chain';
import type { Message, NodeSource } from '../../core/conversation/model';
import type { TranscriptPlaces, TranscriptSession } from '../../core/conversation/transcript';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { forkFormat, forkFormats } from '../forks';
import { transcriptReader } from '../transcripts';
import type { NewSession, ProgramCall } from './format';
import { writeSession } from './writeSession';

export interface ForkRequest {
  readonly chain: Chain;
  /** The node up to which it goes. */
  readonly at: string;
  /** The root's real path. */
  readonly root: string;
  readonly places: Omit<TranscriptPlaces, 'roots'>;
  /** What the new session begins with, in place of what the agent's own record has up to there. */
  readonly messages?: readonly Message[] | undefined;
}

export interface ForkedSession {
  readonly agent: string;
  /** The agent's id of the new session. */
  readonly session: string;
  /** Absolute. */
  readonly file: string;
  /** Absolute; where the agent has to be started. */
  readonly cwd: string;
  /** `transcript`: the agent's own records, as they are. `messages`: written out of messages. */
  readonly from: 'transcript' | 'messages';
  /** To be run first. */
  readonly before?: ProgramCall;
  readonly start: ProgramCall;
}

/** The agent of a node; of what was added to a conversation by others, that of what it grew from. */
export function sourceOf(chain: Chain, at: string): NodeSource | undefined {
  const { nodes } = chain;
  for (let index = chain.indexOf(at); index >= 0; index = nodes[index]!.parent) {
    const { source } = nodes[index]!;
    if (source !== undefined) return source;
  }
  return undefined;
}

/** Why no session of its own can be made of a node; undefined where it can. Does not look at the agent's files. */
export function cannotFork(chain: Chain, at: string): string | undefined {
  const source = sourceOf(chain, at);
  if (source === undefined) return 'This conversation is of no agent that is known.';
  if (chain.nodes[chain.indexOf(at)]!.sidechain) return 'This is a part of what a subagent did.';
  if (forkFormat(source.agent) !== undefined) return undefined;
  const others = forkFormats.map(({ agent }) => agent).join(', ');
  return `A session of ${source.agent} cannot be made from outside; it can for ${others}.`;
}

/**
 * @throws CheckpointError `failed` where the agent cannot be given a session; `damaged`, `not-found`, `refused-path`
 */
export function forkSession(ports: Ports, { chain, at, root, places, messages }: ForkRequest): ForkedSession {
  const refusal = cannotFork(chain, at);
  if (refusal !== undefined) {
    throw new CheckpointError('failed', `${refusal} \`rebuild\` gives a context to go on from.`);
  }
  const source = sourceOf(chain, at)!;
  const format = forkFormat(source.agent)!;
  const known = transcriptOf(ports, source, { ...places, roots: [root] });
  const now = ports.now();
  const session: NewSession = {
    id: format.newId(now),
    cwd: folderOf(ports, known, root),
    now,
    fresh: randomUUID,
  };
  const folder = format.folder(ports, { ...places, roots: [root] });
  const file = format.file(folder, session, known);
  const isCopy = messages === undefined && known !== undefined;
  // A record that is gone is no loss: our own has all that was said.
  const said = () => messages ?? (chain.messages(at) as unknown as readonly Message[]);
  const lines = isCopy
    ? format.copy(ports, known, source.entry ?? at, session)
    : format.write(ports, said(), session, known);
  writeSession(ports, folder, file, lines);
  const before = format.before?.(session, file);
  return {
    agent: format.agent,
    session: session.id,
    file,
    cwd: session.cwd,
    from: isCopy ? 'transcript' : 'messages',
    ...(before !== undefined && { before }),
    start: format.start(session, file),
  };
}

function transcriptOf(ports: Ports, { agent, session }: NodeSource, places: TranscriptPlaces) {
  const sessions = transcriptReader(agent)?.locate(ports, places) ?? [];
  return sessions.find((found) => found.session === session && found.unreadable === undefined);
}

/** Where the agent worked, if that is still there: agents look for a session by the folder that they start in. */
function folderOf({ fs }: Ports, known: TranscriptSession | undefined, root: string): string {
  const cwd = known?.cwd;
  if (cwd === undefined || !path.isAbsolute(cwd)) return root;
  try {
    return fs.statSync(cwd).isDirectory() ? cwd : root;
  } catch {
    return root;
  }
}
