// A process of its own that takes a root's lock: node <this, bundled> <root> <stateDir> die|count
import * as fs from 'node:fs';
import path from 'node:path';
import { acquireLock, withLock } from '../../src/core/store/lock';
import { rootStores } from '../../src/core/store/stores';

const [root = '', stateDir = '', what = ''] = process.argv.slice(2);
const ports = { fs, now: Date.now, stateDir };
const stores = rootStores(ports, root);
if (what === 'die') {
  acquireLock(ports, stores, what);
  process.kill(process.pid, 'SIGKILL');
}
// A counter that loses a step where two are in at once.
for (let i = 0; i < 10; i++) {
  withLock(
    ports,
    stores,
    what,
    () => {
      const counter = path.join(root, 'counter');
      const value = Number(fs.readFileSync(counter, 'utf8'));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      fs.writeFileSync(counter, String(value + 1));
    },
    { waitMs: 50_000 },
  );
}
