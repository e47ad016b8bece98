// The outside world for tests: real files in folders of their own, and a clock that the test moves.
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FileSystem, Ports } from '../../src/core/ports';

export interface Clock {
  /** ms since the epoch. */
  now: number;
}

export interface TestPorts extends Ports {
  readonly clock: Clock;
}

const made: string[] = [];

/** An empty folder (real path), removed after the tests. */
export function temporaryRoot(name = 'root'): string {
  const dir = fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), `agent-checkpoints-${name}-`)));
  made.push(dir);
  return dir;
}

process.on('exit', () => made.forEach((dir) => fs.rmSync(dir, { recursive: true, force: true })));

/** Real files that are never flushed: for tests of many writes that no power failure will hit. */
export const unflushed: FileSystem = { ...fs, fsyncSync: () => {} };

/** Ports with a user state of their own; each reading of the clock moves it on by one millisecond. */
export function testPorts(options: { fs?: FileSystem; stateDir?: string; now?: number } = {}): TestPorts {
  const clock = { now: options.now ?? Date.UTC(2026, 10, 30, 11, 5, 1, 28) };
  return {
    fs: options.fs ?? fs,
    clock,
    now: () => clock.now++,
    stateDir: options.stateDir ?? path.join(temporaryRoot('state'), 'state'),
  };
}
