// Real processes: many at once, and killed at any moment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { isForeign } from '../../src/core/store/mac';
import { rootStores } from '../../src/core/store/stores';
import { bundledScript } from '../support/bundle';
import { namesBelow, verifiedMetas } from '../support/checkpoints';
import { temporaryRoot, testPorts } from '../support/ports';

describe('processes that write to one store', () => {
  let script: string;
  before(() => (script = bundledScript('storeWriterProcess')));

  const run = (args: string[], killAfterMs?: number) =>
    new Promise<number | null>((resolve, reject) => {
      const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
      child.on('error', reject);
      child.on('exit', resolve);
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    });

  it('lose nothing, agree on one key, and leave nothing, 20 at once in an untouched root', async function () {
    this.timeout(300_000);
    const ports = testPorts();
    const stores = rootStores(ports, temporaryRoot());
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    const codes = await Promise.all(names.map((name) => run([stores.root, ports.stateDir, name, '3'])));
    assert.deepEqual(new Set(codes), new Set([0]));
    const metas = verifiedMetas(ports, stores);
    assert.equal(metas.length, 60);
    assert.deepEqual(new Set(metas.map(({ label }) => label)), new Set(names));
    for (const meta of metas) {
      assert.equal(meta.status, 'done');
      assert(meta.entries.every(({ post }) => post?.type === 'file'));
      assert(!isForeign(ports, meta));
    }
    const all = [...namesBelow(ports, stores.primary.dir), ...fs.readdirSync(ports.stateDir)];
    assert.deepEqual(
      all.filter((name) => path.basename(name).startsWith('.tmp-')),
      [],
    );
  });

  it('may be killed at any moment: what is listed is whole', async () => {
    const ports = testPorts();
    const stores = rootStores(ports, temporaryRoot());
    for (let ms = 30; ms < 150; ms += 12) await run([stores.root, ports.stateDir, 'killed', '50'], ms);
    await run([stores.root, ports.stateDir, 'last', '1']);
    const metas = verifiedMetas(ports, stores);
    assert.equal(metas[0]?.label, 'last');
    assert.equal(metas[0]?.status, 'done');
  });
});
