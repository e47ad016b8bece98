import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import { applyPlan, planRestore, runPlan, RestoreFailed } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { acquireLock } from '../../src/core/store/lock';
import { writeCheckpoint } from '../../src/core/store/writer';
import { writeUnsaved } from '../../src/core/state/unsaved';
import { AgentWorkspace, unflushed } from '../support/agentWorkspace';
import { testPorts } from '../support/ports';

describe('carrying out a restore', () => {
  let work: AgentWorkspace;
  let id: CheckpointId;
  beforeEach(() => {
    work = new AgentWorkspace();
    work.write('a', '0\n');
    work.write('b', '0\n');
    id = work.agent({ a: '1\n', b: '1\n', c: '1\n' });
  });

  const plan = (options = {}) => planRestore(work.ports, work.root, { mode: 'checkpoint', id }, options);

  it('tells each path as it goes, and puts everything back when it is cancelled', () => {
    const before = work.tree();
    for (const cancel of ['throw', 'return'] as const) {
      const run = applyPlan(work.ports, work.stores, plan());
      const first = run.next();
      assert.deepEqual(first.value, { type: 'path', path: 'c', done: 1, total: 3 });
      run.next();
      assert.notDeepEqual(work.tree(), before);
      if (cancel === 'return') run.return(undefined as never);
      else {
        const cancelled = new CheckpointError('cancelled', 'Cancelled.');
        assert.throws(
          () => run.throw(cancelled),
          (error) => error === cancelled,
        );
      }
      assert.deepEqual(work.tree(), before);
      assert.equal(work.metas().find(({ kind }) => kind === 'restore')?.status, 'abandoned');
    }
    // The lock is free, and it can be done for good.
    assert.deepEqual(runPlan(work.ports, work.root, plan()).restored, ['a', 'b']);
  });

  it('puts everything back when one path fails, and says which', () => {
    const before = work.tree();
    const full = {
      ...unflushed,
      renameSync: (from: fs.PathLike, to: fs.PathLike) => {
        if (String(to).endsWith('/b')) throw Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' });
        fs.renameSync(from, to);
      },
    };
    const ports = testPorts({ fs: full, stateDir: work.ports.stateDir });
    assert.throws(
      () => runPlan(ports, work.root, plan()),
      (error) => error instanceof RestoreFailed && /b: ENOSPC/.test(error.message) && error.left.length === 0,
    );
    assert.deepEqual(work.tree(), before);
  });

  it('leaves the rest alone when it cannot go back, names the guard, and the next start completes it', () => {
    const before = work.tree();
    let broken = false;
    const dying = {
      ...unflushed,
      renameSync: (from: fs.PathLike, to: fs.PathLike) => {
        if (String(to).endsWith('/b')) broken = true;
        if (broken && /\/[ab]$/.test(String(to))) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        fs.renameSync(from, to);
      },
    };
    const ports = testPorts({ fs: dying, stateDir: work.ports.stateDir });
    assert.throws(
      () => runPlan(ports, work.root, plan()),
      (error) =>
        error instanceof RestoreFailed &&
        error.left.map(({ path: each }) => each).join() === 'a' &&
        error.message.includes(error.guard),
    );
    // Making the plan comes first to the interrupted one.
    plan();
    assert.deepEqual(work.tree(), before);
  });

  it('waits for no other restore for ever', () => {
    const lock = acquireLock(work.ports, work.stores, 'another restore');
    assert.throws(
      () => runPlan(work.ports, work.root, plan(), { waitMs: 0 }),
      (error) => CheckpointError.is(error, 'locked'),
    );
    lock.release();
    assert.equal(work.read('a'), '1\n');
  });

  it('hands unsaved text to the editor, with the text in the guard', () => {
    const typed = Buffer.from('typed\n');
    const unsaved = new Map([['a', typed]]);
    const made = plan({ unsaved, onConflict: 'overwrite' });
    for (const applied of [false, true]) {
      const run = applyPlan(work.ports, work.stores, plan({ unsaved, onConflict: 'overwrite' }), { unsaved });
      let next = run.next();
      while (!next.done && next.value.type !== 'editor') next = run.next();
      assert.deepEqual(next.value, { type: 'editor', path: 'a', bytes: Buffer.from('0\n') });
      assert.equal(work.read('a'), '1\n');
      const { value } = run.next({ applied });
      const outcome = value as Exclude<typeof value, { type: string }>;
      assert.deepEqual(
        outcome.conflicts.map(({ path: each }) => each),
        applied ? [] : ['a'],
      );
      assert.equal(work.bytesBefore(outcome.guard!, 'a'), 'typed\n');
    }
    assert.equal(made.steps.find(({ path: each }) => each === 'a')?.inEditor, true);
  });

  it('never writes under unsaved text that another window has', () => {
    writeUnsaved(work.ports, 'window', [work.at('a')]);
    const outcome = runPlan(work.ports, work.root, plan());
    assert.deepEqual(
      outcome.skipped.map(({ path: each }) => each),
      ['a'],
    );
    assert.deepEqual([work.read('a'), work.read('b')], ['1\n', '0\n']);
  });

  it('keeps its guard in user state where the root’s store cannot be written', () => {
    const made = plan();
    const readOnly = {
      ...unflushed,
      mkdirSync: (dir: fs.PathLike, options?: fs.MakeDirectoryOptions) => {
        if (String(dir).includes('.tmp-') && !String(dir).startsWith(work.ports.stateDir)) {
          throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
        }
        return fs.mkdirSync(dir, options);
      },
    };
    const ports = testPorts({ fs: readOnly as typeof unflushed, stateDir: work.ports.stateDir, now: Date.now() });
    const { guard } = runPlan(ports, work.root, made);
    assert.ok(fs.existsSync(path.join(work.stores.fallback.checkpoints, guard!, 'meta.json')));
    assert.equal(work.read('a'), '0\n');
    work.redo();
    assert.equal(work.read('a'), '1\n');
  });

  it('takes back what is in user state where the root’s store leads elsewhere', () => {
    fs.rmSync(work.at('.system_generated'), { recursive: true });
    fs.writeFileSync(work.at('.system_generated'), 'a file of the person');
    const entry = { path: 'a', provenance: 'before-write' as const };
    const file = (text: string) => ({
      type: 'file' as const,
      mode: 0o644,
      source: { type: 'bytes' as const, bytes: Buffer.from(text) },
    });
    work.write('a', '2\n');
    const made = writeCheckpoint(work.ports, work.stores.fallback, {
      kind: 'edit',
      status: 'done',
      entries: [{ ...entry, pre: file('1\n'), post: file('2\n') }],
    });
    assert.match(work.plan({ id: made.id, mode: 'rewind' }).notCovered[0]!.reason, /is not a folder/);
    assert.deepEqual(work.restore(made.id).restored, ['a']);
    assert.equal(work.read('a'), '1\n');
    work.redo();
    assert.equal(work.read('a'), '2\n');
    assert.equal(fs.readFileSync(work.at('.system_generated'), 'utf8'), 'a file of the person');
  });

  it('refuses a folder that is read-only, and says so', function () {
    if (process.platform === 'win32') this.skip();
    const step = (mode: number) => {
      fs.mkdirSync(work.at('closed'), { recursive: true });
      work.write('closed/x', 'x\n');
      const made = work.agent({ 'closed/x': undefined });
      fs.chmodSync(work.at('closed'), mode);
      const denied = {
        ...unflushed,
        accessSync: (file: fs.PathLike) => {
          // The tests may run as root, whom nothing is denied.
          if ((fs.statSync(file).mode & 0o200) === 0) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
        },
      };
      const ports = testPorts({ fs: denied as typeof unflushed, stateDir: work.ports.stateDir });
      return planRestore(ports, work.root, { mode: 'checkpoint', id: made }).steps[0]!;
    };
    const { action, reason } = step(0o555);
    assert.equal(action, 'refused');
    assert.match(reason, /read-only/);
  });
});
