import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { checkpointDir } from '../../src/core/store/layout';
import { isForeign } from '../../src/core/store/mac';
import { readMeta } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { updateMeta, writeCheckpoint } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState, namesBelow, verifiedMetas } from '../support/checkpoints';
import { temporaryRoot, testPorts } from '../support/ports';

function setUp() {
  const ports = testPorts();
  const stores = rootStores(ports, temporaryRoot());
  return { ports, stores, store: stores.primary };
}

describe('updating a checkpoint', () => {
  it('adds post-images and entries, and shares what is unchanged', () => {
    const { ports, stores, store } = setUp();
    const { id } = writeCheckpoint(ports, store, { ...editOf(entryOf('a', fileState('one'))), status: 'pending' });
    const meta = updateMeta(ports, store, id, (old, add) => ({
      ...old,
      status: 'done',
      entries: [
        { ...old.entries[0]!, post: add('post', 0, 'a', fileState('one')) },
        { path: 'b', pre: add('pre', 1, 'b', absent), post: add('post', 1, 'b', fileState('two')), provenance: 'git' },
      ],
    }));
    assert.deepEqual(readMeta(ports, store, id), meta);
    const inode = (blob: string) => fs.statSync(path.join(checkpointDir(store, id), blob)).ino;
    assert.equal(inode('pre/0-a'), inode('post/0-a'));
    assert.deepEqual(namesBelow(ports, path.join(checkpointDir(store, id))), [
      'meta.json',
      'post/',
      'post/0-a',
      'post/1-b',
      'pre/',
      'pre/0-a',
      'pre/1-b.absent',
    ]);
    verifiedMetas(ports, stores);
  });

  it('runs the change again where another process was faster, so that nothing is lost', () => {
    const { ports, store } = setUp();
    const { id } = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('one'))));
    let runs = 0;
    updateMeta(ports, store, id, (old, add) => {
      runs++;
      if (runs === 1) {
        updateMeta(ports, store, id, (inner, addInner) => ({
          ...inner,
          entries: [...inner.entries, { path: 'b', pre: addInner('pre', 1, 'b', fileState('b')), provenance: 'git' }],
        }));
      }
      const post = add('post', 0, 'a', fileState('two'));
      return { ...old, entries: old.entries.map((entry, i) => (i === 0 ? { ...entry, post } : entry)) };
    });
    const meta = readMeta(ports, store, id);
    assert.equal(runs, 2);
    assert.deepEqual(
      meta.entries.map((entry) => [entry.path, entry.post?.type]),
      [
        ['a', 'file'],
        ['b', undefined],
      ],
    );
  });

  it('keeps both files whole where a name is taken', () => {
    const { ports, stores, store } = setUp();
    const { id } = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('one'))));
    fs.mkdirSync(path.join(checkpointDir(store, id), 'post'));
    fs.writeFileSync(path.join(checkpointDir(store, id), 'post/0-a'), 'orphan');
    const meta = updateMeta(ports, store, id, (old, add) => ({
      ...old,
      entries: [{ ...old.entries[0]!, post: add('post', 0, 'a', fileState('two')) }],
    }));
    assert.equal((meta.entries[0]!.post as { blob: string }).blob, 'post/0-~2-a');
    assert.equal(fs.readFileSync(path.join(checkpointDir(store, id), 'post/0-a'), 'utf8'), 'orphan');
    verifiedMetas(ports, stores);
  });

  it('leaves all as it was when the change throws', () => {
    const { ports, store } = setUp();
    const { id } = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('one'))));
    const before = namesBelow(ports, store.dir);
    assert.throws(() =>
      updateMeta(ports, store, id, (_, add) => {
        add('post', 0, 'a', fileState('two'));
        throw new Error('no');
      }),
    );
    assert.deepEqual(namesBelow(ports, store.dir), before);
  });

  it('keeps a record that is not this person’s foreign', () => {
    const { ports, store } = setUp();
    const { id } = writeCheckpoint({ ...ports, stateDir: path.join(ports.stateDir, 'other') }, store, editOf());
    writeCheckpoint(ports, store, editOf());
    assert(isForeign(ports, readMeta(ports, store, id)));
    const meta = updateMeta(ports, store, id, (old) => ({ ...old, label: 'x' }));
    assert.equal(meta.mac, '');
    assert(isForeign(ports, readMeta(ports, store, id)));
  });
});
