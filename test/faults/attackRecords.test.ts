// Records that lie: about their bytes, their size, their shape, their time, and about whose they are.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { closeStale } from '../../src/core/capture/close';
import { createObserver } from '../../src/core/capture/observer';
import { recoverJournal } from '../../src/core/restore/journal';
import { planRedo, planRestore, planUndo, runPlan } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { doctor } from '../../src/core/store/doctor';
import { prune } from '../../src/core/store/retention';
import { Attacked, entry, evilFile, evilId, longAttacks, metaOf, nothing } from '../support/attackKit';

const future = (n: number) => `99991231T235959${String(990 + n)}Z-evil000000`;

describe('a record that lies', () => {
  const blobs: Record<string, object> = {
    'a blob outside its folder': { blob: 'pre/../../x' },
    'a blob by an absolute path': { blob: '/etc/passwd' },
    'a blob with a backslash': { blob: 'pre\\0-x' },
    'a blob with a NUL': { blob: 'pre/0-x\0' },
    'its own metadata as a blob': { blob: 'meta.json' },
    'a blob that is not there': { blob: 'pre/7-x' },
    'another hash': { sha256: 'a'.repeat(64) },
    'a smaller size': { size: 1 },
    'a huge size': { size: Number.MAX_SAFE_INTEGER },
    'a size that is no number': { size: '5' },
    'a size below nothing': { size: -1 },
    'a mode of more bits': { mode: 0o170644 },
  };
  for (const [what, change] of Object.entries(blobs)) {
    it(`has ${what}: nothing is written, and it is told why`, () => {
      const area = new Attacked();
      area.write('a.txt', 'own\n');
      area.plant(metaOf([entry('a.txt', { ...evilFile, ...change }, nothing)]));
      const { damaged, ids } = area.list();
      assert.equal(ids.length + damaged.length, 1);
      const told = area.refusable(() => {
        const { restored, skipped } = area.restore();
        assert.deepEqual(restored, []);
        assert.ok(skipped[0]!.reason.length > 10);
      });
      assert.ok(damaged.length === 0 || told.includes('damaged'), told);
      assert.equal(doctor(area.ports, area.stores).damaged.length, 1);
      assert.equal(area.read('a.txt'), 'own\n');
      area.verify();
    });
  }

  const shapes: Record<string, string> = {
    'nested deeply': `{"version":1,"id":"${evilId}","entries":${'['.repeat(5e5)}${']'.repeat(5e5)}}`,
    'of the wrong types': JSON.stringify(metaOf({ length: 1 }, { agent: [], prompt: {}, notCovered: 'x' })),
    'the record of another id': JSON.stringify(metaOf([], {}, '20261130T120000000Z-evil000001')),
    'with an id that is a path': JSON.stringify(metaOf([], {}, '../../outside')),
    'no object': '[]',
    empty: '',
    'of bytes that are no text': '\u0000\u0001',
    'with an impossible time': JSON.stringify(metaOf([], { createdAt: '\u001b[2J' })),
    'with an endless prompt': JSON.stringify(metaOf([], { prompt: 'x'.repeat(20_001) })),
  };
  for (const [what, text] of Object.entries(shapes)) {
    it(`is ${what}: it is listed as damaged, and the others are as they were`, () => {
      const area = new Attacked();
      area.write('a.txt', 'one\n');
      const id = area.agent({ 'a.txt': 'two\n' });
      area.plant(text);
      const { ids, damaged } = area.list();
      assert.deepEqual([ids, damaged.map((each) => each.id)], [[id], [evilId]]);
      assert.ok(damaged[0]!.reason.length < 1000);
      assert.match(
        area.refusable(() => area.restore(evilId)),
        /damaged/,
      );
      assert.deepEqual(area.restore(id, {}).restored, ['a.txt']);
      area.verify();
    });
  }

  it('is sparse and said to be of many gigabytes: no memory is taken for it', () => {
    const area = new Attacked();
    const dir = area.plant('');
    fs.truncateSync(path.join(dir, 'meta.json'), 2 ** 36);
    assert.match(area.list().damaged[0]!.reason, /too large/);
    area.verify();
  });

  it('has keys of every object: they are no fields', () => {
    const area = new Attacked();
    const text = JSON.stringify(metaOf([entry('a')])).replace(
      '"version":1',
      '"version":1,"__proto__":{"kind":"restore","polluted":1},"constructor":{"prototype":{"polluted":1}}',
    );
    area.plant(text);
    assert.equal(area.list().checkpoints[0]!.kind, 'edit');
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
    area.verify();
  });

  it('has as many paths as its size allows: a plan takes seconds, not hours', () => {
    const area = new Attacked();
    const count = longAttacks ? 60_000 : 12_000;
    // All twins of each other, in each other's folders.
    const names = Array.from({ length: count }, (_, i) => `d/${i.toString(2).replace(/0/g, 'a').replace(/1/g, 'A')}`);
    area.plant(metaOf(names.map((name) => entry(name, { type: 'absent' }, { type: 'directory' }))));
    const begun = performance.now();
    const plan = planRestore(area.ports, area.root, { mode: 'checkpoint', id: evilId }, { foreign: true });
    assert.ok(plan.steps.length > 0);
    assert.ok(performance.now() - begun < 45_000);
    area.verify();
  });
});

describe('a record that came with a clone', () => {
  function withOwn() {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    const id = area.agent({ 'a.txt': 'two\n' });
    return { area, id };
  }

  it('is foreign without a mac, with a wrong one, and with one of another key', () => {
    const { area, id } = withOwn();
    const other = new Attacked();
    other.write('a.txt', 'one\n');
    const theirs = other.agent({ 'a.txt': 'two\n' });
    fs.cpSync(path.join(other.store, 'checkpoints', theirs), path.join(area.store, 'checkpoints', theirs), {
      recursive: true,
    });
    for (const [n, mac] of ['', 'A'.repeat(43), 'é'.repeat(43)].entries()) {
      area.plant(metaOf([entry('b.txt')], { mac }, future(n)), future(n));
    }
    for (const { id: each, foreign } of area.list().checkpoints) assert.equal(foreign, each !== id, each);
    for (const each of [theirs, future(0), future(1)] as CheckpointId[]) {
      assert.match(
        area.refusable(() => area.restore(each, {})),
        /not made by you/,
      );
    }
    area.verify();
  });

  it('cannot take an own record over by changing one field of it', () => {
    const { area, id } = withOwn();
    const file = path.join(area.store, 'checkpoints', id, 'meta.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('a.txt', 'b.txt'));
    assert.equal(area.list().checkpoints[0]!.foreign, true);
    assert.match(
      area.refusable(() => area.restore(id, {})),
      /not made by you/,
    );
    area.verify();
  });

  it('cannot claim that entries were taken back, nor be what undo and redo take', () => {
    const { area, id } = withOwn();
    const claim = { kind: 'restore', restores: [{ id, entry: 0 }], label: 'x' };
    area.plant(metaOf([entry('a.txt', { ...evilFile }, nothing)], claim, future(0)), future(0));
    assert.throws(() => planRedo(area.ports, area.root), /nothing to redo/);
    assert.deepEqual(runPlan(area.ports, area.root, planUndo(area.ports, area.root)).restored, ['a.txt']);
    assert.equal(area.read('a.txt'), 'one\n');
    area.verify();
  });

  it('cannot keep restores from running, from the future or damaged', () => {
    const { area, id } = withOwn();
    area.plant(metaOf([], { kind: 'restore', restores: [] }, future(0)), future(0));
    area.plant('{', future(1));
    assert.deepEqual(area.restore(id, {}).restored, ['a.txt']);
    area.verify();
  });

  it('cannot bring later records out of order', () => {
    const { area, id } = withOwn();
    for (let n = 0; n < 9; n++) area.plant(metaOf([], {}, future(n)), future(n));
    area.plant(metaOf([], {}, '99999999T999999999Z-evil000000'), '99999999T999999999Z-evil000000');
    const ids = [id, ...Array.from({ length: 12 }, (_, i) => area.agent({ 'a.txt': `${i}\n` }))];
    assert.deepEqual([...ids].sort(), ids);
    assert.ok(ids.every((each) => each < '2027'));
    area.verify();
  });

  it('cannot push own ones out, by number, by size or by a pin', () => {
    const { area, id } = withOwn();
    for (let n = 0; n < 9; n++) {
      const dir = area.plant(metaOf([], { status: 'pending' }, future(n)), future(n));
      fs.truncateSync(path.join(dir, 'pre', '0-x'), 2 ** 40);
    }
    fs.writeFileSync(path.join(area.store, 'checkpoints', future(3), 'pinned'), '');
    const { removed } = prune(area.ports, area.stores, { maxCheckpoints: 3, maxBytes: 2 ** 30 });
    assert.ok(!removed.includes(id));
    assert.ok(removed.length >= 6);
    area.verify();
  });

  it('is not closed, and never signed', () => {
    const { area } = withOwn();
    const { toString } = {
      toString: () => fs.readFileSync(path.join(area.store, 'checkpoints', evilId, 'meta.json'), 'utf8'),
    };
    area.plant(metaOf([{ path: 'a.txt', pre: nothing, provenance: 'before-write' }], { status: 'pending' }));
    const before = toString();
    const open = path.join(area.store, 'index', 'open', `${evilId}.json`);
    fs.mkdirSync(path.dirname(open), { recursive: true });
    const found = createHash('sha256').update('two\n').digest('hex');
    const prints = [{ sha256: found, size: 4, newline: true }];
    const record = {
      id: evilId,
      at: 1,
      session: 's',
      named: ['/x'],
      entries: [{ path: 'a.txt', recorded: { type: 'prints', prints } }],
    };
    fs.writeFileSync(open, JSON.stringify(record));
    area.ports.clock.now += 3_600_000;
    closeStale(area.ports, area.stores, [evilId]);
    area.agent({ 'a.txt': 'three\n' });
    assert.equal(toString(), before);
    area.verify();
  });

  it('takes no capture over by a planted claim, and holds none up for long', () => {
    const { area } = withOwn();
    area.plant(metaOf([entry('a.txt')], { status: 'pending' }));
    const key = createHash('sha256').update('s1\0planted').digest('hex').slice(0, 32);
    for (let n = 0; n < 100; n++) {
      const file = path.join(area.store, 'index', 'calls', n === 0 ? key : `${key}~${n}`);
      fs.writeFileSync(file, JSON.stringify({ id: evilId, pid: 1, at: area.ports.clock.now }));
      if (n === 50) break;
    }
    const begun = performance.now();
    const agent = { name: 'x', session: 's1', tool: 'Write', toolUse: 'planted' };
    const { checkpoints, first } = createObserver(area.ports).beforeWrite(area.request(['a.txt'], { agent }));
    assert.ok(performance.now() - begun < 15_000);
    assert.equal(first, true);
    assert.notEqual(checkpoints[0]!.id, evilId);
    area.verify();
  });

  it('cannot ask for a recovery, in the store or with a journal that has no key', () => {
    const { area, id } = withOwn();
    const states = [entry('../outside/x', nothing), entry('/etc/x', nothing), entry('a.txt', nothing)];
    const journal = {
      version: 1,
      guard: id,
      root: area.root,
      fallback: false,
      entries: states,
      order: [0, 1, 2],
      restores: [],
      foreign: [],
      mac: '',
    };
    for (const dir of [path.join(area.store, 'journal'), path.join(area.ports.stateDir, 'journal')]) {
      fs.mkdirSync(dir, { recursive: true });
      for (const mac of ['', 'A'.repeat(43)])
        fs.writeFileSync(path.join(dir, `${id}.json`), JSON.stringify({ ...journal, mac }));
    }
    assert.deepEqual(recoverJournal(area.ports), []);
    planUndo(area.ports, area.root);
    assert.equal(area.read('a.txt'), 'two\n');
    area.verify();
  });
});
