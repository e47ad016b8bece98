import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError, type ErrorReason } from '../../src/core/errors';
import type { CheckpointId } from '../../src/core/store/ids';
import { checkpointDir, metaFile } from '../../src/core/store/layout';
import type { FileState, Meta } from '../../src/core/store/meta';
import { findCheckpoint, listPage, maxMetaBytes, readMeta } from '../../src/core/store/reader';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores } from '../../src/core/store/stores';
import { writeCheckpoint } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState } from '../support/checkpoints';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot, testPorts } from '../support/ports';

function setUp(count = 0) {
  const ports = testPorts();
  const stores = rootStores(ports, temporaryRoot());
  const metas = Array.from({ length: count }, (_, i) =>
    writeCheckpoint(ports, stores.primary, {
      ...editOf(entryOf(i % 2 ? 'odd/file' : 'even', fileState(`${i}`))),
      agent: { name: 'claude-code', session: i < 2 ? 'first' : 'second' },
    }),
  );
  return { ports, stores, store: stores.primary, metas };
}

const fails = (reason: ErrorReason) => (error: unknown) => CheckpointError.is(error, reason);

describe('listing checkpoints', () => {
  it('pages newest first without a gap or a repetition', () => {
    const { ports, stores, metas } = setUp(5);
    const seen: string[] = [];
    let after: CheckpointId | undefined;
    do {
      const page = listPage(ports, stores, { limit: 2, ...(after && { after }) });
      seen.push(...page.checkpoints.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(seen, metas.map(({ id }) => id).reverse());
    assert.deepEqual(listPage(ports, stores, { limit: 5 }).next, undefined);
  });

  it('reads the metadata of one page only', () => {
    const { ports, stores } = setUp(30);
    const opened = (limit: number) => {
      const { fs: counting, counts } = faultyFs({ only: ['openSync'] });
      listPage({ ...ports, fs: counting }, stores, { limit });
      return counts.calls;
    };
    assert.equal(opened(5) - opened(1), 4);
  });

  it('filters by file, folder, session, agent and predicate', () => {
    const { ports, stores } = setUp(6);
    const count = (filter: Parameters<typeof listPage>[2]['filter']) =>
      listPage(ports, stores, { limit: 100, ...(filter && { filter }) }).checkpoints.length;
    assert.equal(count(undefined), 6);
    assert.equal(count({ file: 'even' }), 3);
    assert.equal(count({ file: 'odd' }), 3);
    assert.equal(count({ file: 'od' }), 0);
    assert.equal(count({ session: 'first' }), 2);
    assert.equal(count({ agent: 'codex' }), 0);
    assert.equal(count({ where: ({ entries }) => entries.length === 1 }), 6);
  });

  it('tells root, size, pin, origin and store of each', () => {
    const { ports, stores, store, metas } = setUp(1);
    fs.writeFileSync(path.join(checkpointDir(store, metas[0]!.id), 'pinned'), '');
    writeCheckpoint({ ...ports, stateDir: `${ports.stateDir}-other` }, stores.fallback, editOf(entryOf('n', absent)));
    const [second, first] = listPage(ports, stores, { limit: 9 }).checkpoints;
    assert.deepEqual(first, {
      ...metas[0],
      root: stores.root,
      pinned: true,
      bytes: 1,
      foreign: false,
      fallback: false,
    });
    assert.equal(second?.foreign, true);
    assert.equal(second?.fallback, true);
    assert.equal(second?.bytes, 0);
  });

  it('lists what is damaged with a plain reason, tolerates foreign files, and goes on', () => {
    const { ports, stores, store, metas } = setUp(1);
    const good = JSON.stringify(metas[0]);
    const change = (part: object) => JSON.stringify({ ...metas[0], ...part });
    const entry = metas[0]!.entries[0]!;
    const pre = (part: object) => change({ entries: [{ ...entry, pre: { ...entry.pre, ...part } }] });
    const spoilt: Record<string, string | Buffer> = {
      'not JSON': good.slice(0, -5),
      'not valid at version': change({ version: 2 }),
      'of another checkpoint': change({ id: '20200101T000000000Z-aaaaaaaaaa' }),
      'not valid at entries.0.pre.blob': pre({ blob: '../../../etc/passwd' }),
      'not valid at entries.0.pre.size': pre({ size: -1 }),
      'not valid at entries.0.pre.type': pre({ type: 'device' }),
      'not valid at kind': change({ kind: 7 }),
      'not valid at agent': good.replace(/"agent":\{[^}]*\}/, `"agent":${'['.repeat(200_000)}${']'.repeat(200_000)}`),
      'too large': Buffer.alloc(maxMetaBytes + 1, ' '),
      'not valid at notCovered': change({ notCovered: {} }),
      'not valid at meta.json': 'null',
    };
    const id = (n: number) => `20300101T000000${String(n).padStart(3, '0')}Z-aaaaaaaaaa` as CheckpointId;
    Object.values(spoilt).forEach((content, n) => {
      fs.mkdirSync(checkpointDir(store, id(n)));
      const own = Buffer.isBuffer(content) ? content : content.replace(metas[0]!.id, id(n));
      fs.writeFileSync(metaFile(store, id(n)), own);
    });
    fs.mkdirSync(checkpointDir(store, id(100)));
    fs.writeFileSync(checkpointDir(store, id(101)), 'a file');
    fs.symlinkSync(checkpointDir(store, metas[0]!.id), checkpointDir(store, id(102)));
    fs.mkdirSync(path.join(checkpointDir(store, id(103)), 'meta.json'), { recursive: true });
    for (const name of ['README', 'XYZ', '20300101T000000000Z-AAAAAAAAAA', '.tmp-x']) {
      fs.writeFileSync(path.join(store.checkpoints, name), '');
    }
    const page = listPage(ports, stores, { limit: 1000 });
    assert.deepEqual(
      page.checkpoints.map((each) => each.id),
      [metas[0]!.id],
    );
    const reasons = Object.fromEntries(page.damaged.map((each) => [each.id, each.reason]));
    Object.keys(spoilt).forEach((expected, n) => assert.match(reasons[id(n)]!, new RegExp(expected), expected));
    assert.match(reasons[id(100)]!, /missing/);
    assert.match(reasons[id(101)]!, /not a folder/);
    assert.match(reasons[id(102)]!, /symbolic link/);
    assert.match(reasons[id(103)]!, /not a plain file/);
    assert.equal(page.damaged.length, Object.keys(spoilt).length + 4);
  });

  it('reports a refused store once and goes on with the one in user state', () => {
    const { ports, stores, store } = setUp();
    fs.symlinkSync(temporaryRoot(), store.dir);
    const meta = writeCheckpoint(ports, stores.fallback, editOf());
    const page = listPage(ports, stores, { limit: 1 });
    assert.deepEqual(
      page.checkpoints.map(({ id }) => id),
      [meta.id],
    );
    assert.equal(page.damaged.length, 1);
    assert.equal(page.damaged[0]?.id, 'store');
    assert.equal(findCheckpoint(ports, stores, meta.id).store, stores.fallback);
    assert.throws(
      () => findCheckpoint(ports, stores, '20300101T000000000Z-aaaaaaaaaa' as CheckpointId),
      fails('store-refused'),
    );
  });
});

describe('reading a checkpoint', () => {
  it('refuses an id before any file call', () => {
    const { ports, stores, store } = setUp(1);
    const { fs: counting, counts } = faultyFs();
    const watched = { ...ports, fs: counting };
    for (const id of ['../../x', '', '20300101T000000000Z-aaaaaaaaaa/..', 'x'.repeat(1e5)] as CheckpointId[]) {
      assert.throws(() => findCheckpoint(watched, stores, id), fails('bad-id'));
      assert.throws(() => readMeta(watched, store, id), fails('bad-id'));
      assert.throws(() => readBlob(watched, store, id, {} as FileState), fails('bad-id'));
    }
    assert.equal(counts.calls, 0);
    const missing = '20300101T000000000Z-aaaaaaaaaa' as CheckpointId;
    assert.throws(() => findCheckpoint(ports, stores, missing), fails('not-found'));
  });

  it('gives a blob only if it is a plain file inside the checkpoint with the recorded size and hash', () => {
    const { ports, stores, store, metas } = setUp(1);
    const { id, entries } = metas[0]!;
    const state = entries[0]!.pre as FileState;
    const blob = path.join(checkpointDir(store, id), state.blob);
    const outside = path.join(stores.root, 'outside');
    fs.writeFileSync(outside, '0');
    assert.equal(readBlob(ports, store, id, state).toString(), '0');
    const refuses = (what: string, spoil: () => void) => {
      fs.rmSync(blob, { force: true, recursive: true });
      spoil();
      assert.throws(() => readBlob(ports, store, id, state), fails('damaged'), what);
    };
    refuses('missing', () => {});
    refuses('other bytes', () => fs.writeFileSync(blob, '1'));
    refuses('other size', () => fs.writeFileSync(blob, '00'));
    refuses('a link', () => fs.symlinkSync(outside, blob));
    refuses('a folder', () => fs.mkdirSync(blob));
    if (process.platform !== 'win32') refuses('a FIFO', () => execFileSync('mkfifo', [blob]));
    refuses('a linked folder', () => {
      const pre = path.dirname(blob);
      fs.renameSync(pre, path.join(stores.root, 'pre'));
      fs.writeFileSync(path.join(stores.root, 'pre', path.basename(blob)), '0');
      fs.symlinkSync(path.join(stores.root, 'pre'), pre);
    });
    for (const name of ['../0-x', 'pre/../0-x', 'pre/0-a/b', '/etc/passwd', 'pre/0-', 'pre/0-a\0']) {
      assert.throws(() => readBlob(ports, store, id, { ...state, blob: name }), fails('damaged'), name);
    }
  });

  it('does not wait for a FIFO in place of the metadata', function () {
    if (process.platform === 'win32') this.skip();
    const { ports, store, metas } = setUp(1);
    fs.unlinkSync(metaFile(store, metas[0]!.id));
    execFileSync('mkfifo', [metaFile(store, metas[0]!.id)]);
    assert.throws(() => readMeta(ports, store, metas[0]!.id), fails('damaged'));
  });

  it('takes a changed record, or one without the key, for foreign', () => {
    const { ports, stores, store, metas } = setUp(1);
    const foreign = () => listPage(ports, stores, { limit: 1 }).checkpoints[0]?.foreign;
    const put = (part: Partial<Meta>) =>
      fs.writeFileSync(metaFile(store, metas[0]!.id), JSON.stringify({ ...metas[0], ...part }, undefined, 2));
    put({});
    assert.equal(foreign(), false);
    put({ label: 'x' });
    assert.equal(foreign(), true);
    put({ mac: '' });
    assert.equal(foreign(), true);
    put({});
    fs.unlinkSync(path.join(ports.stateDir, 'key'));
    assert.equal(foreign(), true);
  });
});
