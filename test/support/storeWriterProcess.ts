// A process of its own that writes to a store: node <this, bundled> <root> <stateDir> <name> <count>
import * as fs from 'node:fs';
import { rootStores } from '../../src/core/store/stores';
import { updateMeta, writeCheckpoint } from '../../src/core/store/writer';
import { editOf, entryOf, fileState } from './checkpoints';

const [root = '', stateDir = '', name = '', count = '1'] = process.argv.slice(2);
const ports = { fs, now: Date.now, stateDir };
const store = rootStores(ports, root).primary;
for (let i = 0; i < Number(count); i++) {
  const { id } = writeCheckpoint(ports, store, {
    ...editOf(entryOf('shared', fileState(`shared ${i}`)), entryOf(`own-${name}`, fileState(`${name} ${i}`))),
    status: 'pending',
    label: name,
  });
  updateMeta(ports, store, id, (meta, add) => ({
    ...meta,
    status: 'done',
    entries: meta.entries.map((entry, n) => ({
      ...entry,
      post: add('post', n, entry.path, fileState(`${name} ${n}`)),
    })),
  }));
}
