// A restore is stopped at every single file call, by an error and by the end of the process. After the next start
// everything is on one side: as before the restore, or as after it.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileSystem, Ports } from '../../src/core/ports';
import { recoverJournal } from '../../src/core/restore/journal';
import { planAndRun, planRestore, planUndo } from '../../src/core/restore/restore';
import type { RestoreOutcome, RestorePlan } from '../../src/core/restore/types';
import type { CheckpointId } from '../../src/core/store/ids';
import { listIds } from '../../src/core/store/reader';
import { AgentWorkspace, folder, treeOf } from '../support/agentWorkspace';
import { faultyFs, Killed } from '../support/faultyFs';
import { temporaryRoot } from '../support/ports';

/** One of every kind of change, some of them depending on each other. */
function scene(): AgentWorkspace {
  const work = new AgentWorkspace();
  work.write('text', 'one\n');
  work.write('mode', { text: 'm\n', mode: 0o600 });
  work.write('sub/deleted', 'd\n');
  work.write('linked', 'before, longer than after\n');
  fs.linkSync(work.at('linked'), work.at('other'));
  work.write('dir/a', 'a\n');
  work.write('link', { link: 'text' });
  work.write('file', 'f\n');
  work.agent(
    {
      text: 'two\n',
      mode: { text: 'm\n', mode: 0o755 },
      'sub/deleted': undefined,
      sub: undefined,
      linked: 'after\n',
      'dir/a': undefined,
      dir: 'now a file\n',
      link: { link: 'mode' },
      file: folder,
      'file/new': 'n\n',
      made: folder,
      'made/new': 'n\n',
    },
    { turn: '1' },
  );
  return work;
}

/** So many files in so many folders that they are flushed together. */
function manyFiles(): AgentWorkspace {
  const work = new AgentWorkspace();
  const names = Array.from({ length: 17 }, (_, i) => `part-${i}/file`);
  for (const name of names) work.write(name, `${name}\n`);
  work.agent(Object.fromEntries(names.map((name) => [name, 'rewritten\n'])), { turn: '1' });
  return work;
}

const outside = temporaryRoot('outside');
fs.writeFileSync(path.join(outside, 'precious'), 'x');

/** The holder of the lock is this process, which in the story has ended. */
function endProcess({ stateDir }: Ports): void {
  fs.rmSync(path.join(stateDir, 'locks'), { recursive: true, force: true });
}

function guardHolds(work: AgentWorkspace, known: ReadonlySet<string>, before: Record<string, string>): void {
  const guard = work.metas().find(({ kind, id }) => kind === 'restore' && !known.has(id));
  if (guard === undefined) return;
  // Where the root's own store could not be written, it is in the other one.
  const { store } = listIds(work.ports, work.stores).find(({ id }) => id === guard.id)!;
  for (const { path: file, pre } of guard.entries) {
    const was = before[file as string];
    if (pre.type !== 'file') continue;
    const bytes: string = fs.readFileSync(path.join(store.checkpoints, guard.id, pre.blob), 'latin1');
    assert.equal(`${pre.mode.toString(8)} ${bytes}`, was);
  }
}

interface Case {
  readonly name: string;
  readonly scene: () => AgentWorkspace;
  readonly plan: (ports: Ports, root: string) => RestorePlan;
  readonly prepare: (work: AgentWorkspace) => void;
}

const stops = ({ scene, plan, prepare }: Case, result: Record<string, string>) => {
  /** Runs once with a fault; returns whether the fault was reached. */
  return (mode: 'error' | 'kill', failAt: number): boolean => {
    const work = scene();
    prepare(work);
    const before = work.tree();
    const known = new Set(work.metas().map(({ id }) => id as string));
    const faulty = faultyFs({ failAt, mode });
    // Flushing counts as a call that can fail, but takes too long to be done.
    const flush = faulty.fs.fsyncSync;
    const quick: FileSystem = { ...faulty.fs, fsyncSync: (fd) => void (fd < 0 ? flush(fd) : tick(faulty.fs)) };
    const ports: Ports = { ...work.ports, fs: quick, flushFileSystem: () => flushes(faulty.fs) };
    let failure: unknown;
    let outcome: RestoreOutcome | undefined;
    try {
      ({ outcome } = planAndRun(ports, work.root, () => plan(ports, work.root)));
    } catch (error) {
      failure = error;
    }
    const reached = faulty.counts.calls >= failAt;
    if (mode === 'kill') endProcess(work.ports);
    const label = `${mode} at ${failAt} (${faulty.counts.names[failAt - 1]}): ${String(failure)}`;
    if (mode === 'error' && failure !== undefined && !/put back/.test(String(failure))) {
      assert.deepEqual(work.tree(), before, label);
    }
    const recovered = recoverJournal(work.ports);
    assert.ok(
      recovered.every(({ result }) => result !== 'left'),
      `${label}\n${JSON.stringify(recovered)}`,
    );
    const after = work.tree();
    const isOld = JSON.stringify(after) === JSON.stringify(before);
    const told = outcome ? [...outcome.skipped, ...outcome.conflicts].map(({ path: each }) => each) : [];
    if (!isOld) assertNew(after, before, result, [...told, ...(outcome?.unchanged ?? [])], label);
    guardHolds(work, known, before);
    assert.deepEqual(recoverJournal(work.ports), [], label);
    assert.deepEqual(journals(work.ports), []);
    assert.deepEqual(treeOf(outside), { precious: '644 x' });
    if (isOld && recovered.every(({ result }) => result === 'undone')) {
      // Whatever happened, it can be done now.
      planAndRun(work.ports, work.root, () => plan(work.ports, work.root));
      assert.deepEqual(work.tree(), result, label);
    }
    fs.rmSync(work.root, { recursive: true });
    return reached;
  };
};

/** Each path is as after the restore; one that could not be looked at is as before, and that was told. */
function assertNew(
  after: Record<string, string>,
  before: Record<string, string>,
  whole: Record<string, string>,
  told: readonly string[],
  label: string,
): void {
  for (const file of new Set([after, before, whole].flatMap((tree) => Object.keys(tree)))) {
    if (after[file] === whole[file]) continue;
    assert.equal(after[file], before[file], `${label}: ${file}`);
    const related = told.some((each) => each === file || each.startsWith(`${file}/`) || file.startsWith(`${each}/`));
    assert.ok(related || file === 'other', `${label}: ${file} is as before, and nobody said so`);
  }
}

function journals({ stateDir }: Ports): string[] {
  const dir = path.join(stateDir, 'journal');
  return fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith('.json')) : [];
}

const tick = (faulty: FileSystem): void => void faulty.accessSync('/');

/** As the port: it never throws, but where the process has ended. */
function flushes(faulty: FileSystem): boolean {
  try {
    tick(faulty);
    return true;
  } catch (error) {
    if (error instanceof Killed) throw error;
    return false;
  }
}

// All of them take minutes: RESTORE_FAULTS=1. Else every 7th, and other ones each day.
const stride = Number(process.env['RESTORE_FAULTS'] ?? 7);
const first = 1 + (new Date().getDate() % stride);

describe('a restore that is stopped at any file call', function () {
  this.timeout(0);
  const guards = new Map<string, string>();
  const undo = (ports: Ports, root: string) => planUndo(ports, root);
  const redo = (ports: Ports, root: string) =>
    planRestore(ports, root, { mode: 'checkpoint', id: guards.get(root) as CheckpointId });

  const cases: Case[] = [
    { name: 'an undo', scene, plan: undo, prepare: () => {} },
    { name: 'a redo', scene, plan: redo, prepare: (work) => void guards.set(work.root, work.undo().guard!) },
    { name: 'an undo of many files', scene: manyFiles, plan: undo, prepare: () => {} },
  ];
  for (const each of cases) {
    for (const mode of ['error', 'kill'] as const) {
      it(`${each.name}: ${mode === 'error' ? 'an error' : 'the end of the process'} leaves one side whole`, () => {
        const whole = each.scene();
        each.prepare(whole);
        planAndRun(whole.ports, whole.root, () => each.plan(whole.ports, whole.root));
        const run = stops(each, whole.tree());
        let failAt = first;
        while (run(mode, failAt)) failAt += stride;
        assert.ok(failAt > 100, `only ${failAt} calls`);
      });
    }
  }

  it('tells a killed process from an error', () => {
    assert.throws(() => faultyFs({ failAt: 1, mode: 'kill' }).fs.lstatSync('/'), Killed);
  });
});
