// When each agent's hook last ran: tells the person whether the set-up works.
import path from 'node:path';
import type { Ports } from '../ports';
import { ensureDir } from './atomicFile';

const folder = (ports: Ports) => path.join(ports.stateDir, 'last-seen');
const isAgentName = (name: string) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name);

/** Not flushed, and never throws: losing it costs nothing. */
export function noteSeen(ports: Ports, agentName: string): void {
  if (!isAgentName(agentName)) return;
  const file = path.join(folder(ports), agentName);
  const time = new Date(ports.now()).toISOString();
  try {
    ports.fs.writeFileSync(file, time, { mode: 0o600 });
  } catch {
    try {
      ensureDir(ports, folder(ports));
      ports.fs.writeFileSync(file, time, { mode: 0o600 });
    } catch {
      // Nowhere to write it.
    }
  }
}

/** ISO time by agent name. Never throws. */
export function lastSeen(ports: Ports): Record<string, string> {
  const seen: Record<string, string> = {};
  try {
    for (const name of ports.fs.readdirSync(folder(ports)).filter(isAgentName)) {
      const time = ports.fs.readFileSync(path.join(folder(ports), name), 'utf8');
      if (!Number.isNaN(Date.parse(time))) seen[name] = time;
    }
  } catch {
    // None yet.
  }
  return seen;
}
