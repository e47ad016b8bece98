import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { closeStale } from '../../src/core/capture/close';
import { beginTurn, endTurn } from '../../src/core/capture/turns';
import type { Expected } from '../../src/core/capture/request';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { content, entryOf, workspace, type Workspace } from '../support/captureKit';

const one = (space: Workspace, expected?: Expected, agent = {}) =>
  space.request([{ path: space.file('a'), ...(expected && { expected }) }], agent);
const post = (meta: ListedCheckpoint, file = 'a') => entryOf(meta, file).post;
const openRecords = (space: Workspace) => {
  const dir = path.join(space.stores.primary.index, 'open');
  return fs.existsSync(dir) ? fs.readdirSync(dir) : [];
};

/** A file `a` with `1`, and a call about to write it. */
function begun(expected?: Expected, agent = {}) {
  const space = workspace();
  space.write('a', '1');
  const request = one(space, expected, agent);
  space.observer.beforeWrite(request);
  return { space, request };
}

describe("the turn's end", () => {
  const stop = (space: Workspace, more = {}) =>
    endTurn(space.ports, { agent: { name: 'claude-code', session: 's1' }, cwd: space.root, ...more });

  it('closes what is open: certain, unchanged or inferred', () => {
    const space = workspace();
    for (const name of ['a', 'b', 'c']) space.write(name, '1');
    const expected = content('2');
    for (const name of ['a', 'b', 'c'])
      space.observer.beforeWrite(space.request([{ path: space.file(name), expected }]));
    space.write('a', '2');
    space.write('c', '3');
    assert.deepEqual(stop(space), [space.root]);
    assert.deepEqual(
      space.list().map((meta) => [meta.status, meta.entries[0]!.post?.inferred]),
      [
        ['done', true],
        ['unchanged', undefined],
        ['done', undefined],
      ],
    );
  });

  it('infers what changed where the input says nothing', () => {
    const { space } = begun();
    space.write('a', '2');
    stop(space);
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', true]);
  });

  it('closes nothing while subagents still write, and nothing of other sessions', () => {
    const { space } = begun(content('2'));
    space.observer.beforeWrite(one(space, content('2'), { session: 's2' }));
    stop(space, { keepOpen: true });
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['pending', 'pending'],
    );
    stop(space);
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['pending', 'unchanged'],
    );
  });

  it('is also the next prompt', () => {
    const { space } = begun(content('2'));
    beginTurn(space.ports, { agent: { name: 'claude-code', session: 's1' }, cwd: space.root, prompt: 'next' });
    assert.equal(space.newest().status, 'unchanged');
  });
});

describe('a reader', () => {
  it('closes what is as the input says, and leaves a working agent the rest', () => {
    const space = workspace();
    space.write('a', '1');
    space.write('b', '1');
    space.observer.beforeWrite(one(space, content('2')));
    space.observer.beforeWrite(space.request([{ path: space.file('b'), expected: content('2') }]));
    space.write('a', '2');
    space.write('b', '3');
    closeStale(space.ports, space.stores);
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['pending', 'done'],
    );
  });

  it('closes the rest when the session has been silent for ten minutes', () => {
    const { space } = begun(content('2'));
    space.ports.clock.now += 9 * 60 * 1000;
    closeStale(space.ports, space.stores);
    assert.equal(space.newest().status, 'pending');
    space.observer.beforeWrite(space.request(['other']));
    space.ports.clock.now += 9 * 60 * 1000;
    closeStale(space.ports, space.stores);
    assert.equal(space.list()[1]!.status, 'pending', 'the session had an event');
    space.ports.clock.now += 2 * 60 * 1000;
    closeStale(space.ports, space.stores);
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['unchanged', 'unchanged'],
    );
  });

  it('closes a checkpoint whose open record was lost', () => {
    const { space } = begun(content('2'));
    fs.rmSync(path.join(space.stores.primary.index, 'open'), { recursive: true });
    space.write('a', '2');
    space.ports.clock.now += 11 * 60 * 1000;
    closeStale(space.ports, space.stores, [space.newest().id]);
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', true]);
  });

  it('drops an open record whose checkpoint never appeared', () => {
    const { space } = begun(content('2'));
    fs.rmSync(path.join(space.stores.primary.checkpoints, space.newest().id), { recursive: true });
    closeStale(space.ports, space.stores);
    assert.equal(openRecords(space).length, 1);
    space.ports.clock.now += 2 * 60 * 1000;
    closeStale(space.ports, space.stores);
    assert.deepEqual(openRecords(space), []);
  });

  it('never puts a record that came with a clone into this person’s name', () => {
    const { space } = begun(content('2'));
    space.write('a', '2');
    fs.rmSync(path.join(space.ports.stateDir, 'key'));
    space.observer.beforeWrite(space.request(['new']));
    const before = space.list()[1]!;
    assert.equal(before.foreign, true);
    closeStale(space.ports, space.stores, [before.id]);
    space.ports.clock.now += 11 * 60 * 1000;
    closeStale(space.ports, space.stores, [before.id]);
    assert.deepEqual(space.list()[1], before);
  });

  it('survives open records of any content', () => {
    const { space } = begun(content('2'));
    const dir = path.join(space.stores.primary.index, 'open');
    const [name] = fs.readdirSync(dir);
    for (const text of ['', '{', '[]', '{"id":"x"}', '\0'.repeat(100)]) {
      fs.writeFileSync(path.join(dir, name!), text);
      closeStale(space.ports, space.stores);
    }
    fs.rmSync(path.join(dir, name!));
    fs.symlinkSync('/etc/passwd', path.join(dir, name!));
    closeStale(space.ports, space.stores);
    assert.equal(space.newest().status, 'pending');
  });
});
