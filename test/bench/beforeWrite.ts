// What a capture costs in a process that runs already: `beforeWrite` of a file of 1 MB against a copy and a flush of it.
// Usage: node out/test/bench/beforeWrite.js [pairs]
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { benchFolder, realPorts, report, timed } from './side';

const pairs = Number(process.argv[2] ?? 61);
const dir = benchFolder('before-write');
const root = path.join(dir, 'workspace');
fs.mkdirSync(path.join(root, '.git'), { recursive: true });
const file = path.join(root, 'large.txt');
const copied = path.join(dir, 'copied');

const spent = new Map<string, { calls: number; ms: number }>();
const ports = { ...realPorts(dir), fs: measured() };
const observer = createObserver(ports);
const [ours, theirs]: [number[], number[]] = [[], []];
const warmUp = 5;
for (let i = -warmUp; i < pairs; i++) {
  // New bytes each time, so that the store has to keep them.
  fs.writeFileSync(file, randomBytes(512 * 1024).toString('hex'));
  flush(file);
  fs.rmSync(copied, { force: true });
  flush(dir);
  const least = timed(() => {
    fs.copyFileSync(file, copied);
    flush(copied);
  });
  if (i === 0) spent.clear();
  const request = {
    kind: 'edit' as const,
    agent: { name: 'bench', session: 'one', tool: 'Edit', toolUse: `call-${i}` },
    cwd: root,
    writes: [{ path: file }],
  };
  let captured = 0;
  const capture = timed(() => {
    captured = observer.beforeWrite(request).checkpoints.length;
  });
  if (captured !== 1) throw new Error('nothing was captured');
  fs.appendFileSync(file, 'more');
  observer.afterWrite(request);
  if (i < 0) continue;
  ours.push(capture);
  theirs.push(least);
}
const breakdown = Object.fromEntries(
  [...spent]
    .sort(([, a], [, b]) => b.ms - a.ms)
    .slice(0, process.env['BENCH_CALLS'] ? 20 : 0)
    .map(([name, { calls, ms }]) => [name, `${(calls / pairs).toFixed(1)} calls, ${(ms / pairs).toFixed(2)} ms`]),
);
report('beforeWrite, 1 MB', ours, theirs, { is: 'most', limit: 1.5 }, breakdown);

function flush(target: string): void {
  const fd = fs.openSync(target, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

/** With `BENCH_CALLS=1`, what each kind of call takes in before and after together. */
function measured(): typeof fs {
  if (!process.env['BENCH_CALLS']) return fs;
  const wrapped = { ...fs } as Record<string, unknown>;
  for (const [name, value] of Object.entries(fs)) {
    if (!name.endsWith('Sync') || typeof value !== 'function') continue;
    const call = value as (...args: unknown[]) => unknown;
    const counted = (...args: unknown[]): unknown => {
      const begun = process.hrtime.bigint();
      try {
        return call(...args);
      } finally {
        const entry = spent.get(name) ?? { calls: 0, ms: 0 };
        spent.set(name, { calls: entry.calls + 1, ms: entry.ms + Number(process.hrtime.bigint() - begun) / 1e6 });
      }
    };
    wrapped[name] = name === 'realpathSync' ? Object.assign(counted, { native: fs.realpathSync.native }) : counted;
  }
  return wrapped as unknown as typeof fs;
}
