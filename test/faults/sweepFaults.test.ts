// Stops the look before and after a command at every single file call: the command goes on, and nothing is recorded
// that is not so.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteRequest } from '../../src/core/capture/request';
import { endTurn } from '../../src/core/capture/turns';
import { readKey } from '../../src/core/state/key';
import { readWarnings } from '../../src/core/state/warnings';
import { doctor } from '../../src/core/store/doctor';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores } from '../../src/core/store/stores';
import { faultyFs, type FaultOptions } from '../support/faultyFs';
import { CommandWorkspace } from '../support/sweepKit';

const files: Readonly<Record<string, string>> = {
  'changed.txt': 'before\n',
  'gone.txt': 'gone\n',
  'kept.txt': 'kept\n',
};
const made = ['folder', 'folder/made.txt'];
const touched = ['changed.txt', 'gone.txt', ...made];

/** A folder without Git: no process is started, so that every call can be tried. */
function arranged(): { space: CommandWorkspace; request: WriteRequest } {
  const space = new CommandWorkspace({ git: false });
  for (const [name, text] of Object.entries(files)) space.write(name, text);
  // As after the first use ever.
  readKey(space.ports, { create: true });
  return { space, request: space.request('a command') };
}

function command(space: CommandWorkspace): void {
  space.write('changed.txt', 'after\n');
  fs.rmSync(space.at('gone.txt'));
  space.write('folder/made.txt', 'made\n');
}

/** The same user state, on a file system that fails. */
function failing({ ports }: CommandWorkspace, options: FaultOptions) {
  const { fs: broken, counts } = faultyFs({ unflushed: true, ...options });
  return { counts, observer: createObserver({ ...ports, fs: broken }) };
}

/** What is recorded is so, what is not is named, and nothing is there twice. */
function assertTrue(space: CommandWorkspace, at: string): void {
  const stores = rootStores(space.ports, space.root);
  assert.deepEqual(doctor(space.ports, stores).damaged, [], at);
  const seen = new Set<string>();
  const named = new Set<string | undefined>();
  for (const meta of space.list()) {
    meta.notCovered.forEach(({ path: name }) => named.add(typeof name === 'string' ? name : undefined));
    for (const { path: name, pre } of meta.entries) {
      assert.ok(touched.includes(String(name)), `${at}: ${String(name)} was not changed`);
      assert.ok(!seen.has(String(name)), `${at}: ${String(name)} is there twice`);
      seen.add(String(name));
      const store = meta.fallback ? stores.fallback : stores.primary;
      const was = pre.type === 'file' ? readBlob(space.ports, store, meta.id, pre).toString() : undefined;
      assert.equal(was, files[String(name)], `${at}: ${String(name)}`);
    }
  }
  const isTold =
    named.has(undefined) || named.has('.') || readWarnings(space.ports).some(({ key }) => key.startsWith('sweep:'));
  for (const name of touched) {
    const isNamed = [...named].some((each) => each === name || name.startsWith(`${each}/`));
    assert.ok(seen.has(name) || isNamed || isTold, `${at}: nothing is said of ${name}`);
  }
  assert.ok(!seen.has('kept.txt'), at);
}

const end = ({ ports, root }: CommandWorkspace) =>
  void endTurn(ports, { agent: { name: 'claude-code', session: 's1' }, cwd: root, projectDir: root });

/** After the command such a file is recorded as unreadable, whether it was changed or not. */
const unlooked = 'a file that cannot be looked at';

const modes: Readonly<Record<string, FaultOptions>> = {
  'a full disk': { code: 'ENOSPC', only: ['mkdirSync', 'renameSync', 'writeFileSync', 'writeSync'] },
  'a folder that cannot be listed': { code: 'EIO', only: ['readdirSync'] },
  [unlooked]: { code: 'EIO', only: ['lstatSync'] },
  'a kill': { mode: 'kill' },
};

for (const [by, options] of Object.entries(modes)) {
  describe(`A command around which a file call fails, by ${by}`, function () {
    this.timeout(180_000);

    it('before it runs: it runs, and what is recorded of it is so', () => {
      const counted = arranged();
      const { counts, observer } = failing(counted.space, { ...options, failAt: 0 });
      observer.beforeWrite(counted.request);
      assert.ok(counts.calls > 2);
      for (let failAt = 1; failAt <= counts.calls; failAt++) {
        const { space, request } = arranged();
        failing(space, { ...options, failAt }).observer.beforeWrite(request);
        command(space);
        space.observer.afterWrite(request);
        end(space);
        // One that was killed cannot say anything; nothing wrong is recorded then.
        if (options.mode !== 'kill' || space.list().length > 0) assertTrue(space, `at ${failAt}`);
      }
    });

    if (by === unlooked) return;
    it('after it ran: the turn’s end records what is missing', () => {
      const counted = arranged();
      counted.space.observer.beforeWrite(counted.request);
      command(counted.space);
      const { counts, observer } = failing(counted.space, { ...options, failAt: 0 });
      observer.afterWrite(counted.request);
      assert.ok(counts.calls > 2);
      for (let failAt = 1; failAt <= counts.calls; failAt++) {
        const { space, request } = arranged();
        space.observer.beforeWrite(request);
        command(space);
        failing(space, { ...options, failAt }).observer.afterWrite(request);
        end(space);
        assert.ok(space.list().length > 0, `at ${failAt}`);
        assertTrue(space, `at ${failAt}`);
      }
    });
  });
}
