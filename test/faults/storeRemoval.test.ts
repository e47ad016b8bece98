// Pruning and purging, failed and stopped at every single file call.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { purge } from '../../src/core/store/purge';
import { prune } from '../../src/core/store/retention';
import { rootStores, type RootStores } from '../../src/core/store/stores';
import { updateMeta, writeCheckpoint } from '../../src/core/store/writer';
import type { Ports } from '../../src/core/ports';
import { absent, editOf, entryOf, fileState, namesBelow, verifiedMetas } from '../support/checkpoints';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot, testPorts, unflushed } from '../support/ports';

interface World {
  readonly ports: Ports;
  readonly stores: RootStores;
}

function world(): World {
  const ports = testPorts({ fs: unflushed });
  const stores = rootStores(ports, temporaryRoot());
  for (const content of ['SECRET', 'later']) {
    const { id } = writeCheckpoint(
      ports,
      stores.primary,
      editOf(entryOf('keep', fileState('kept')), entryOf('s', fileState(content))),
    );
    updateMeta(ports, stores.primary, id, (meta, add) => ({
      ...meta,
      entries: meta.entries.map((entry, i) => ({ ...entry, post: add('post', i, entry.path, absent) })),
    }));
  }
  return { ports, stores };
}

const actions = {
  pruning: ({ ports, stores }: World) => prune(ports, stores, { maxCheckpoints: 1, maxBytes: 1e9 }, { waitMs: 0 }),
  purging: ({ ports, stores }: World) => purge(ports, stores, { path: 's' }, { waitMs: 0 }),
};

for (const [name, act] of Object.entries(actions)) {
  describe(`faults in ${name}`, () => {
    for (const mode of ['error', 'kill'] as const) {
      it(`at any call (${mode}): what is listed is whole, and a second run finishes`, function () {
        this.timeout(300_000);
        const { fs: counting, counts } = faultyFs();
        const counted = world();
        act({ ...counted, ports: { ...counted.ports, fs: counting } });
        const done = verifiedMetas(counted.ports, counted.stores).length;
        for (let failAt = 1; failAt <= counts.calls; failAt++) {
          const each = world();
          const where = `call ${failAt}, ${counts.names[failAt - 1]}`;
          try {
            act({ ...each, ports: { ...each.ports, fs: faultyFs({ failAt, mode }).fs } });
          } catch {
            // Told to the person, or the process is gone.
          }
          verifiedMetas(each.ports, each.stores);
          // The process is still alive, unlike one that was killed: its lock is put away by hand.
          fs.rmSync(path.join(each.ports.stateDir, 'locks'), { recursive: true, force: true });
          act(each);
          assert.equal(verifiedMetas(each.ports, each.stores).length, done, where);
          if (name !== 'purging') continue;
          const files = namesBelow(each.ports, each.stores.primary.checkpoints).filter((file) => !file.endsWith('/'));
          const left = files.filter((file) =>
            fs.readFileSync(path.join(each.stores.primary.checkpoints, file)).includes('SECRET'),
          );
          assert.deepEqual(left, [], where);
        }
      });
    }
  });
}
