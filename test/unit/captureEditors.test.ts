import assert from 'node:assert/strict';
import { bytesOf, entryOf, workspace } from '../support/captureKit';

describe('a call that leaves its text in an editor', () => {
  const text = (words: string) => new TextEncoder().encode(words);

  it('has the editor’s texts before and after, not what is on disk', () => {
    const space = workspace();
    space.write('a', 'on disk');
    space.observer.beforeWrite(space.request([{ path: space.file('a'), unsaved: text('typed') }], { toolUse: 'c1' }));
    space.observer.afterWrite(space.request([{ path: space.file('a'), unsaved: text('changed') }], { toolUse: 'c1' }));
    const meta = space.newest();
    assert.equal(meta.status, 'done');
    assert.equal(bytesOf(space, meta, 'a', 'pre').toString(), 'typed');
    assert.equal(bytesOf(space, meta, 'a', 'post').toString(), 'changed');
    assert.equal(entryOf(meta, 'a').post?.inferred, undefined);
    assert.equal(space.read('a'), 'on disk');
  });

  it('has the saved file before where nothing was unsaved', () => {
    const space = workspace();
    space.write('a', 'on disk');
    space.observer.beforeWrite(space.request(['a'], { toolUse: 'c1' }));
    space.observer.afterWrite(space.request([{ path: space.file('a'), unsaved: text('changed') }], { toolUse: 'c1' }));
    const meta = space.newest();
    assert.equal(bytesOf(space, meta, 'a', 'pre').toString(), 'on disk');
    assert.equal(bytesOf(space, meta, 'a', 'post').toString(), 'changed');
  });

  it('is unchanged where the text is as before', () => {
    const space = workspace();
    space.write('a', 'on disk');
    const request = space.request([{ path: space.file('a'), unsaved: text('typed') }], { toolUse: 'c1' });
    space.observer.beforeWrite(request);
    space.observer.afterWrite(request);
    assert.notEqual(space.newest().status, 'done');
  });
});
