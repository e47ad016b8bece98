import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import { checkpointDir } from '../../src/core/store/layout';
import { doctor } from '../../src/core/store/doctor';
import type { CheckpointId } from '../../src/core/store/ids';
import { setPinned } from '../../src/core/store/pin';
import { purge } from '../../src/core/store/purge';
import { findCheckpoint, listIds, listPage } from '../../src/core/store/reader';
import { prune } from '../../src/core/store/retention';
import { rootStores } from '../../src/core/store/stores';
import { sweep } from '../../src/core/store/sweep';
import { writeCheckpoint, type CheckpointDraft } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState, namesBelow, verifiedMetas } from '../support/checkpoints';
import { temporaryRoot, testPorts } from '../support/ports';

const unlimited = { maxCheckpoints: 1e9, maxBytes: 1e12 };

function setUp() {
  const ports = testPorts({ now: Date.now() });
  const stores = rootStores(ports, temporaryRoot());
  const write = (draft: CheckpointDraft, store = stores.primary) => writeCheckpoint(ports, store, draft).id;
  const ids = () => listIds(ports, stores).map(({ id }) => id);
  return { ports, stores, store: stores.primary, write, ids };
}

const edit = (name: string, content: string, more: Partial<CheckpointDraft> = {}): CheckpointDraft => ({
  ...editOf(entryOf(name, fileState(content))),
  ...more,
});

describe('pruning', () => {
  it('keeps the newest ones and the pinned, over both stores', () => {
    const { ports, stores, write, ids } = setUp();
    const [a, b, c] = [write(edit('a', '1')), write(edit('a', '2'), stores.fallback), write(edit('a', '3'))];
    const [d, e] = [write(edit('a', '4'), stores.fallback), write(edit('a', '5'))];
    setPinned(ports, stores, b!, true);
    assert.deepEqual(prune(ports, stores, { ...unlimited, maxCheckpoints: 2 }).removed, [c, a]);
    assert.deepEqual(ids(), [e, d, b]);
    setPinned(ports, stores, b!, false);
    assert.deepEqual(prune(ports, stores, { ...unlimited, maxCheckpoints: 2 }), { removed: [b], freedBytes: 1 });
  });

  it('counts equal bytes once and tells what was really freed', () => {
    const { ports, stores, write, ids } = setUp();
    const big = 'x'.repeat(1000);
    write(edit('a', big));
    write(edit('a', big));
    write(edit('a', big));
    assert.deepEqual(prune(ports, stores, { ...unlimited, maxBytes: 1500 }).removed, []);
    write(edit('b', 'y'.repeat(1000)));
    const { removed, freedBytes } = prune(ports, stores, { ...unlimited, maxBytes: 1500 });
    assert.equal(removed.length, 3);
    assert.equal(freedBytes, 1000);
    assert.equal(ids().length, 1);
  });

  it('always keeps the newest one', () => {
    const { ports, stores, write, ids } = setUp();
    const id = write(edit('a', 'x'.repeat(1000)));
    prune(ports, stores, { maxCheckpoints: 1, maxBytes: 1, maxAgeDays: 0 });
    assert.deepEqual(ids(), [id]);
  });

  it('has no age limit unless one is set', () => {
    const { ports, stores, write, ids } = setUp();
    write(edit('a', '1'));
    ports.clock.now += 400 * 86_400_000;
    const last = write(edit('a', '2'));
    assert.deepEqual(prune(ports, stores, unlimited).removed, []);
    assert.equal(prune(ports, stores, { ...unlimited, maxAgeDays: 30 }).removed.length, 1);
    assert.deepEqual(ids(), [last]);
  });

  it('keeps calls under way for a day', () => {
    const { ports, stores, write } = setUp();
    const open = write(edit('a', '1', { status: 'pending' }));
    write(edit('a', '2'));
    const limits = { ...unlimited, maxCheckpoints: 1 };
    assert.deepEqual(prune(ports, stores, limits).removed, []);
    ports.clock.now += 2 * 86_400_000;
    assert.deepEqual(prune(ports, stores, limits).removed, [open]);
  });

  it('keeps the guard of each restore that can still be undone', () => {
    const { ports, stores, write } = setUp();
    const first = write(edit('a', '1'));
    const restore = (id: CheckpointId, status: CheckpointDraft['status'] = 'done') =>
      write(edit('a', 'guard', { kind: 'restore', status, restores: [{ id, entry: 0 }] }));
    const undone = restore(first);
    const redo = restore(undone);
    const undoneAgain = restore(first);
    const givenUp = restore(first, 'abandoned');
    write(edit('a', 'z'));
    const { removed } = prune(ports, stores, { ...unlimited, maxCheckpoints: 1 });
    // The last undo decides: the redo before it is no longer in force either.
    assert.deepEqual(removed, [givenUp, redo, undone, first]);
    assert(findCheckpoint(ports, stores, undoneAgain).meta);
  });

  it('keeps a guard that was taken back for some of its paths, and those of restores cut off', () => {
    const { ports, stores, write } = setUp();
    const two = (more: Partial<CheckpointDraft>) =>
      write({ ...editOf(entryOf('p', fileState('1')), entryOf('q', fileState('2'))), ...more });
    const both = (id: CheckpointId) => [0, 1].map((entry) => ({ id, entry }));
    const work = two({});
    const undone = two({ kind: 'restore', restores: both(work) });
    const redo = two({ kind: 'restore', restores: both(undone) });
    const half = write(edit('p', '3', { kind: 'restore', restores: [{ id: redo, entry: 0 }] }));
    const cutOff = two({ kind: 'restore', status: 'pending', restores: both(half) });
    write(edit('a', 'z'));
    assert.deepEqual(prune(ports, stores, { ...unlimited, maxCheckpoints: 1 }).removed, [work]);
    assert(findCheckpoint(ports, stores, cutOff).meta);
  });

  it('is not told by a foreign restore that a guard is no longer needed', () => {
    const { ports, stores, store, write } = setUp();
    const guard = write(edit('a', 'guard', { kind: 'restore', restores: [] }));
    const elsewhere = { ...ports, stateDir: `${ports.stateDir}-other` };
    const claim = edit('a', 'x', { kind: 'restore', restores: [{ id: guard, entry: 0 }] });
    const foreign = writeCheckpoint(elsewhere, store, claim).id;
    write(edit('a', 'z'));
    prune(ports, stores, { ...unlimited, maxCheckpoints: 1 });
    assert(findCheckpoint(ports, stores, guard).meta);
    assert(foreign > guard);
  });

  it('removes damaged ones by their age and leaves foreign files alone', () => {
    const { ports, stores, store, write, ids } = setUp();
    const damaged = write(edit('a', '1'));
    fs.writeFileSync(path.join(checkpointDir(store, damaged), 'meta.json'), '{');
    fs.writeFileSync(path.join(store.checkpoints, 'NOTES.txt'), 'mine');
    const last = write(edit('a', '2'));
    assert.deepEqual(prune(ports, stores, { ...unlimited, maxCheckpoints: 1 }).removed, [damaged]);
    assert.deepEqual(ids(), [last]);
    assert(fs.existsSync(path.join(store.checkpoints, 'NOTES.txt')));
  });

  it('does not follow a checkpoint folder that is a link', () => {
    const { ports, stores, store, write } = setUp();
    const victim = temporaryRoot();
    fs.writeFileSync(path.join(victim, 'meta.json'), 'mine');
    fs.mkdirSync(store.checkpoints, { recursive: true });
    fs.symlinkSync(victim, path.join(store.checkpoints, '20200101T000000000Z-aaaaaaaaaa'));
    write(edit('a', '2'));
    prune(ports, stores, { ...unlimited, maxCheckpoints: 1 });
    assert.equal(fs.readFileSync(path.join(victim, 'meta.json'), 'utf8'), 'mine');
  });
});

describe('sweeping', () => {
  it('removes what a process left in user state while it wrote there, and leaves the rest', () => {
    const { ports, stores } = setUp();
    const journal = path.join(ports.stateDir, 'journal');
    fs.mkdirSync(journal, { recursive: true });
    const old = new Date(ports.clock.now - 2 * 3_600_000);
    for (const dir of [ports.stateDir, journal]) {
      for (const name of ['.tmp-old', '.tmp-new', 'kept.json']) fs.writeFileSync(path.join(dir, name), '');
      for (const name of ['.tmp-old', 'kept.json']) fs.utimesSync(path.join(dir, name), old, old);
      fs.utimesSync(path.join(dir, '.tmp-new'), new Date(ports.clock.now), new Date(ports.clock.now));
    }
    assert.equal(sweep(ports, stores), 2);
    assert.deepEqual(fs.readdirSync(journal).sort(), ['.tmp-new', 'kept.json']);
    assert.ok(!fs.existsSync(path.join(ports.stateDir, '.tmp-old')));
  });

  it('removes leftovers older than an hour, in the store and in checkpoints, and nothing else', () => {
    const { ports, stores, store, write } = setUp();
    const id = write(edit('a', '1'));
    const before = namesBelow(ports, store.dir);
    for (const dir of [store.checkpoints, checkpointDir(store, id), path.join(store.index, 'last')]) {
      fs.mkdirSync(path.join(dir, '.tmp-old', 'pre'), { recursive: true });
      fs.writeFileSync(path.join(dir, '.tmp-file'), '');
      fs.writeFileSync(path.join(dir, '.tmp-new'), '');
    }
    for (const name of namesBelow(ports, store.dir).filter((each) => /\.tmp-(old|file)\/?$/.test(each))) {
      fs.utimesSync(path.join(store.dir, name), new Date(), Date.now() / 1000 - 3700);
    }
    assert.equal(sweep(ports, stores), 6);
    const left = namesBelow(ports, store.dir).filter((name) => !before.includes(name));
    assert.deepEqual(
      left.filter((name) => name.includes('.tmp-')).map((name) => path.basename(name)),
      ['.tmp-new', '.tmp-new', '.tmp-new'],
    );
  });

  it('drops index files of checkpoints that are gone', () => {
    const { ports, stores, store, write } = setUp();
    const id = write(edit('a', '1'));
    write(edit('b', '2'));
    fs.rmSync(checkpointDir(store, id), { recursive: true });
    ports.clock.now += 2 * 3_600_000;
    assert.equal(sweep(ports, stores), 1);
    assert.equal(fs.readdirSync(path.join(store.index, 'last')).length, 1);
  });
});

describe('purging', () => {
  it('takes every byte of a path out, keeps the rest, and frees the space', () => {
    const { ports, stores, store, write } = setUp();
    const alone = write(edit('secret.env', 'SECRET'));
    const mixed = write(editOf(entryOf('a', fileState('keep')), entryOf('secret.env', absent, fileState('SECRET'))));
    setPinned(ports, stores, alone, true);
    const { removed, freedBytes } = purge(ports, stores, { path: 'secret.env' });
    assert.deepEqual(removed, [alone]);
    assert.equal(freedBytes, 6);
    for (const name of namesBelow(ports, store.dir).filter((each) => !each.endsWith('/'))) {
      assert(!fs.readFileSync(path.join(store.dir, name)).includes('SECRET'), name);
    }
    const [meta] = verifiedMetas(ports, stores);
    assert.equal(meta?.id, mixed);
    assert.deepEqual(meta?.entries[1]?.pre, { type: 'unreadable', error: 'purged' });
    assert.equal(meta?.entries[0]?.pre.type, 'file');
    assert.equal(listPage(ports, stores, { limit: 9, filter: { file: 'secret.env' } }).checkpoints.length, 0);
    assert.equal(listPage(ports, stores, { limit: 9 }).checkpoints[0]?.foreign, false);
  });

  it('takes a session out with the restores that were only about it', () => {
    const { ports, stores, write, ids } = setUp();
    const of = (session: string) => ({ agent: { name: 'codex', session } });
    const one = write(edit('a', '1', of('one')));
    const two = write(edit('a', '2', of('two')));
    const back = write(edit('a', '3', { kind: 'restore', restores: [{ id: one, entry: 0 }] }));
    const both = write(edit('a', '3', { kind: 'restore', restores: [one, two].map((id) => ({ id, entry: 0 })) }));
    assert.deepEqual(purge(ports, stores, { session: 'one' }).removed, [back, one]);
    assert.deepEqual(ids(), [both, two]);
  });
});

describe('checking a store', () => {
  it('finds each altered blob and each damaged record, and counts all', () => {
    const { ports, stores, store, write } = setUp();
    write(edit('fine', '1'));
    const altered = write(editOf(entryOf('x/a', fileState('aa')), entryOf('b', fileState('bb'))));
    const damaged = write(edit('c', '3'));
    fs.writeFileSync(path.join(checkpointDir(store, altered), 'pre/0-a'), 'AA');
    fs.unlinkSync(path.join(checkpointDir(store, damaged), 'meta.json'));
    const seen: number[] = [];
    const found = doctor(ports, stores, (checked) => seen.push(checked));
    assert.equal(found.checkpoints, 3);
    assert.deepEqual(seen, [1, 2, 3]);
    assert.deepEqual(
      found.damaged.map(({ id, path: file }) => [id, file]),
      [
        [damaged, undefined],
        [altered, 'x/a'],
      ],
    );
    assert.match(found.damaged[1]!.reason, /altered/);
  });
});

describe('pinning', () => {
  it('can be repeated, and tells where there is nothing to pin', () => {
    const { ports, stores, write } = setUp();
    const id = write(edit('a', '1'));
    const pinned = () => listPage(ports, stores, { limit: 1 }).checkpoints[0]?.pinned;
    for (const value of [true, true, false, false]) {
      setPinned(ports, stores, id, value);
      assert.equal(pinned(), value);
    }
    assert.throws(
      () => setPinned(ports, stores, '20200101T000000000Z-aaaaaaaaaa' as CheckpointId, true),
      (error) => CheckpointError.is(error, 'not-found'),
    );
  });
});
