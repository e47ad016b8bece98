import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import { acquireLock, withLock } from '../../src/core/store/lock';
import { rootStores } from '../../src/core/store/stores';
import { bundledScript } from '../support/bundle';
import { temporaryRoot, testPorts } from '../support/ports';

const isLocked = (error: unknown) => CheckpointError.is(error, 'locked');

function setUp() {
  const ports = testPorts();
  const stores = rootStores(ports, temporaryRoot());
  return { ports, stores };
}

describe('the lock of a root', () => {
  let script: string;
  before(() => (script = bundledScript('lockProcess')));

  it('lets one in, says who it is, and is free afterwards, also after an error', () => {
    const { ports, stores } = setUp();
    withLock(ports, stores, 'testing', () => {
      assert.throws(() => withLock(ports, stores, 'again', () => {}, { waitMs: 0 }), isLocked);
      assert.throws(() => acquireLock(ports, stores, 'again', { waitMs: 0 }), /testing, process/);
    });
    assert.throws(() =>
      withLock(ports, stores, 'failing', () => {
        throw new Error('no');
      }),
    );
    const lock = acquireLock(ports, stores, 'free');
    lock.release();
    lock.release();
    assert.deepEqual(fs.readdirSync(path.join(ports.stateDir, 'locks')), []);
  });

  it('does not stand between two roots', () => {
    const { ports, stores } = setUp();
    const other = rootStores(ports, temporaryRoot());
    withLock(ports, stores, 'one', () => withLock(ports, other, 'two', () => {}, { waitMs: 0 }));
  });

  it('is taken over at once from a process that was killed', () => {
    const { ports, stores } = setUp();
    const ended = spawnSync(process.execPath, [script, stores.root, ports.stateDir, 'die'], { encoding: 'utf8' });
    assert.equal(ended.signal, 'SIGKILL', ended.stderr);
    assert.equal(fs.readdirSync(path.join(ports.stateDir, 'locks')).length, 2);
    let ran = false;
    withLock(ports, stores, 'next', () => (ran = true), { waitMs: 0 });
    assert(ran);
  });

  it('is taken over from a process that was killed before it said who it is, or when it was about to leave', () => {
    const { ports, stores } = setUp();
    spawnSync(process.execPath, [script, stores.root, ports.stateDir, 'die']);
    const locks = path.join(ports.stateDir, 'locks');
    const named = (end: string) =>
      path.join(
        locks,
        fs.readdirSync(locks).find((name) => name.endsWith(end))!,
      );
    fs.rmSync(named('.holder'));
    assert.throws(() => withLock(ports, stores, 'next', () => {}, { waitMs: 0 }), isLocked);
    const before = new Date(Date.now() - 20_000);
    fs.utimesSync(named('.lock'), before, before);
    withLock(ports, stores, 'next', () => {}, { waitMs: 0 });
  });

  it('is never held by two, also where many take over from a killed one', async () => {
    const { ports, stores } = setUp();
    spawnSync(process.execPath, [script, stores.root, ports.stateDir, 'die']);
    const counter = path.join(stores.root, 'counter');
    fs.writeFileSync(counter, '0');
    const codes = await Promise.all(
      Array.from(
        { length: 8 },
        () =>
          new Promise((resolve) =>
            spawn(process.execPath, [script, stores.root, ports.stateDir, 'count'], { stdio: 'inherit' }).on(
              'exit',
              resolve,
            ),
          ),
      ),
    );
    assert.deepEqual(new Set(codes), new Set([0]));
    assert.equal(fs.readFileSync(counter, 'utf8'), '80');
  });
});
