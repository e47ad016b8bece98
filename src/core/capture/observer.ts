// The door of capture: bytes are safe before a write goes on, and a capture that fails stops nobody.
import type { Ports } from '../ports';
import { readSettings } from '../state/settings';
import { uniqueSuffix } from '../state/atomicFile';
import { addWarning } from '../state/warnings';
import { rootStores } from '../store/stores';
import { closeCall } from './afterCall';
import { captureInRoot } from './captureInRoot';
import { claimKey } from './claim';
import { placeWrites } from './placing';
import type { CallReference, CaptureResult, WriteObserver, WriteRequest } from './request';
import { noteSession } from './session';
import { onDemand } from './onDemand';
import { currentTurn } from './turns';

const nothing: CaptureResult = { checkpoints: [], first: true };

export function createObserver(ports: Ports): WriteObserver {
  return {
    beforeWrite: (request) => quietly(ports, nothing, () => beforeWrite(ports, request)),
    afterWrite: (call) => quietly(ports, [], () => afterCall(ports, call, 'post')),
    abandon: (call) => void quietly(ports, [], () => afterCall(ports, call, 'abandon')),
  };
}

function beforeWrite(ports: Ports, request: WriteRequest): CaptureResult {
  const settings = readSettings(ports);
  if (settings.enabled === false) return nothing;
  if (request.kind === 'command') {
    onDemand().beforeCommand(ports, request, settings);
    return nothing;
  }
  if (request.writes.length === 0 && request.kind !== 'manual') return nothing;
  const parts = placeWrites(ports, request);
  const context = {
    settings,
    turn: request.agent && currentTurn(ports, { ...request, agent: request.agent }),
    group: groupOf(request, parts.size),
  };
  const captured = [...parts].flatMap(
    ([root, part]) => captureInRoot(ports, rootStores(ports, root), request, part, context) ?? [],
  );
  if (request.agent)
    noteSession(
      ports,
      request.agent.session,
      captured.map(({ root }) => root),
    );
  return {
    checkpoints: captured.map(({ root, id, fallback }) => ({ root, id, fallback })),
    first: captured.every(({ first }) => first),
  };
}

/** Shared by the checkpoints of one call; the same in every process that reports it. */
function groupOf(request: WriteRequest, roots: number): string | undefined {
  return roots > 1 ? (claimKey(request) ?? uniqueSuffix()) : undefined;
}

function afterCall(ports: Ports, call: CallReference, cause: 'post' | 'abandon'): readonly string[] {
  if (readSettings(ports).enabled === false) return [];
  if (call.kind === 'command') onDemand().afterCommand(ports, call);
  else closeCall(ports, call, cause);
  if (call.agent) noteSession(ports, call.agent.session, []);
  return [];
}

/** The agent's write goes on whatever happens here; the person is told once. */
function quietly<T>(ports: Ports, otherwise: T, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    addWarning(ports, {
      key: 'capture-failed',
      text: `A change could not be recorded, so it may have no checkpoint: ${text}`,
    });
    return otherwise;
  }
}
