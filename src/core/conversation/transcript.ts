// What a reader of an agent's own transcripts is: finds them, and turns one into the tree model.
import type { Ports } from '../ports';
import type { ConversationTree } from './model';

/** One conversation that an agent keeps on this computer. */
export interface TranscriptSession {
  readonly agent: string;
  /** The agent's own id of it. */
  readonly session: string;
  /** Absolute; what `read` takes. */
  readonly file: string;
  readonly cwd?: string | undefined;
  /** One line. */
  readonly title?: string | undefined;
  /** UTC, ISO 8601. */
  readonly startedAt?: string | undefined;
  readonly updatedAt: string;
  /** Bytes. */
  readonly size: number;
  /** Why it cannot be read, and what to do about it. */
  readonly unreadable?: string | undefined;
}

export interface TranscriptPlaces {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly home: string;
  /** Real paths of workspace roots: only conversations held in or below them. Absent: all. */
  readonly roots?: readonly string[] | undefined;
  /** Further user-data folders of VS Code. */
  readonly userData?: readonly string[] | undefined;
  /** As `process.platform`; by default that. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** A tree, and what is needed to go on from there. Pass it to `read` again to get only what came since. */
export interface Followed {
  readonly tree: ConversationTree;
}

export interface TranscriptReader {
  readonly agent: string;
  /** Newest first. Cheap: names, times, and the beginnings of the newest files. Never throws. */
  locate(ports: Ports, places: TranscriptPlaces): TranscriptSession[];
  /**
   * Never throws: what cannot be read is told in `tree.damaged`.
   * @param previous what an earlier call gave for the same session; without news it is given back as it is
   */
  read(ports: Ports, session: Pick<TranscriptSession, 'file' | 'session'>, previous?: Followed): Followed;
}
