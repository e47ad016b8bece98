import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import { checkpointTime } from '../../src/core/store/ids';
import { checkpointDir } from '../../src/core/store/layout';
import { findCheckpoint, listIds, readMeta } from '../../src/core/store/reader';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores } from '../../src/core/store/stores';
import { writeCheckpoint, type DraftState } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState, namesBelow, verifiedMetas } from '../support/checkpoints';
import { temporaryRoot, testPorts } from '../support/ports';

function setUp() {
  const ports = testPorts();
  const stores = rootStores(ports, temporaryRoot());
  return { ports, stores, store: stores.primary };
}

describe('writing a checkpoint', () => {
  it('stores plain bytes under names a person recognises, with .absent markers and nothing left over', () => {
    const { ports, stores, store } = setUp();
    const draft = editOf(entryOf('src/a b.txt', fileState('old')), entryOf('new.txt', absent, fileState('made')));
    const { id } = writeCheckpoint(ports, store, draft);
    assert.deepEqual(namesBelow(ports, checkpointDir(store, id)), [
      'meta.json',
      'post/',
      'post/1-new.txt',
      'pre/',
      'pre/0-a b.txt',
      'pre/1-new.txt.absent',
    ]);
    assert.equal(fs.readFileSync(path.join(checkpointDir(store, id), 'pre/0-a b.txt'), 'utf8'), 'old');
    assert.equal(fs.readFileSync(path.join(store.dir, '.gitignore'), 'utf8'), '*\n');
    assert.deepEqual(fs.readdirSync(store.checkpoints), [id]);
    assert.equal(findCheckpoint(ports, stores, id).meta.entries.length, 2);
  });

  it('is for the owner only, whatever the umask', function () {
    if (process.platform === 'win32') this.skip();
    const { ports, store } = setUp();
    const before = process.umask(0);
    try {
      const { id } = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('x', 0o777)), entryOf('b', absent)));
      for (const name of ['', ...namesBelow(ports, store.dir)]) {
        const stat = fs.statSync(path.join(store.dir, name));
        assert.equal(stat.mode & 0o777, stat.isDirectory() ? 0o700 : 0o600, name);
      }
      assert.equal(fs.statSync(path.join(ports.stateDir, 'key')).mode & 0o777, 0o600);
      assert.deepEqual(readMeta(ports, store, id).entries[0]?.pre, {
        type: 'file',
        sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
        size: 1,
        mode: 0o777,
        blob: 'pre/0-a',
      });
    } finally {
      process.umask(before);
    }
  });

  it('makes no folder for images that there are not', () => {
    const { ports, store } = setUp();
    const { id } = writeCheckpoint(ports, store, editOf(entryOf('dir', { type: 'directory' })));
    assert.deepEqual(namesBelow(ports, checkpointDir(store, id)), ['meta.json']);
  });

  it('takes the bytes and the mode of a source file, small and large', () => {
    const { ports, stores, store } = setUp();
    for (const size of [0, 5, 9 * 2 ** 20]) {
      const source = path.join(stores.root, `f${size}`);
      fs.writeFileSync(source, Buffer.alloc(size, 'ab\r\n'), { mode: 0o755 });
      const state: DraftState = { type: 'file', source: { type: 'file', path: source } };
      const meta = writeCheckpoint(ports, store, editOf(entryOf('f', state)));
      const pre = meta.entries[0]!.pre;
      assert(pre.type === 'file');
      assert.equal(pre.mode, fs.statSync(source).mode & 0o7777);
      assert.deepEqual(readBlob(ports, store, meta.id, pre), fs.readFileSync(source));
    }
  });

  it('records a source that vanished as absent, and one that is no file as unreadable', () => {
    const { ports, stores, store } = setUp();
    fs.symlinkSync('nowhere', path.join(stores.root, 'link'));
    fs.mkdirSync(path.join(stores.root, 'dir'));
    const source = (name: string): DraftState => ({
      type: 'file',
      source: { type: 'file', path: path.join(stores.root, name) },
    });
    const meta = writeCheckpoint(
      ports,
      store,
      editOf(entryOf('gone', source('gone')), entryOf('link', source('link')), entryOf('dir', source('dir'))),
    );
    assert.deepEqual(
      meta.entries.map(({ pre }) => pre.type),
      ['absent', 'unreadable', 'unreadable'],
    );
    assert.deepEqual(namesBelow(ports, path.join(checkpointDir(store, meta.id), 'pre')), ['0-gone.absent']);
  });

  it('gives ids that are later than all there, also when the clock goes back', () => {
    const { ports, stores, store } = setUp();
    const first = writeCheckpoint(ports, store, editOf());
    ports.clock.now -= 86_400_000;
    const second = writeCheckpoint(ports, store, editOf());
    assert(second.id > first.id);
    assert(checkpointTime(second.id) > checkpointTime(first.id));
    fs.mkdirSync(path.join(store.checkpoints, 'zzz-foreign'));
    assert(writeCheckpoint(ports, store, editOf()).id > second.id);
    assert.equal(listIds(ports, stores).length, 3);
  });

  it('retries with another name where a name is taken, and refuses a chosen one', () => {
    const { ports, store } = setUp();
    let taken: string | undefined;
    const racing = {
      ...ports,
      fs: {
        ...ports.fs,
        renameSync: (from: string, to: string) => {
          // The folder may be reached through its handle.
          if (taken === undefined && fs.realpathSync(path.dirname(to)) === store.checkpoints) {
            taken = path.join(store.checkpoints, path.basename(to));
            fs.mkdirSync(taken);
            fs.writeFileSync(path.join(taken, 'meta.json'), '{}');
          }
          fs.renameSync(from, to);
        },
      } as typeof ports.fs,
    };
    const meta = writeCheckpoint(racing, store, editOf(entryOf('a', fileState('x'))));
    assert.notEqual(path.basename(taken!), meta.id);
    assert.equal(readMeta(ports, store, meta.id).id, meta.id);
    assert.throws(
      () => writeCheckpoint(ports, store, { ...editOf(), id: meta.id }),
      (error) => CheckpointError.is(error, 'bad-argument'),
    );
    assert.deepEqual(fs.readdirSync(store.checkpoints).sort(), [path.basename(taken!), meta.id].sort());
  });

  it('shares equal bytes by hard link: within a checkpoint, with the last of the path, and where told', () => {
    const { ports, stores, store } = setUp();
    const inode = (id: string, blob: string) => fs.statSync(path.join(store.checkpoints, id, blob)).ino;
    const one = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('same')), entryOf('b', fileState('same'))));
    assert.equal(inode(one.id, 'pre/0-a'), inode(one.id, 'pre/1-b'));
    const two = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('same'), fileState('next'))));
    assert.equal(inode(two.id, 'pre/0-a'), inode(one.id, 'pre/0-a'));
    const three = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('next'))));
    assert.equal(inode(three.id, 'pre/0-a'), inode(two.id, 'post/0-a'));
    const { sha256, size } = three.entries[0]!.pre as { sha256: string; size: number };
    const link = { type: 'link' as const, path: path.join(checkpointDir(store, three.id), 'pre/0-a'), sha256, size };
    const four = writeCheckpoint(ports, store, editOf(entryOf('c', { type: 'file', mode: 0o600, source: link })));
    assert.equal(inode(four.id, 'pre/0-c'), inode(three.id, 'pre/0-a'));
    const five = writeCheckpoint(
      ports,
      stores.fallback,
      editOf(entryOf('c', { type: 'file', mode: 0o600, source: link })),
    );
    assert.equal(five.entries[0]!.pre.type, 'file');
    verifiedMetas(ports, stores);
  });

  it('never links to a blob that was altered, moved behind a link, or is only claimed', () => {
    const { ports, stores, store } = setUp();
    const one = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('same'))));
    const blob = path.join(checkpointDir(store, one.id), 'pre/0-a');
    const outside = path.join(stores.root, 'outside');
    fs.writeFileSync(outside, 'same');
    for (const spoil of [
      () => fs.writeFileSync(blob, 'SAME'),
      () => (fs.unlinkSync(blob), fs.symlinkSync(outside, blob)),
      () => (fs.unlinkSync(blob), fs.linkSync(outside, blob), fs.writeFileSync(outside, 'EVIL')),
    ]) {
      spoil();
      const meta = writeCheckpoint(ports, store, editOf(entryOf('a', fileState('same'))));
      const pre = meta.entries[0]!.pre;
      assert(pre.type === 'file');
      assert.equal(readBlob(ports, store, meta.id, pre).toString(), 'same');
      // The index follows the good one: point it back.
      const [index] = fs.readdirSync(path.join(store.index, 'last'));
      const file = path.join(store.index, 'last', index!);
      fs.writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), blob: `${one.id}/pre/0-a` }),
      );
    }
    const claimed = { type: 'link' as const, path: outside, sha256: '0'.repeat(64), size: 4 };
    const meta = writeCheckpoint(ports, store, editOf(entryOf('x', { type: 'file', source: claimed })));
    assert.equal(meta.entries[0]!.pre.type, 'unreadable');
  });

  it('does not follow a planted link in the index', () => {
    const { ports, stores, store } = setUp();
    writeCheckpoint(ports, store, editOf(entryOf('a', fileState('x'))));
    const victim = path.join(stores.root, 'victim');
    fs.writeFileSync(victim, 'mine');
    const [name] = fs.readdirSync(path.join(store.index, 'last'));
    fs.unlinkSync(path.join(store.index, 'last', name!));
    fs.symlinkSync(victim, path.join(store.index, 'last', name!));
    writeCheckpoint(ports, store, editOf(entryOf('a', fileState('y'))));
    assert.equal(fs.readFileSync(victim, 'utf8'), 'mine');
    fs.rmSync(store.index, { recursive: true });
    fs.mkdirSync(path.join(stores.root, 'elsewhere'));
    fs.symlinkSync(path.join(stores.root, 'elsewhere'), store.index);
    writeCheckpoint(ports, store, editOf(entryOf('a', fileState('z'))));
    assert.deepEqual(fs.readdirSync(path.join(stores.root, 'elsewhere')), []);
  });

  it('refuses a store that is a link or a file', () => {
    for (const spoil of ['dir', 'checkpoints'] as const) {
      const { ports, stores, store } = setUp();
      const elsewhere = temporaryRoot('elsewhere');
      if (spoil === 'checkpoints') fs.mkdirSync(store.dir);
      fs.symlinkSync(elsewhere, store[spoil]);
      const refused = (error: unknown) => CheckpointError.is(error, 'store-refused');
      assert.throws(() => writeCheckpoint(ports, store, editOf()), refused);
      assert.deepEqual(fs.readdirSync(elsewhere), []);
      fs.unlinkSync(store[spoil]);
      fs.writeFileSync(store[spoil], '');
      assert.throws(() => writeCheckpoint(ports, stores.primary, editOf()), refused);
    }
  });

  it('says that the store is unwritable, with the cause', () => {
    const { ports, stores, store } = setUp();
    fs.rmdirSync(stores.root);
    assert.throws(
      () => writeCheckpoint(ports, store, editOf()),
      (error: Error) =>
        CheckpointError.is(error, 'store-unwritable') && (error.cause as { code: string }).code === 'ENOENT',
    );
    const meta = writeCheckpoint(ports, stores.fallback, editOf(entryOf('a', fileState('x'))));
    assert.equal(fs.readFileSync(path.join(stores.fallback.dir, 'root'), 'utf8'), `${stores.root}\n`);
    assert.deepEqual(
      listIds(ports, stores).map(({ id }) => id),
      [meta.id],
    );
  });
});
