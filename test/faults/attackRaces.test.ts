// A second process exchanges a folder for a link that leads outside, thousands of times, while this one works in it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { CheckpointError } from '../../src/core/errors';
import { planRedo, planUndo, runPlan } from '../../src/core/restore/restore';
import { setPinned } from '../../src/core/store/pin';
import { purge } from '../../src/core/store/purge';
import { prune } from '../../src/core/store/retention';
import { sweep } from '../../src/core/store/sweep';
import { writeCheckpoint } from '../../src/core/store/writer';
import { Attacked, longAttacks, secret } from '../support/attackKit';
import { bundledScript } from '../support/bundle';
import { absent, editOf, entryOf, fileState } from '../support/checkpoints';
import { unflushed } from '../support/ports';

const ms = longAttacks ? 30_000 : 1500;
/** On a busy machine there are fewer; far fewer mean that nothing was attacked. */
const leastSwaps = longAttacks ? 1000 : 20;

describe('with a folder that a second process exchanges for a link all the time', function () {
  this.timeout(ms * 4 + 60_000);
  let script: string;
  let area: Attacked;
  let ports: Attacked['ports'];

  before(() => void (script = bundledScript('swapProcess')));

  beforeEach(() => {
    area = new Attacked();
    // Looking first would leave the attacker more time than the product does.
    ports = { ...area.ports, fs: unflushed };
    for (const name of ['a.txt', 'new.txt', 'gone.txt', 'link', 'deep/a.txt', 'big.bin']) {
      fs.mkdirSync(path.dirname(path.join(area.outside, name)), { recursive: true });
      fs.rmSync(path.join(area.outside, name), { force: true });
      fs.writeFileSync(path.join(area.outside, name), `${secret} ${name}`);
    }
    fs.mkdirSync(path.join(area.outside, 'empty'));
    fs.mkdirSync(path.join(area.outside, 'index'));
    area.settle();
  });

  /** Attacks `folder` while `act` is done, as often as there is time. Returns how often it was done. */
  async function attack(folder: string, act: (round: number) => void): Promise<number> {
    const child = spawn(process.execPath, [script, folder, area.outside, String(ms)]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk));
    const ended = new Promise((resolve) => child.on('close', resolve));
    let over = false;
    void ended.then(() => (over = true));
    let round = 0;
    for (; !over; round++) {
      try {
        act(round);
      } catch (error) {
        // What the attacker does may well stop the work; it must not make it do anything else.
        if (!CheckpointError.is(error) && !(error as NodeJS.ErrnoException).code) throw error;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(Number(output) >= leastSwaps, `only ${output} swaps`);
    assert.ok(round > 2, `only ${round} rounds`);
    return round;
  }

  const run = (make: typeof planUndo) => runPlan(ports, area.root, make(ports, area.root, { onConflict: 'overwrite' }));

  it('undo and redo write, make, link and remove nothing outside', async () => {
    for (const name of ['a.txt', 'new.txt', 'deep/a.txt']) area.write(`sub/${name}`, 'two\n');
    fs.symlinkSync('two', area.at('sub', 'link'));
    writeCheckpoint(ports, area.stores.primary, {
      ...editOf(
        entryOf('sub/a.txt', fileState('one\n'), fileState('two\n')),
        entryOf('sub/new.txt', absent, fileState('two\n')),
        entryOf('sub/gone.txt', fileState('one\n'), absent),
        entryOf('sub/deep', absent, { type: 'directory' }),
        entryOf('sub/deep/a.txt', absent, fileState('two\n')),
        entryOf('sub/empty', { type: 'directory' }, absent),
        entryOf('sub/link', { type: 'symlink', target: 'one' }, { type: 'symlink', target: 'two' }),
      ),
      agent: { name: 'x', session: 's', turn: 't' },
    });
    await attack(area.at('sub'), (round) => void run(round % 2 === 0 ? planUndo : planRedo));
    area.verify();
  });

  it('a large file outside is not copied into a guard', async () => {
    const big = Buffer.alloc(5 * 2 ** 20, secret);
    fs.writeFileSync(path.join(area.outside, 'big.bin'), big);
    area.settle();
    area.write('sub/big.bin', 'two'.repeat(2 ** 21));
    writeCheckpoint(ports, area.stores.primary, {
      ...editOf(entryOf('sub/big.bin', absent, fileState('two'.repeat(2 ** 21)))),
      agent: { name: 'x', session: 's', turn: 't' },
    });
    await attack(area.at('sub'), (round) => void run(round % 2 === 0 ? planUndo : planRedo));
    area.verify();
  });

  it('captures read nothing that is outside', async () => {
    area.write('sub/a.txt', 'two\n');
    const observer = createObserver(ports);
    await attack(area.at('sub'), (round) => {
      const request = area.request([
        { path: area.at('sub/a.txt'), expected: { type: 'edits', edits: [{ oldText: 'o', newText: 'p' }] } },
        'sub/new.txt',
        'sub/deep/a.txt',
      ]);
      observer.beforeWrite(request);
      fs.writeFileSync(area.at('other.txt'), String(round));
      observer.afterWrite(request);
    });
    area.verify();
  });

  const parts = { 'the store': '', checkpoints: 'checkpoints', 'the index': 'index' };
  for (const [what, part] of Object.entries(parts)) {
    it(`captures, pruning and purging reach nothing through ${what}`, async () => {
      area.write('a.txt', 'one\n');
      const first = area.agent({ 'a.txt': 'two\n' });
      const observer = createObserver(ports);
      const turn = (round: number) => {
        const request = area.request(['a.txt']);
        observer.beforeWrite(request);
        fs.writeFileSync(area.at('a.txt'), String(round));
        observer.afterWrite(request);
        const step = [
          () => setPinned(ports, area.stores, first, round % 2 === 0),
          () => prune(ports, area.stores, { maxCheckpoints: 2, maxBytes: 1000 }),
          () => purge(ports, area.stores, { path: 'a.txt' }),
          () => run(planUndo),
        ][round % 4]!;
        step();
      };
      await attack(path.join(area.store, part), turn);
      area.verify();
    });
  }

  it('leftovers that are removed take nothing outside with them', async () => {
    const old = path.join(area.store, 'checkpoints', '.tmp-old');
    // Made elsewhere: this test itself must not write through the link.
    const fill = (round: number) => {
      const made = area.at(`made-${round}`);
      fs.mkdirSync(path.join(made, 'pre'), { recursive: true });
      for (let i = 0; i < 20; i++) fs.writeFileSync(path.join(made, 'pre', `${i}`), '');
      fs.mkdirSync(path.dirname(old), { recursive: true });
      fs.renameSync(made, old);
    };
    fill(-1);
    ports.clock.now = Date.now() + 2 * 3_600_000;
    await attack(path.join(old, 'pre'), (round) => {
      sweep(ports, area.stores);
      fill(round);
    });
    area.verify();
  });
});
