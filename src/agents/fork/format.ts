// What it takes to make a session that an agent itself can go on from.
import type { Message } from '../../core/conversation/model';
import type { TranscriptPlaces, TranscriptSession } from '../../core/conversation/transcript';
import type { JsonRecord } from '../../core/conversation/transcriptJson';
import type { Ports } from '../../core/ports';
import type { AgentName } from '../agent';

/** The session that is made. */
export interface NewSession {
  /** Made by the format itself: never out of a transcript. */
  readonly id: string;
  /** Absolute; where the agent has to be started. */
  readonly cwd: string;
  /** ms since the epoch. */
  readonly now: number;
  /** A fresh id for a record. */
  readonly fresh: () => string;
}

/** What another session of the agent tells about how its files are written here. */
export type Known = Pick<TranscriptSession, 'file' | 'session' | 'title'>;

/** How a program is run. Arguments are given as they are, through no shell. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

export interface ForkFormat {
  readonly agent: AgentName;
  /** Absolute; all sessions of the agent are in it, and nothing is written outside of it. */
  folder(ports: Ports, places: TranscriptPlaces): string;
  /** Looks like the ids that the agent gives. */
  newId(now: number): string;
  /** Absolute. @param known a session in the same folder of the workspace, where there is one */
  file(folder: string, session: NewSession, known: Known | undefined): string;
  /**
   * The lines of a session that goes up to an entry of another one, which is only read. Results of calls come along.
   * @throws CheckpointError `not-found` (the entry), `damaged` where a part of it cannot be read
   */
  copy(ports: Ports, known: Known, entry: string, session: NewSession): Iterable<string>;
  /** The lines of a session that begins with these messages. @param known as of {@link ForkFormat.file} */
  write(ports: Ports, messages: readonly Message[], session: NewSession, known: Known | undefined): Iterable<string>;
  /** Has to be run before it can be started. */
  before?(session: NewSession, file: string): ProgramCall;
  /** Starts the agent on the session, for a person. */
  start(session: NewSession, file: string): ProgramCall;
}

/** One record of a file that is copied. */
export interface SourceRecord {
  readonly record: JsonRecord;
  /** 1 is the first. */
  readonly line: number;
  /** The record's own text. */
  readonly text: string;
}
