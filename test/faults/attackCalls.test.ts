// The same exchange as in a race, but before each single file call in turn: no moment is left out.
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { closeStale } from '../../src/core/capture/close';
import { planRestore, runPlan } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { setPinned } from '../../src/core/store/pin';
import { purge } from '../../src/core/store/purge';
import { prune } from '../../src/core/store/retention';
import { Attacked, longAttacks, secret } from '../support/attackKit';

interface Scene {
  readonly area: Attacked;
  /** What is exchanged for a link to the folder outside. */
  readonly folder: string;
  readonly act: () => unknown;
}

/** Calls that only look need no attack of their own: the next call is attacked as well. */
const attacked = new Set([
  'openSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'mkdirSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'rmSync',
  'rmdirSync',
  'symlinkSync',
  'chmodSync',
  'writeSync',
  'copyFileSync',
  'lstatSync',
]);

/**
 * Runs the scene once for each of its calls, with the folder exchanged before it, and once more with it put back soon
 * after. Usually a few calls only, other ones each time.
 */
function beforeEachCall(makeScene: () => Scene, usual = 6): void {
  const count = countCalls(makeScene());
  const step = longAttacks ? 1 : Math.max(1, Math.ceil(count / usual));
  for (let at = 1 + (process.pid % step); at <= count; at += step) {
    for (const back of longAttacks ? [undefined, 1, 3] : [undefined, 1 + (at % 3)]) {
      const { area, folder, act } = makeScene();
      let calls = 0;
      area.watched.before = (name) => {
        if (!attacked.has(name)) return;
        calls++;
        if (calls === at) exchange(folder, area.outside);
        if (back !== undefined && calls === at + back) putBack(folder);
      };
      area.refusable(() => {
        try {
          act();
        } catch (error) {
          // The system's error of a store that is gone in the middle is as good as a reason.
          if (!(error as NodeJS.ErrnoException).code) throw error;
        }
      });
      area.watched.before = undefined;
      putBack(folder);
      try {
        area.verify();
      } catch (error) {
        throw new Error(`exchanged before call ${at} of ${count}, put back after ${back}`, { cause: error });
      }
    }
  }
}

function countCalls({ area, act }: Scene): number {
  let calls = 0;
  area.watched.before = (name) => void (attacked.has(name) && calls++);
  act();
  area.watched.before = undefined;
  area.verify();
  return calls;
}

function exchange(folder: string, target: string): void {
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  fs.renameSync(folder, `${folder}.aside`);
  fs.symlinkSync(target, folder);
}

function putBack(folder: string): void {
  if (!fs.existsSync(`${folder}.aside`)) return;
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) fs.unlinkSync(folder);
  else fs.rmSync(folder, { recursive: true, force: true });
  fs.renameSync(`${folder}.aside`, folder);
}

describe('a folder that is exchanged for a link before any one call', function () {
  this.timeout(longAttacks ? 1_200_000 : 60_000);

  function area(): Attacked {
    const made = new Attacked();
    for (const name of ['a.txt', 'new.txt', 'big.bin', '0-a.txt']) {
      fs.writeFileSync(path.join(made.outside, name), `${secret} ${name}`);
    }
    made.settle();
    return made;
  }

  it('a capture before and after the write takes nothing from outside', () => {
    beforeEachCall(() => {
      const made = area();
      made.write('sub/a.txt', 'one\n');
      const observer = createObserver(made.ports);
      const request = made.request([
        { path: made.at('sub/a.txt'), expected: { type: 'edits', edits: [{ oldText: 'one', newText: 'two' }] } },
        'sub/new.txt',
      ]);
      const act = () => {
        observer.beforeWrite(request);
        observer.afterWrite(request);
      };
      return { area: made, folder: made.at('sub'), act };
    });
  });

  it('a capture of a large file takes nothing from outside', () => {
    const large = Buffer.alloc(9 * 2 ** 20, 'x');
    beforeEachCall(() => {
      const made = area();
      made.write('sub/big.bin', '');
      fs.writeFileSync(made.at('sub/big.bin'), large);
      const observer = createObserver(made.ports);
      return {
        area: made,
        folder: made.at('sub'),
        act: () => observer.beforeWrite(made.request(['sub/big.bin'])),
      };
    }, 3);
  });

  for (const part of ['', 'checkpoints', 'index', 'index/last', 'index/open', 'index/calls']) {
    it(`a capture writes nothing through ${part || 'the store'}`, () => {
      beforeEachCall(() => {
        const made = area();
        made.write('a.txt', 'one\n');
        made.agent({ 'a.txt': 'two\n' });
        const observer = createObserver(made.ports);
        const request = made.request(['a.txt']);
        const act = () => {
          observer.beforeWrite(request);
          observer.afterWrite(request);
        };
        return { area: made, folder: path.join(made.store, part), act };
      });
    });
  }

  const upkeep: Record<string, (made: Attacked, id: CheckpointId) => unknown> = {
    'pruning removes': ({ ports, stores }) => prune(ports, stores, { maxCheckpoints: 1, maxBytes: 1 }),
    'purging removes': ({ ports, stores }) => purge(ports, stores, { path: 'a.txt' }),
    'pinning writes': ({ ports, stores }, id) => setPinned(ports, stores, id, true),
    'closing writes': ({ ports, stores }, id) => closeStale(ports, stores, [id]),
  };
  for (const [what, act] of Object.entries(upkeep)) {
    it(`${what} nothing outside`, () => {
      for (const part of ['checkpoints', 'checkpoints/<id>', 'checkpoints/<id>/pre']) {
        beforeEachCall(() => {
          const made = area();
          made.write('a.txt', 'one\n');
          const id = made.agent({ 'a.txt': 'two\n', 'b.txt': 'x' });
          createObserver(made.ports).beforeWrite(made.request(['b.txt']));
          made.ports.clock.now += 3_600_000;
          return { area: made, folder: path.join(made.store, part.replace('<id>', id)), act: () => act(made, id) };
        }, 3);
      }
    });
  }

  it('a restore that makes folders, links and files, and removes some, does so inside', () => {
    beforeEachCall(() => {
      const made = area();
      made.write('sub/a.txt', 'one\n');
      made.write('sub/inner/b.txt', 'one\n');
      const id = made.agent({ 'sub/a.txt': 'two\n', 'sub/inner/b.txt': undefined, 'sub/new.txt': 'two\n' });
      fs.rmdirSync(made.at('sub/inner'));
      const act = () =>
        runPlan(made.ports, made.root, planRestore(made.ports, made.root, { mode: 'checkpoint', id }, {}));
      return { area: made, folder: made.at('sub'), act };
    });
  });
});
