// Every part of a store exchanged for something else: links out of the root, files of the system, hard links. All that
// reads or writes a store then refuses it with a reason, or does without.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { closeStale } from '../../src/core/capture/close';
import { createObserver } from '../../src/core/capture/observer';
import { beginTurn, endTurn } from '../../src/core/capture/turns';
import { planRedo, planRestore, planUndo, runPlan } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { doctor } from '../../src/core/store/doctor';
import { setPinned } from '../../src/core/store/pin';
import { purge } from '../../src/core/store/purge';
import { findCheckpoint } from '../../src/core/store/reader';
import { prune } from '../../src/core/store/retention';
import { readBlob } from '../../src/core/store/storedBlob';
import { Attacked, fifo, longAttacks } from '../support/attackKit';
import { temporaryRoot } from '../support/ports';

const lastOf = (file: string) => createHash('sha256').update(JSON.stringify(file)).digest('hex').slice(0, 32);
const callOf = (session: string, toolUse: string) =>
  createHash('sha256').update(`${session}\0${toolUse}`).digest('hex').slice(0, 32);
const sessionOf = (session: string) => createHash('sha256').update(session).digest('hex').slice(0, 32);

/** Relative to the store; `<id>` is an own, finished checkpoint of `a.txt`, `<open>` one that is not closed. */
const parts = [
  '',
  '.gitignore',
  'checkpoints',
  'checkpoints/<id>',
  'checkpoints/<id>/meta.json',
  'checkpoints/<id>/pinned',
  'checkpoints/<id>/pre',
  'checkpoints/<id>/pre/0-a.txt',
  'checkpoints/<id>/post',
  'checkpoints/<id>/post/0-a.txt',
  'checkpoints/<open>',
  'checkpoints/.tmp-old',
  'conversations',
  'index',
  'index/last',
  `index/last/${lastOf('a.txt')}`,
  'index/calls',
  `index/calls/${callOf('s1', 'planted')}`,
  'index/open',
  'index/open/<open>.json',
  'index/sessions',
  `index/sessions/${sessionOf('s1')}.json`,
];

describe('a store with a part that is something else', () => {
  const things = temporaryRoot('things');
  const server = net.createServer();

  before((done) => {
    fifo(path.join(things, 'fifo'));
    try {
      // Reads of it never end.
      execFileSync('mknod', [path.join(things, 'device'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      // Only root may make one.
    }
    server.listen(path.join(things, 'socket'), done);
  });
  after((done) => void server.close(done));

  const linked = (name: string) => (at: string) => fs.linkSync(path.join(things, name), at);
  const shapes: Record<string, (at: string, outside: string) => void> = {
    'a link to a folder outside': (at, outside) => fs.symlinkSync(outside, at),
    'a link to a file outside': (at, outside) => fs.symlinkSync(path.join(outside, 'secret'), at),
    'a link to a pipe outside': (at, outside) => fs.symlinkSync(path.join(outside, 'pipe'), at),
    'a link to nothing': (at, outside) => fs.symlinkSync(path.join(outside, 'new'), at),
    'a file of outside with a second name': (at, outside) => fs.linkSync(path.join(outside, 'secret'), at),
    'a pipe': linked('fifo'),
    'a socket': linked('socket'),
    'a device': linked('device'),
    'a file': (at) => fs.writeFileSync(at, 'file'),
    'a folder': (at) => fs.mkdirSync(path.join(at, 'inner'), { recursive: true }),
  };

  function attacked() {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    const id = area.agent({ 'a.txt': 'two\n' });
    const observer = createObserver(area.ports);
    const planted = { name: 'claude-code', session: 's1', tool: 'Write', toolUse: 'planted' };
    const request = area.request(['b.txt'], { agent: planted });
    const open = observer.beforeWrite(request).checkpoints[0]!.id as CheckpointId;
    setPinned(area.ports, area.stores, id, true);
    return { area, observer, id, open, request };
  }

  /** All doors, one after the other. */
  function useAll({ area, observer, id, request }: ReturnType<typeof attacked>): string {
    const { ports, stores } = area;
    const told: unknown[] = [];
    const door = (act: () => unknown) => told.push(area.refusable(() => told.push(act())));
    const event = { agent: { name: 'claude-code', session: 's1' }, cwd: area.root };
    door(() => area.list());
    door(() => doctor(ports, stores));
    door(() => closeStale(ports, stores, [id]));
    door(() => beginTurn(ports, { ...event, prompt: 'do it' }));
    door(() => observer.beforeWrite(area.request(['a.txt'])));
    door(() => observer.beforeWrite(request));
    door(() => observer.afterWrite(request));
    for (const state of ['pre', 'post'] as const) {
      door(() => {
        const { store, meta } = findCheckpoint(ports, stores, id);
        const found = meta.entries[0]![state];
        return found?.type === 'file' ? readBlob(ports, store, id, found).toString() : found;
      });
    }
    door(() => area.restore(id, { foreign: true, onConflict: 'overwrite' }));
    door(() => area.restore(id, { foreign: true, onConflict: 'merge' }, 'rewind'));
    door(() => runPlan(ports, area.root, planRedo(ports, area.root)));
    door(() => runPlan(ports, area.root, planUndo(ports, area.root)));
    door(() => setPinned(ports, stores, id, false));
    door(() => setPinned(ports, stores, id, true));
    ports.clock.now += 30 * 24 * 3_600_000;
    door(() => endTurn(ports, event));
    door(() => prune(ports, stores, { maxCheckpoints: 1, maxBytes: 1 }));
    door(() => purge(ports, stores, { path: 'a.txt' }));
    door(() => purge(ports, stores, { session: 's1' }));
    door(() => area.list());
    return JSON.stringify(told);
  }

  // Each part is a link and a pipe, and one of the others in turn; all of them take minutes.
  const names = Object.keys(shapes);
  const usual = (part: string, what: string) =>
    [names[0], 'a pipe', names[parts.indexOf(part) % names.length]].includes(what);
  for (const [what, put] of Object.entries(shapes)) {
    for (const part of parts.filter((each) => longAttacks || usual(each, what))) {
      it(`${part || 'the store'}: ${what}`, function () {
        if (what === 'a device' && !fs.existsSync(path.join(things, 'device'))) this.skip();
        const all = attacked();
        const at = path.join(all.area.store, part.replace('<id>', all.id).replace('<open>', all.open));
        fs.rmSync(at, { recursive: true, force: true });
        fs.mkdirSync(path.dirname(at), { recursive: true });
        put(at, all.area.outside);
        all.area.verify(useAll(all));
        // Nothing was lost on the way: the person's file is one of the states that were recorded.
        assert.match(all.area.read('a.txt')!, /^(one|two)\n$/);
      });
    }
  }

  it('is refused with a reason, in a listing too, and the agent goes on', () => {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    fs.symlinkSync(area.outside, area.store);
    const id = area.agent({ 'a.txt': 'two\n' });
    const { damaged, checkpoints } = area.list();
    assert.match(damaged[0]!.reason, /is a symbolic link\. Checkpoints are only kept in a real folder/);
    assert.equal(checkpoints[0]!.id, id);
    assert.equal(checkpoints[0]!.fallback, true);
    // What is kept in user state restores all the same, and says what of the history was out of reach.
    const { notCovered } = planRestore(area.ports, area.root, { mode: 'rewind', id });
    assert.match(notCovered[0]!.reason, /is a symbolic link/);
    assert.deepEqual(area.restore(id, {}).restored, ['a.txt']);
    assert.equal(area.read('a.txt'), 'one\n');
    area.verify();
  });

  it('writes a turn into no folder that a link leads to, where user state is out of reach', () => {
    const area = new Attacked();
    fs.mkdirSync(area.store);
    fs.symlinkSync(area.outside, path.join(area.store, 'index'));
    fs.writeFileSync(area.ports.stateDir, 'no folder');
    beginTurn(area.ports, { agent: { name: 'claude-code', session: 's1' }, cwd: area.root, prompt: 'x' });
    assert.deepEqual(fs.existsSync(path.join(area.outside, 'sessions')), false);
    fs.rmSync(area.ports.stateDir);
    area.verify();
  });

  it('lets nothing be removed by its name where the index leads outside', () => {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    const id = area.agent({ 'a.txt': 'two\n', 'b.txt': 'x' });
    fs.mkdirSync(path.join(area.outside, 'last'));
    fs.writeFileSync(path.join(area.outside, 'last', lastOf('a.txt')), 'precious');
    fs.mkdirSync(path.join(area.outside, 'open'));
    fs.writeFileSync(path.join(area.outside, 'open', `${id}.json`), 'precious');
    area.settle();
    fs.rmSync(path.join(area.store, 'index'), { recursive: true });
    fs.symlinkSync(area.outside, path.join(area.store, 'index'));
    purge(area.ports, area.stores, { path: 'a.txt' });
    closeStale(area.ports, area.stores, [id]);
    area.verify();
  });
});
