// What a hook costs an agent: the whole `hook` process against a bare start of the same Node, in pairs, one after the
// other. Usage: node out/test/bench/hook.js [pairs] [path of cli.js]. Prints JSON; times in ms.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const pairs = Number(process.argv[2] ?? 41);
const cli = path.resolve(process.argv[3] ?? 'dist/cli.js');
const budget = 1.6;

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bench-hook-')));
const root = path.join(dir, 'workspace');
const file = path.join(root, 'src', 'large.txt');
const empty = path.join(dir, 'empty.js');
const copy = path.join(dir, 'copy.js');
fs.mkdirSync(path.join(root, '.git'), { recursive: true });
fs.mkdirSync(path.dirname(file));
fs.writeFileSync(empty, '');
// The least that a hook could do: read the payload, copy the file, flush it.
fs.writeFileSync(
  copy,
  `const fs = require('fs');
   const { tool_input } = JSON.parse(fs.readFileSync(0, 'utf8'));
   fs.copyFileSync(tool_input.file_path, ${JSON.stringify(path.join(dir, 'copied'))});
   const fd = fs.openSync(${JSON.stringify(path.join(dir, 'copied'))}, 'r+');
   fs.fsyncSync(fd);
   fs.closeSync(fd);`,
);

let calls = 0;
const payload = (event: string) =>
  JSON.stringify({
    session_id: '0d9f6c1e-bench',
    transcript_path: path.join(dir, 'transcript.jsonl'),
    cwd: root,
    prompt_id: 'prompt-1',
    permission_mode: 'acceptEdits',
    hook_event_name: event,
    tool_name: 'Edit',
    tool_input: { file_path: file, old_string: 'first line', new_string: 'changed line', replace_all: false },
    tool_use_id: `toolu_bench_${calls}`,
  });

function run(args: string[], input: string): number {
  const begun = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, args, {
    input,
    env: { ...process.env, AGENT_CHECKPOINTS_HOME: path.join(dir, 'state'), NODE_OPTIONS: '' },
  });
  const time = Number(process.hrtime.bigint() - begun) / 1e6;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return time;
}

/** New bytes each time, so that the store has to copy them. */
function freshFile(): void {
  fs.writeFileSync(file, `first line\n${randomBytes(512 * 1024).toString('hex')}\n`);
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const round = (value: number) => Math.round(value * 1000) / 1000;
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const times: Record<'bare' | 'least' | 'pre' | 'post' | 'read', number[]> = {
  bare: [],
  least: [],
  pre: [],
  post: [],
  read: [],
};
const warmUp = 3;
for (let i = -warmUp; i < pairs; i++) {
  calls++;
  freshFile();
  const before = hash(fs.readFileSync(file));
  const input = payload('PreToolUse');
  const found = {
    bare: run([empty], input),
    least: run([copy], input),
    read: run([cli, 'hook', 'claude-code'], JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Read' })),
    pre: run([cli, 'hook', 'claude-code'], input),
    post: 0,
  };
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('first line', 'changed line'));
  found.post = run([cli, 'hook', 'claude-code'], payload('PostToolUse'));
  if (i < 0) continue;
  for (const [name, time] of Object.entries(found)) times[name as keyof typeof times].push(time);
  if (i === pairs - 1) checkCaptured(before);
}

/** A hook that does nothing is quick too. */
function checkCaptured(before: string): void {
  const checkpoints = path.join(root, '.system_generated', 'checkpoints');
  const newest = path.join(checkpoints, fs.readdirSync(checkpoints).sort().at(-1)!);
  const meta = JSON.parse(fs.readFileSync(path.join(newest, 'meta.json'), 'utf8'));
  const blob = fs.readFileSync(path.join(newest, meta.entries[0].pre.blob));
  if (hash(blob) !== before || meta.status !== 'done') throw new Error('the hook did not capture');
}

const bare = median(times.bare);
const ratios = Object.fromEntries(
  Object.entries(times).map(([name, list]) => [name, round(median(list.map((time, i) => time / times.bare[i]!)))]),
);
const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, round(median(list))]));
fs.rmSync(dir, { recursive: true, force: true });
const pass = median(times.pre) / bare <= budget;
console.log(
  JSON.stringify(
    { bench: 'hook', node: process.version, pairs, medians, ratios, budget: { pre: budget }, pass },
    null,
    2,
  ),
);
process.exitCode = pass ? 0 : 1;
