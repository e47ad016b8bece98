// Reads the agents' transcripts and adds to our chains what is new.
import { transcriptReaders } from '../../agents/transcripts';
import { fileLinks } from '../../core/conversation/fileLinks';
import { followTree } from '../../core/conversation/follow';
import type { Followed, TranscriptPlaces } from '../../core/conversation/transcript';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { RootStores } from '../../core/store/stores';

/** Sessions of one agent that are followed; the newest. */
const maxSessions = 40;
/** ms without news after which a session is left to be imported by hand. */
const maxAge = 7 * 24 * 3600 * 1000;

export interface Known {
  readonly updatedAt: string;
  readonly size: number;
  readonly followed: Followed;
}

export interface FollowCall {
  readonly ports: Ports;
  readonly stores: readonly RootStores[];
  readonly places: Omit<TranscriptPlaces, 'roots'>;
  /** What the last call left; by session. */
  readonly known: Map<string, Known>;
  readonly isOver: () => boolean;
  readonly failed: (file: string, error: unknown) => void;
}

/** Lets others work between two files. @returns whether anything was added */
export async function followAll(call: FollowCall): Promise<boolean> {
  let added = false;
  for (const stores of call.stores) {
    for (const reader of transcriptReaders) {
      await new Promise(setImmediate);
      const sessions = reader.locate(call.ports, { ...call.places, roots: [stores.root] });
      for (const session of sessions.slice(0, maxSessions)) {
        if (call.isOver()) return added;
        const key = `${reader.agent}\n${session.file}\n${session.session}`;
        const before = call.known.get(key);
        if (before?.updatedAt === session.updatedAt && before.size === session.size) continue;
        const isOld = call.ports.now() - Date.parse(session.updatedAt) > maxAge;
        if (session.unreadable !== undefined || isOld) continue;
        await new Promise(setImmediate);
        try {
          const followed = reader.read(call.ports, session, before?.followed);
          const filesOf = fileLinks(call.ports, stores, session.session);
          const source = { agent: reader.agent, session: session.session };
          const news = followTree(call.ports, stores, source, followed.tree, { filesOf }).added;
          added ||= news.length > 0;
          call.known.set(key, { updatedAt: session.updatedAt, size: session.size, followed });
        } catch (error) {
          // Another window does it at this moment.
          if (!CheckpointError.is(error, 'locked')) call.failed(session.file, error);
        }
      }
    }
  }
  return added;
}
