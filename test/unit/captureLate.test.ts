import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { endTurn } from '../../src/core/capture/turns';
import { planUndo, runPlan } from '../../src/core/restore/restore';
import { checkpointTime } from '../../src/core/store/ids';
import { bytesOf, content, edit, entryOf, reasons, workspace, type Workspace } from '../support/captureKit';

const stop = (space: Workspace) =>
  endTurn(space.ports, { agent: { name: 'claude-code', session: 's1' }, cwd: space.root });
const outcome = (space: Workspace) => {
  const meta = space.newest();
  return [meta.status, meta.entries.map(({ post }) => [post?.type, post?.inferred])];
};

describe('a write that is reported after the turn’s end', () => {
  it('is booked as the call’s, though the turn found nothing written', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request([{ path: space.file('a'), expected: content('2') }]);
    space.observer.beforeWrite(request);
    stop(space);
    assert.equal(space.newest().status, 'unchanged');
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.deepEqual(outcome(space), ['done', [['file', undefined]]]);
    assert.equal(bytesOf(space, space.newest(), 'a', 'post').toString(), '2');
    runPlan(space.ports, space.root, planUndo(space.ports, space.root));
    assert.equal(space.read('a'), '1');
  });

  it('counts as possibly a person’s where it is not what the call said', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request([{ path: space.file('a'), expected: content('2') }]);
    space.observer.beforeWrite(request);
    stop(space);
    space.write('a', 'something else');
    space.observer.afterWrite(request);
    assert.deepEqual(outcome(space), ['done', [['file', true]]]);
  });

  it('makes sure of what was only inferred at the end', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request(['a']);
    space.observer.beforeWrite(request);
    space.write('a', '2');
    stop(space);
    assert.deepEqual(outcome(space), ['done', [['file', true]]]);
    space.observer.afterWrite(request);
    assert.deepEqual(outcome(space), ['done', [['file', undefined]]]);
  });

  it('leaves a call alone that another one has followed on the path', () => {
    const space = workspace();
    space.write('a', '1');
    const first = space.request([{ path: space.file('a'), expected: content('2') }]);
    space.observer.beforeWrite(first);
    stop(space);
    const second = space.request([{ path: space.file('a'), expected: content('3') }]);
    space.observer.beforeWrite(second);
    space.write('a', '3');
    space.observer.afterWrite(second);
    space.observer.afterWrite(first);
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['done', 'unchanged'],
    );
  });

  it('finds a call without an id by its session, tool and paths', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request([{ path: space.file('a'), expected: edit('1', '2') }], { toolUse: undefined });
    space.observer.beforeWrite(request);
    stop(space);
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.deepEqual(outcome(space), ['done', [['file', undefined]]]);
    assert.equal(space.list().length, 1);
  });
});

describe('a call whose id is used again after it failed', () => {
  it('is captured and closed anew', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request([{ path: space.file('a'), expected: content('2') }]);
    space.observer.beforeWrite(request);
    space.observer.abandon(request);
    assert.equal(space.newest().status, 'abandoned');
    space.observer.beforeWrite(request);
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.deepEqual(outcome(space), ['done', [['file', undefined]]]);
    assert.equal(bytesOf(space, space.newest(), 'a').toString(), '1');
  });
});

describe('a write that is only reported when it is done', () => {
  it('has a checkpoint that says the bytes before are not known, once', () => {
    const space = workspace();
    space.write('a', 'new');
    const request = space.request([{ path: space.file('a'), expected: content('new') }]);
    space.observer.afterWrite(request);
    space.observer.afterWrite(request);
    assert.equal(space.list().length, 1);
    const meta = space.newest();
    assert.deepEqual(outcome(space), ['done', [['file', undefined]]]);
    assert.equal(entryOf(meta, 'a').pre.type, 'unreadable');
    assert.match(reasons(meta).join(), /only when it was done/);
    assert.deepEqual(bytesOf(space, meta, 'a', 'post').toString(), 'new');
    assert.throws(() => planUndo(space.ports, space.root), /nothing to undo/);
  });

  it('needs no checkpoint where the newest one of the path knows what is there', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request(['a'], { toolUse: undefined });
    space.observer.beforeWrite(request);
    space.write('a', '2');
    space.observer.afterWrite(request);
    // A second hook of the same call, which has no id.
    space.observer.afterWrite(request);
    assert.equal(space.list().length, 1);
  });

  it('stops a later rewind from taking what it did for the agent’s or a person’s known state', () => {
    const space = workspace();
    space.write('a', '1');
    const first = space.request([{ path: space.file('a'), expected: content('2') }]);
    space.observer.beforeWrite(first);
    space.write('a', '2');
    space.observer.afterWrite(first);
    space.write('a', '3');
    space.observer.afterWrite(space.request([{ path: space.file('a'), expected: content('3') }]));
    runPlan(space.ports, space.root, planUndo(space.ports, space.root));
    assert.equal(space.read('a'), '3');
  });

  it('of nothing in a workspace, or in what is never captured, makes no record', () => {
    const space = workspace();
    space.write('.git/config', 'x');
    space.observer.afterWrite(space.request(['.git/config', { path: '/nowhere/at/all' }]));
    assert.deepEqual(fs.existsSync(space.file('.system_generated')) ? space.list() : [], []);
  });
});

describe('the time of a checkpoint', () => {
  it('is that of its id, to the millisecond', () => {
    const space = workspace();
    for (let i = 0; i < 5; i++) {
      space.ports.clock.now += i % 2 === 0 ? 10 : -10;
      space.write('a', `${i}`);
      space.observer.beforeWrite(space.request(['a']));
    }
    for (const meta of space.list()) assert.equal(Date.parse(meta.createdAt), checkpointTime(meta.id));
  });
});
