// How the files that an agent's records hold are read out of them.
import type { RecoveredCall } from '../core/capture/recovered';
import type { TranscriptPlaces, TranscriptSession } from '../core/conversation/transcript';
import type { Ports } from '../core/ports';

/** Oldest first; empty where a session holds nothing. May throw: then it holds nothing either. */
export type Recover = (ports: Ports, session: TranscriptSession, places: TranscriptPlaces) => RecoveredCall[];
