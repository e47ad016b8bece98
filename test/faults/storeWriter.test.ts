// Every single file call of a write is failed once, and the process is stopped before each once.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../src/core/errors';
import type { Ports } from '../../src/core/ports';
import type { CheckpointId } from '../../src/core/store/ids';
import { rootStores, type RootStores } from '../../src/core/store/stores';
import { updateMeta, writeCheckpoint } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState, namesBelow, verifiedMetas } from '../support/checkpoints';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot, testPorts, unflushed } from '../support/ports';

const draft = editOf(
  entryOf('a', fileState('same'), fileState('after')),
  entryOf('b', fileState('same')),
  entryOf('c', absent),
);

interface World {
  ports: Ports;
  stores: RootStores;
  id: CheckpointId;
}

/** A store with one pending checkpoint. */
function world(): World {
  const ports = testPorts({ fs: unflushed });
  const stores = rootStores(ports, temporaryRoot());
  const { id } = writeCheckpoint(ports, stores.primary, {
    ...editOf(entryOf('a', fileState('same'))),
    status: 'pending',
  });
  return { ports, stores, id };
}

const close = ({ ports, stores, id }: World) =>
  updateMeta(ports, stores.primary, id, (meta, add) => ({
    ...meta,
    status: 'done',
    entries: [
      { ...meta.entries[0]!, post: add('post', 0, 'a', fileState('after')) },
      { path: 'n', pre: add('pre', 1, 'n', absent), provenance: 'before-write' },
    ],
  }));

const leftovers = ({ ports, stores }: World) =>
  namesBelow(ports, stores.primary.dir).filter((name) => name.includes('.tmp-'));

const countCalls = (act: (world: World) => unknown) => {
  const before = world();
  const { fs: counting, counts } = faultyFs();
  act({ ...before, ports: { ...before.ports, fs: counting } });
  return counts;
};

const actions = {
  'the first write into a root': (each: World) => writeCheckpoint(each.ports, each.stores.fallback, draft),
  'a later write': (each: World) => writeCheckpoint(each.ports, each.stores.primary, draft),
  'an update': close,
};

for (const [name, act] of Object.entries(actions)) {
  describe(`faults in ${name}`, () => {
    const counts = countCalls(act);

    it('at any call: an error is clean, or nothing was needed of that call', () => {
      let failed = 0;
      for (let n = 1; n <= counts.calls; n++) {
        const each = world();
        const where = `call ${n}, ${counts.names[n - 1]}`;
        const before = verifiedMetas(each.ports, each.stores);
        const { fs: faulty } = faultyFs({ failAt: n, code: 'ENOSPC' });
        let threw: unknown;
        try {
          act({ ...each, ports: { ...each.ports, fs: faulty } });
        } catch (error) {
          threw = error;
          failed++;
        }
        const after = verifiedMetas(each.ports, each.stores);
        if (threw !== undefined) {
          assert(CheckpointError.is(threw), `${where}: ${String(threw)}`);
          assert.equal(after.length, before.length, where);
          // Once replaced, only its durability can fail.
          if (name !== 'an update') assert.deepEqual(after, before, where);
        } else {
          assert.notDeepEqual(after, before, where);
        }
        // A failure of the clean-up itself leaves what the sweep takes.
        if (!['rmSync', 'unlinkSync'].includes(counts.names[n - 1]!)) assert.deepEqual(leftovers(each), [], where);
      }
      assert(failed > 10, `only ${failed} calls mattered`);
    });

    it('at any call: a kill leaves the old set, or the old set and the whole new one', () => {
      for (let n = 1; n <= counts.calls; n++) {
        const each = world();
        const where = `call ${n}, ${counts.names[n - 1]}`;
        const before = verifiedMetas(each.ports, each.stores);
        const { fs: dying } = faultyFs({ failAt: n, mode: 'kill' });
        try {
          act({ ...each, ports: { ...each.ports, fs: dying } });
        } catch {
          // Nothing of the process is left.
        }
        const after = verifiedMetas(each.ports, each.stores);
        const old = after.filter(({ id }) => before.some((meta) => meta.id === id));
        assert.equal(old.length, before.length, where);
        assert(after.length <= before.length + 1, where);
        for (const meta of after) assert([1, 2, 3].includes(meta.entries.length), where);
        // It goes on working.
        act(each);
        const finished = verifiedMetas(each.ports, each.stores);
        assert(finished.length >= after.length, where);
      }
    });
  });
}

describe('a file system that refuses what is optional', () => {
  it('copies where there are no hard links', () => {
    const { ports, stores } = world();
    const noLinks = {
      ...ports,
      fs: {
        ...fs,
        linkSync: () => {
          throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
        },
      },
    };
    const { id } = writeCheckpoint(noLinks, stores.primary, draft);
    assert.equal(fs.statSync(path.join(stores.primary.checkpoints, id, 'pre/1-b')).nlink, 1);
    assert.equal(verifiedMetas(ports, stores).length, 2);
  });

  it('writes without a key, as a record that is not this person’s', () => {
    const { ports, stores } = world();
    const blocked = path.join(temporaryRoot(), 'file');
    fs.writeFileSync(blocked, '');
    const meta = writeCheckpoint({ ...ports, stateDir: path.join(blocked, 'state') }, stores.primary, draft);
    assert.equal(meta.mac, '');
  });
});
