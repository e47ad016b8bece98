// What the look before a command costs against `git status` in the same repository: 50,000 tracked files, few dirty.
// Usage: node out/test/bench/sweep.js [rounds] [files]. Prints JSON; times in ms.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { lazyGit } from '../../src/core/capture/sweep/lazyGit';
import type { Ports } from '../../src/core/ports';

const rounds = Number(process.argv[2] ?? 11);
const files = Number(process.argv[3] ?? 50_000);
const budget = 1.5;

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bench-sweep-')));
const root = path.join(dir, 'workspace');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
for (let i = 0; i < files; i++) {
  const folder = path.join(root, `d${i % 50}`, `s${Math.floor(i / 100)}`);
  if (i % 100 < 50) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `f${i}.txt`), `file ${i}\n`);
}
git('init', '-q');
git('add', '-A');
git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid', 'commit', '-qm', 'all');
for (let i = 0; i < 5; i++) fs.writeFileSync(path.join(root, `d${i}`, `s0`, `f${i}.txt`), 'dirty\n');
for (let i = 0; i < 5; i++) fs.writeFileSync(path.join(root, `untracked${i}.txt`), 'untracked\n');
// An index as one has it that was not written this very second.
git('status');

const ports: Ports = { fs, now: Date.now, stateDir: path.join(dir, 'state'), git: lazyGit };
const observer = createObserver(ports);
const times: Record<'status' | 'before' | 'after', number[]> = { status: [], before: [], after: [] };
const timed = (act: () => void) => {
  const begun = performance.now();
  act();
  return performance.now() - begun;
};
for (let i = -2; i < rounds; i++) {
  const request = {
    kind: 'command' as const,
    agent: { name: 'claude-code', session: 'bench', tool: 'Bash', toolUse: `call-${i}` },
    cwd: root,
    projectDir: root,
    writes: [],
    command: { text: 'true', background: false, sequential: true },
  };
  const status = timed(() => void git('status'));
  const before = timed(() => void observer.beforeWrite(request));
  const after = timed(() => void observer.afterWrite(request));
  if (i < 0) continue;
  times.status.push(status);
  times.before.push(before);
  times.after.push(after);
}

/** A sweep that saw nothing is quick too. */
function check(): void {
  const request = {
    kind: 'command' as const,
    agent: { name: 'claude-code', session: 'bench', tool: 'Bash', toolUse: 'last' },
    cwd: root,
    projectDir: root,
    writes: [],
    command: { text: 'sed', background: false, sequential: true },
  };
  observer.beforeWrite(request);
  fs.writeFileSync(path.join(root, 'd0', 's0', 'f0.txt'), 'by the agent\n');
  fs.rmSync(path.join(root, 'd49', 's0', 'f49.txt'));
  observer.afterWrite(request);
  const checkpoints = path.join(root, '.system_generated', 'checkpoints');
  const [id] = fs.readdirSync(checkpoints);
  const meta = JSON.parse(fs.readFileSync(path.join(checkpoints, id!, 'meta.json'), 'utf8'));
  if (meta.entries.length !== 2) throw new Error(`the sweep saw ${meta.entries.length} changes instead of 2`);
}
check();

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const round = (value: number) => Math.round(value * 1000) / 1000;
const ratio = (list: number[]) => round(median(list.map((time, i) => time / times.status[i]!)));
const ratios = { before: ratio(times.before), after: ratio(times.after) };
const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, round(median(list))]));
fs.rmSync(dir, { recursive: true, force: true });
const pass = ratios.before <= budget;
console.log(JSON.stringify({ bench: 'sweep', node: process.version, files, rounds, medians, ratios, budget, pass }));
process.exitCode = pass ? 0 : 1;
