// A context that an agent is given at its next start: written by the editor, taken once by the agent's hook.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Ports } from '../ports';
import { ensureDir, writeFileAtomic } from './atomicFile';
import { asRecord, readJson } from './jsonFile';

/** One that nobody took for a day is no longer what the person meant, in ms. */
const maxAge = 24 * 3_600_000;

/** Where the agent starts: the root's real path, or a folder in it. */
interface Start {
  readonly agent: string;
  readonly root: string;
}

const folderOf = (ports: Ports) => path.join(ports.stateDir, 'next-start');

const fileOf = (ports: Ports, { agent, root }: Start) =>
  path.join(folderOf(ports), `${createHash('sha256').update(`${agent}\0${root}`).digest('hex').slice(0, 32)}.json`);

/** Replaces what was waiting. @throws the system's error */
export function leaveForNextStart(ports: Ports, start: Start, text: string): void {
  ensureDir(ports, folderOf(ports));
  writeFileAtomic(ports, fileOf(ports, start), JSON.stringify({ ...start, text, at: ports.now() }));
}

/**
 * The text for an agent that starts in `root`, the first time it is asked for; never again. Never throws.
 */
export function takeForStart(ports: Ports, start: Start): string | undefined {
  const file = fileOf(ports, start);
  // Whoever moves it has it: two starts at the same time do not both get it.
  const own = `${file}.${process.pid}-${ports.now()}`;
  try {
    ports.fs.renameSync(file, own);
  } catch {
    return undefined;
  }
  try {
    const { agent, root, text, at } = asRecord(readJson(ports, own)) ?? {};
    const isOurs = agent === start.agent && root === start.root;
    return isOurs && typeof text === 'string' && typeof at === 'number' && ports.now() - at < maxAge ? text : undefined;
  } catch {
    return undefined;
  } finally {
    try {
      ports.fs.rmSync(own, { force: true });
    } catch {
      // It cannot be taken again under this name.
    }
  }
}
