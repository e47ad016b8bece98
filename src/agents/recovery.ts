// What agents' own records hold of files as they were. Not loaded by a hook process.
import type { RecoveredCall } from '../core/capture/recovered';
import type { TranscriptPlaces, TranscriptSession } from '../core/conversation/transcript';
import type { Ports } from '../core/ports';
import type { AgentName } from './agent';
import type { Recover } from './recover';
import { recoverClaude } from './claude-code/recover';
import { recoverCodex } from './codex/recover';
import { recoverCopilot } from './copilot-cli/recover';
import { recoverGemini } from './gemini/recover';
import { transcriptReaders } from './transcripts';
import { recoverVscode } from './vscode/recover';
import { recoverWindsurf } from './windsurf/recover';

const recovers: Partial<Record<AgentName, Recover>> = {
  vscode: recoverVscode,
  'claude-code': recoverClaude,
  codex: recoverCodex,
  gemini: recoverGemini,
  qwen: recoverGemini,
  'copilot-cli': recoverCopilot,
  windsurf: recoverWindsurf,
};

/** The agents whose records hold files. */
export const recoverableAgents = Object.keys(recovers) as AgentName[];

export interface RecoverableSession {
  readonly session: TranscriptSession;
  /** Oldest first; all of the session's files that are known are in memory then. */
  readonly calls: RecoveredCall[];
}

/** One session after the other, oldest first, so that a fork finds what its origin holds. */
export function* recoverableSessions(
  ports: Ports,
  places: TranscriptPlaces,
  only: { readonly agent?: string | undefined; readonly session?: string | undefined } = {},
): Generator<RecoverableSession> {
  for (const { agent, locate } of transcriptReaders) {
    const recover = recovers[agent as AgentName];
    if (recover === undefined || (only.agent !== undefined && only.agent !== agent)) continue;
    for (const session of locate(ports, places).reverse()) {
      if (only.session !== undefined && only.session !== session.session) continue;
      yield { session, calls: safely(() => recover(ports, session, places)) };
    }
  }
}

function safely(recover: () => RecoveredCall[]): RecoveredCall[] {
  try {
    return recover();
  } catch {
    // Records of others: what cannot be read holds nothing for us.
    return [];
  }
}
