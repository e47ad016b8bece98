// What the benchmarks share: pairs measured one after the other in one run, medians of the ratios, one JSON line out.
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Ports } from '../../src/core/ports';
import { fileAttributes } from '../../src/core/restore/attributes';
import { flushFileSystem } from '../../src/core/restore/flushFileSystem';

/** A folder of the bench's own, removed at the end of the process. */
export function benchFolder(name: string): string {
  const dir = fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), `bench-${name}-`)));
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** The real file system and clock, with a user state below `dir`. */
export const realPorts = (dir: string): Ports => ({
  fs,
  now: Date.now,
  stateDir: path.join(dir, 'state'),
  hasAttributes: fileAttributes,
  flushFileSystem,
});

/** ms. */
export function timed(work: () => void): number {
  const begun = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

const round = (value: number) => Math.round(value * 1000) / 1000;

export interface Budget {
  /** `most`: the ratio may be up to the limit; `least`: it must be as much. */
  readonly is: 'most' | 'least';
  readonly limit: number;
}

/**
 * Prints medians (ms), the median of the pairs' ratios `ours / theirs` (or the reverse for `least`), and whether the
 * budget holds, which is the process's exit code too.
 */
export function report(
  bench: string,
  ours: readonly number[],
  theirs: readonly number[],
  { is, limit }: Budget,
  more: object = {},
): void {
  const ratio = median(ours.map((time, i) => (is === 'most' ? time / theirs[i]! : theirs[i]! / time)));
  const pass = is === 'most' ? ratio <= limit : ratio >= limit;
  const medians = { ours: round(median(ours)), theirs: round(median(theirs)) };
  const budget = `${is === 'most' ? '≤' : '≥'} ${limit}`;
  console.log(
    JSON.stringify({
      bench,
      node: process.version,
      pairs: ours.length,
      medians,
      ratio: round(ratio),
      budget,
      pass,
      ...more,
    }),
  );
  if (!pass) process.exitCode = 1;
}
