// What an agent is told when it starts: a context that a person left for it, once.
import path from 'node:path';
import { realPlace } from '../core/capture/roots';
import type { Ports } from '../core/ports';
import { takeForStart } from '../core/state/nextStart';
import type { AgentName, Whereabouts } from './agent';

/** Agents whose start hook gives what it prints to the model. */
const takers: readonly AgentName[] = ['claude-code'];

/** @returns what goes to standard output, usually nothing */
export function startAnswer(ports: Ports, { agent, cwd, projectDir }: Whereabouts): string {
  const name = takers.find((known) => known === agent.name);
  if (name === undefined) return '';
  for (const root of placesOf(ports, [projectDir, cwd])) {
    const text = takeForStart(ports, { agent: name, root });
    if (text === undefined) continue;
    const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: text.toWellFormed() };
    return JSON.stringify({ hookSpecificOutput });
  }
  return '';
}

/** The folders and all above them, nearest first: the agent may start in a folder of the root. */
function placesOf(ports: Ports, folders: readonly (string | undefined)[]): Set<string> {
  const places = new Set<string>();
  for (const folder of folders) {
    if (!folder || !path.isAbsolute(folder)) continue;
    let at: string;
    try {
      at = realPlace(ports.fs, folder);
    } catch {
      continue;
    }
    for (; !places.has(at); at = path.dirname(at)) places.add(at);
  }
  return places;
}
