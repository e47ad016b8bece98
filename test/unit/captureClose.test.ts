import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { closeStale } from '../../src/core/capture/close';
import { endTurn } from '../../src/core/capture/turns';
import type { Expected } from '../../src/core/capture/request';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { bytesOf, content, edit, entryOf, workspace, type Workspace } from '../support/captureKit';

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

describe('the event after a write', () => {
  it('makes a post-image certain that is as the input says', () => {
    const { space, request } = begun(edit('1', '2'));
    space.write('a', '2');
    space.observer.afterWrite(request);
    const meta = space.newest();
    assert.equal(meta.status, 'done');
    assert.equal(post(meta)?.inferred, undefined);
    assert.equal(bytesOf(space, meta, 'a', 'post').toString(), '2');
    assert.equal(meta.foreign, false);
    assert.deepEqual(openRecords(space), []);
  });

  it('makes it certain where the input says nothing', () => {
    const { space, request } = begun();
    space.write('a', 'anything');
    space.observer.afterWrite(request);
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', undefined]);
  });

  it('leaves it open where the disk says otherwise, and the turn’s end makes it inferred', () => {
    const { space, request } = begun(content('2'));
    space.write('a', 'a person was faster');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'pending');
    endTurn(space.ports, { agent: request.agent!, cwd: space.root });
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', true]);
  });

  it('that comes before the bytes leaves the checkpoint open', () => {
    const { space, request } = begun(content('2'));
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'pending');
    space.write('a', '2');
    closeStale(space.ports, space.stores);
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', undefined]);
  });

  it('that comes while the file is half written leaves the checkpoint open until it is whole', () => {
    const { space, request } = begun(content('the whole text'));
    space.write('a', '');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'pending');
    space.write('a', 'the whole text');
    endTurn(space.ports, { agent: request.agent!, cwd: space.root });
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', undefined]);
  });

  it('that comes before some of the bytes closes the paths that are there', () => {
    const space = workspace();
    const request = space.request([
      { path: space.file('x/a'), expected: content('A') },
      { path: space.file('b'), expected: content('B') },
    ]);
    space.observer.beforeWrite(request);
    space.write('b', 'B');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'pending');
    assert.ok(post(space.newest(), 'b'));
    space.write('b', 'a person');
    space.write('x/a', 'A');
    endTurn(space.ports, { agent: request.agent!, cwd: space.root });
    assert.equal(space.newest().status, 'done');
    assert.equal(bytesOf(space, space.newest(), 'b', 'post').toString(), 'B');
    assert.deepEqual(
      [post(space.newest(), 'x')?.type, post(space.newest(), 'x/a')?.inferred],
      ['directory', undefined],
    );
  });

  it('counts a changed mode as a change', () => {
    const { space, request } = begun();
    fs.chmodSync(space.file('a'), 0o755);
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
  });

  it('knows a file that became a folder, a link or nothing', () => {
    const { space, request } = begun();
    fs.rmSync(space.file('a'));
    fs.symlinkSync('b', space.file('a'));
    space.observer.afterWrite(request);
    assert.deepEqual(post(space.newest()), { type: 'symlink', target: 'b' });
  });

  it('changes nothing when it comes twice or late', () => {
    const { space, request } = begun(content('2'));
    space.write('a', '2');
    space.observer.afterWrite(request);
    const before = space.newest();
    space.write('a', '3');
    space.observer.afterWrite(request);
    space.observer.abandon(request);
    space.observer.abandon(one(space));
    assert.deepEqual(space.list(), [before]);
  });

  it('finds its call by order, tool and paths where the agent has no ids', () => {
    const space = workspace();
    space.write('a', '1');
    space.write('b', '1');
    const without = { toolUse: undefined } as never;
    const first = one(space, content('2'), without);
    const second = space.request(['b'], without);
    space.observer.beforeWrite(first);
    space.observer.beforeWrite(second);
    space.write('b', '2');
    space.observer.afterWrite(second);
    space.observer.afterWrite({ ...first, agent: { ...first.agent!, tool: 'Other' } });
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['done', 'pending'],
    );
    space.write('a', '2');
    space.observer.afterWrite({ cwd: space.root, agent: first.agent! });
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['done', 'done'],
    );
  });

  it('says what it could not keep', () => {
    const { space, request } = begun();
    fs.truncateSync(space.file('a'), 101 * 2 ** 20);
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
    const after = post(space.newest());
    assert.match(after?.type === 'unreadable' ? after.error : '', /larger than the limit/);
  });

  it('does not follow a parent folder that was exchanged for a link', () => {
    const space = workspace();
    space.write('d/a', '1');
    space.write('other/a', 'secret');
    const request = space.request(['d/a']);
    space.observer.beforeWrite(request);
    fs.rmSync(space.file('d'), { recursive: true });
    fs.symlinkSync('other', space.file('d'));
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'pending');
    endTurn(space.ports, { agent: request.agent!, cwd: space.root });
    assert.equal(post(space.newest(), 'd/a')?.type, 'unreadable');
  });
});

describe('a call that is denied or fails', () => {
  it('is abandoned where nothing changed', () => {
    const { space, request } = begun(content('2'));
    space.observer.abandon(request);
    const meta = space.newest();
    assert.equal(meta.status, 'abandoned');
    const { pre, post: after } = entryOf(meta, 'a');
    assert.deepEqual(after, pre, 'no second copy');
  });

  it('is done where bytes changed all the same', () => {
    const { space, request } = begun(content('2'));
    space.write('a', 'half');
    space.observer.abandon(request);
    assert.deepEqual([space.newest().status, post(space.newest())?.inferred], ['done', true]);
    assert.equal(bytesOf(space, space.newest(), 'a', 'post').toString(), 'half');
  });
});

describe('the next call on the same path', () => {
  it('finds what the one before left, certain where its input says so', () => {
    const { space } = begun(content('2'));
    space.write('a', '2');
    space.observer.beforeWrite(one(space, content('3')));
    const [second, first] = space.list();
    assert.deepEqual([first!.status, post(first!)?.inferred, second!.status], ['done', undefined, 'pending']);
    assert.equal(bytesOf(space, first!, 'a', 'post').toString(), '2');
  });

  it('infers it otherwise, of another session too', () => {
    const { space } = begun(content('2'));
    space.write('a', '2 and a person');
    space.observer.beforeWrite(one(space, content('3'), { session: 'other' }));
    assert.deepEqual([space.list()[1]!.status, post(space.list()[1]!)?.inferred], ['done', true]);
  });

  it('leaves it open while nothing has changed', () => {
    const { space, request } = begun(content('2'));
    space.observer.beforeWrite(one(space, content('3')));
    assert.deepEqual(
      space.list().map(({ status }) => status),
      ['pending', 'pending'],
    );
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.equal(space.list()[1]!.status, 'done');
  });

  it('closes only that path', () => {
    const space = workspace();
    space.write('a', '1');
    space.write('b', '1');
    space.observer.beforeWrite(space.request(['a', 'b']));
    space.write('a', '2');
    space.write('b', '2');
    space.observer.beforeWrite(one(space));
    const first = space.list()[1]!;
    assert.equal(first.status, 'pending');
    assert.deepEqual([post(first, 'a')?.inferred, post(first, 'b')], [true, undefined]);
  });
});
