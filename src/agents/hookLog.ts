// What hooks could not do, for the person who looks for it. A hook prints nothing, so this is the only place.
import path from 'node:path';
import { ensureDir } from '../core/state/atomicFile';
import type { Ports } from '../core/ports';

/** Bytes of one log file; the one before it is kept beside it. */
const maxLogBytes = 256 * 1024;

/**
 * Appends one line. Never throws, never waits for the disk. The text must hold nothing of a payload but names.
 */
export function logHook(ports: Ports, text: string): void {
  const { fs } = ports;
  try {
    const dir = path.join(ports.stateDir, 'log');
    const file = path.join(dir, 'hook.log');
    ensureDir(ports, dir);
    if ((fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) fs.renameSync(file, `${file}.1`);
    // One write a line: lines of processes that run at the same time do not mix.
    const line = `${new Date(ports.now()).toISOString()} ${process.pid} ${text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 2000)}\n`;
    const fd = fs.openSync(file, 'a', 0o600);
    try {
      fs.writeSync(fd, line);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // Nowhere to write it.
  }
}
