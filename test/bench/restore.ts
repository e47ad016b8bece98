// What restoring many files costs: a whole restore (plan, guard, write, verify) against `git checkout` of the same
// files from the same state, in pairs. Usage: node out/test/bench/restore.js [pairs] [files]
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { planRestore, runPlan } from '../../src/core/restore/restore';
import { listIds } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { benchFolder, realPorts, report, timed } from './side';

const pairs = Number(process.argv[2] ?? 7);
const count = Number(process.argv[3] ?? 1000);
const dir = benchFolder('restore');
const [ours, theirs]: [number[], number[]] = [[], []];
const parts: Record<string, number[]> = { plan: [], run: [] };

const names = Array.from({ length: count }, (_, i) => `src/part-${i % 20}/file-${i}.ts`);
const before = (i: number) => `// ${i}\n${'export const value = 1;\n'.repeat(150)}`;
const after = (i: number) => `${before(i)}export const more = ${i};\n`;

/** The agent's turn is done anew for each pair, in a workspace of its own. */
function oneOfOurs(at: string): number {
  const ports = realPorts(`${at}-state`);
  fill(at, before);
  const observer = createObserver(ports);
  const request = {
    kind: 'edit' as const,
    agent: { name: 'bench', session: 's', turn: 't', tool: 'Edit', toolUse: `all-${at}` },
    cwd: at,
    writes: names.map((name) => ({ path: path.join(at, name) })),
  };
  observer.beforeWrite(request);
  fill(at, after);
  observer.afterWrite(request);
  const [newest] = listIds(ports, rootStores(ports, at));
  settleDown();
  const target = { mode: 'turn' as const, id: newest!.id };
  let plan: ReturnType<typeof planRestore>;
  const planning = timed(() => (plan = planRestore(ports, at, target)));
  let outcome: ReturnType<typeof runPlan>;
  const running = timed(() => (outcome = runPlan(ports, at, plan)));
  if (outcome!.restored.length !== count) throw new Error(`only ${outcome!.restored.length} files were restored`);
  check(at);
  parts['plan']!.push(planning);
  parts['run']!.push(running);
  return planning + running;
}

function oneOfGit(at: string): number {
  const git = (...args: string[]) => execFileSync('git', ['-C', at, ...args], { stdio: 'ignore' });
  fill(at, before);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'before');
  fill(at, after);
  settleDown();
  const time = timed(() => git('checkout', '-q', '--', '.'));
  check(at);
  return time;
}

function fill(at: string, content: (i: number) => string): void {
  for (const [i, name] of names.entries()) {
    fs.mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    fs.writeFileSync(path.join(at, name), content(i));
  }
}

function check(at: string): void {
  for (const i of [0, count - 1]) {
    if (fs.readFileSync(path.join(at, names[i]!), 'utf8') !== before(i)) throw new Error('not restored');
  }
}

/** The flushes of what came before must not count, and times of files must be past their grain. */
function settleDown(): void {
  execFileSync('sync', ['-f', dir]);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
}

for (let i = -1; i < pairs; i++) {
  const git = oneOfGit(path.join(dir, `git-${i}`));
  const own = oneOfOurs(path.join(dir, `own-${i}`));
  for (const each of [`git-${i}`, `own-${i}`, `own-${i}-state`]) {
    fs.rmSync(path.join(dir, each), { recursive: true, force: true });
  }
  if (i < 0) continue;
  theirs.push(git);
  ours.push(own);
}
const medians = Object.fromEntries(
  Object.entries(parts).map(([name, all]) => [name, Math.round(all.toSorted((a, b) => a - b)[all.length >> 1]!)]),
);
report(`restore of ${count} files`, ours, theirs, { is: 'most', limit: 2 }, medians);
