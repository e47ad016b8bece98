// One hook call: the payload becomes an event, the event goes through the one door of capture.
import { createObserver } from '../core/capture/observer';
import type { WriteObserver } from '../core/capture/request';
import { beginSubagent, beginTurn, endTurn } from '../core/capture/turns';
import type { Ports } from '../core/ports';
import { noteSeen } from '../core/state/lastSeen';
import { readSettings } from '../core/state/settings';
import { addWarning } from '../core/state/warnings';
import { agentNames, type AgentEvent, type AgentName, type HookAdapter, type HookContext } from './agent';
import { answerFor } from './answer';
import { claudeCodeHook } from './claude-code/hook';
import { clineHook } from './cline/hook';
import { eventOf } from './event';
import { logHook } from './hookLog';
import { startAnswer } from './startContext';
import { vscodeHook } from './vscode/hook';
import { windsurfHook } from './windsurf/hook';

// Only what a hook needs: installers are in registry.ts, so that no hook process loads them.
const adapters: readonly HookAdapter[] = [claudeCodeHook, vscodeHook, clineHook, windsurfHook];

/** The adapter of an agent; one without its own is read by the shape that most agents share. */
function adapterOf(name: AgentName): HookAdapter {
  return (
    adapters.find((adapter) => adapter.name === name) ?? {
      name,
      parse: (text, context) => eventOf(name, text, context),
    }
  );
}

/**
 * Captures what a payload announces. Never throws and prints nothing: whatever goes wrong here, the agent goes on; it
 * is noted in the log of hooks and, once, as a warning for the person.
 *
 * @param agentName the agent whose configuration named the hook, as given on the command line
 * @param observerOf the door; others than capture can be put behind it (`combineObservers`)
 * @returns what is to be printed for the agent, usually nothing
 */
export function runHook(
  ports: Ports,
  agentName: string,
  payloadText: string,
  context: HookContext,
  observerOf: (ports: Ports) => WriteObserver = createObserver,
): string {
  try {
    const name = agentNames.find((known) => known === agentName);
    if (name === undefined) {
      logHook(ports, `unknown agent ${JSON.stringify(agentName.slice(0, 100))}`);
      return '';
    }
    const event = adapterOf(name).parse(payloadText, context);
    if (event.type === 'start') return startAnswer(ports, event);
    const texts = handle(ports, event, observerOf);
    return answerFor(agentOf(event)?.name ?? name, texts.length > 0 && readSettings(ports).annotations ? texts : []);
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    logHook(ports, `${agentName}: ${text}`);
    addWarning(ports, {
      key: 'hook-failed',
      text: `A hook of ${agentName} failed, so what the agent wrote then may have no checkpoint: ${text}`,
    });
    return '';
  }
}

const agentOf = (event: AgentEvent) =>
  event.type === 'ignore' ? undefined : 'request' in event ? event.request.agent : event.agent;

/** @returns texts for the agent */
function handle(ports: Ports, event: AgentEvent, observerOf: (ports: Ports) => WriteObserver): readonly string[] {
  const texts = act(ports, event, observerOf);
  const agent = agentOf(event);
  const isAfter = event.type === 'after' || (event.type === 'command' && event.phase !== 'before');
  if (agent && !isAfter) noteSeen(ports, agent.name);
  return texts;
}

/** Agents that never run two calls at once (learned by running them). */
const oneByOne: ReadonlySet<string> = new Set<AgentName>(['claude-code', 'qwen']);

function aroundCommand(observer: WriteObserver, event: Extract<AgentEvent, { type: 'command' }>): readonly string[] {
  const { phase, type, command: text, background, ...where } = event;
  const command = { text, background, sequential: oneByOne.has(event.agent.name) };
  const request = { kind: type, ...where, writes: [], command };
  if (phase !== 'before') return observer.afterWrite(request);
  observer.beforeWrite(request);
  return [];
}

function act(ports: Ports, event: AgentEvent, observerOf: (ports: Ports) => WriteObserver): readonly string[] {
  switch (event.type) {
    case 'before':
      // First: nothing may come between the call and the pre-image.
      observerOf(ports).beforeWrite(event.request);
      return [];
    case 'after':
      return observerOf(ports).afterWrite(event.request);
    case 'failed':
      observerOf(ports).abandon(event.request);
      return [];
    case 'prompt':
      if (readSettings(ports).enabled !== false) beginTurn(ports, event);
      return [];
    case 'subagent':
      if (readSettings(ports).enabled !== false) beginSubagent(ports, event);
      return [];
    case 'stop':
      if (readSettings(ports).enabled !== false) endTurn(ports, { ...event, keepOpen: event.background });
      return [];
    case 'command':
      return aroundCommand(observerOf(ports), event);
    case 'start':
    case 'ignore':
      return [];
  }
}
