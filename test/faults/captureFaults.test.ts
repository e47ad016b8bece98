// Stops a capture at every single file call, by an error and by a kill, and looks at what is left.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { closeStale } from '../../src/core/capture/close';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteRequest } from '../../src/core/capture/request';
import { endTurn } from '../../src/core/capture/turns';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { bytesOf, content, edit, entryOf, workspace, type Workspace } from '../support/captureKit';
import { faultyFs, type FaultOptions } from '../support/faultyFs';

const requestOf = (space: Workspace): WriteRequest =>
  space.request([
    { path: space.file('old'), expected: edit('o', 'O') },
    { path: space.file('new/x'), expected: content('x') },
    { path: space.file('link'), expected: content('l') },
  ]);

function arranged(): Workspace {
  const space = workspace({ fs: faultyFs({ unflushed: true }).fs });
  space.write('old', 'old');
  space.write('target', 'target');
  fs.symlinkSync('target', space.file('link'));
  return space;
}

function agentWrites(space: Workspace): void {
  space.write('old', 'Old');
  space.write('new/x', 'x');
  space.write('target', 'l');
}

/** The same user state and clock, on a file system that fails. */
const failing = (space: Workspace, options: FaultOptions) => {
  const { fs: broken, counts } = faultyFs({ unflushed: true, ...options });
  return { counts, ports: { ...space.ports, fs: broken } };
};

/** Everything that is recorded of paths that the agent has not written yet is true. */
function assertTrue(space: Workspace, meta: ListedCheckpoint): void {
  for (const { path: name, pre } of meta.entries) {
    if (pre.type === 'unreadable') {
      assert.ok(meta.notCovered.some((one) => one.path === name) || pre.error, String(name));
    } else if (pre.type === 'file') {
      assert.equal(bytesOf(space, meta, String(name)).toString(), String(name) === 'old' ? 'old' : 'target');
    } else {
      assert.equal(pre.type, { new: 'absent', 'new/x': 'absent', link: 'symlink' }[String(name)], String(name));
    }
  }
}

function callsOf(act: (ports: Workspace['ports'], space: Workspace, request: WriteRequest) => void): number {
  const space = arranged();
  const request = requestOf(space);
  const { ports, counts } = failing(space, {});
  act(ports, space, request);
  return counts.calls;
}

const before = (ports: Workspace['ports'], _: Workspace, request: WriteRequest) =>
  void createObserver(ports).beforeWrite(request);

describe('a capture that is stopped before the write', function () {
  this.timeout(180_000);

  it('by a kill at any file call leaves true records, and the next report of the call completes it', () => {
    const calls = callsOf(before);
    assert.ok(calls > 50);
    for (let failAt = 1; failAt <= calls; failAt++) {
      const space = arranged();
      const request = requestOf(space);
      const { ports } = failing(space, { failAt, mode: 'kill' });
      before(ports, space, request);
      for (const meta of space.list()) assertTrue(space, meta);
      assert.ok(space.list().length <= 1, `at ${failAt}`);

      space.observer.beforeWrite(request);
      assert.equal(space.list().length, 1, `at ${failAt}`);
      assertTrue(space, space.newest());
      assert.deepEqual(
        space
          .newest()
          .entries.map(({ path: name }) => name)
          .sort(),
        ['link', 'new', 'new/x', 'old', 'target'],
        `at ${failAt}`,
      );
      agentWrites(space);
      space.observer.afterWrite(request);
      assert.equal(space.newest().status, 'done', `at ${failAt}`);
    }
  });

  for (const code of ['ENOSPC', 'EACCES']) {
    it(`by ${code} at any file call captures all the same, or says what is missing`, () => {
      const calls = callsOf(before);
      for (let failAt = 1; failAt <= calls; failAt++) {
        const space = arranged();
        const request = requestOf(space);
        const { ports } = failing(space, { failAt, code });
        const { checkpoints } = createObserver(ports).beforeWrite(request);
        const listed = space.list();
        assert.equal(checkpoints.length, 1, `at ${failAt}`);
        assert.deepEqual(
          listed.map(({ id }) => id),
          checkpoints.map(({ id }) => id),
          `at ${failAt}`,
        );
        assertTrue(space, listed[0]!);
        const covered = new Set([...listed[0]!.entries, ...listed[0]!.notCovered].map(({ path: name }) => name));
        for (const name of ['old', 'new/x', 'link']) assert.ok(covered.has(name), `at ${failAt}: ${name}`);
      }
    });
  }
});

describe('a capture that is stopped after the write', function () {
  this.timeout(180_000);

  const act = (ports: Workspace['ports'], space: Workspace, request: WriteRequest) => {
    if (space.list().length === 0) space.observer.beforeWrite(request);
    agentWrites(space);
    createObserver(ports).afterWrite(request);
  };

  for (const mode of ['kill', 'error'] as const) {
    it(`by ${mode === 'kill' ? 'a kill' : 'an error'} at any file call is finished by the turn's end`, () => {
      const calls = callsOf(act);
      for (let failAt = 1; failAt <= calls; failAt++) {
        const space = arranged();
        const request = requestOf(space);
        const { ports } = failing(space, { failAt, mode });
        act(ports, space, request);
        assertTrue(space, space.newest());
        endTurn(space.ports, { agent: request.agent!, cwd: space.root });
        const meta = space.newest();
        assert.equal(meta.status, 'done', `at ${failAt}`);
        assert.equal(bytesOf(space, meta, 'old', 'post').toString(), 'Old');
        assert.equal(bytesOf(space, meta, 'target', 'post').toString(), 'l');
        const found = entryOf(meta, 'new/x').post;
        assert.ok(found?.type === 'file' || (mode === 'error' && found?.type === 'unreadable'), `at ${failAt}`);
      }
    });
  }
});

describe('a reader that is stopped', function () {
  this.timeout(180_000);

  it('leaves what another reader can finish', () => {
    const act = (ports: Workspace['ports'], space: Workspace, request: WriteRequest) => {
      if (space.list().length === 0) space.observer.beforeWrite(request);
      agentWrites(space);
      closeStale(ports, rootStores(ports, space.root));
    };
    const calls = callsOf(act);
    for (let failAt = 1; failAt <= calls; failAt++) {
      const space = arranged();
      const { ports } = failing(space, { failAt, mode: 'kill' });
      act(ports, space, requestOf(space));
      closeStale(space.ports, space.stores);
      assert.equal(space.newest().status, 'done', `at ${failAt}`);
    }
  });
});
