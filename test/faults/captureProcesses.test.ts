import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { closeStale } from '../../src/core/capture/close';
import type { CaptureResult } from '../../src/core/capture/request';
import { endTurn } from '../../src/core/capture/turns';
import { bytesOf, content, workspace, type Workspace } from '../support/captureKit';
import type { ChildTask } from '../support/captureChild';
import { temporaryRoot } from '../support/ports';

describe('captures in processes of their own', function () {
  this.timeout(180_000);
  let program: string;

  before(() => {
    program = path.join(temporaryRoot('child'), 'child.js');
    const options = { bundle: true, platform: 'node', format: 'cjs', target: 'node20' } as const;
    buildSync({ ...options, entryPoints: ['test/support/captureChild.ts'], outfile: program });
  });

  function start(space: Workspace, task: Omit<ChildTask, 'stateDir'>) {
    const child = spawn(process.execPath, [program, JSON.stringify({ ...task, stateDir: space.ports.stateDir })]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
    const ended = new Promise<CaptureResult | undefined>((resolve) =>
      child.on('close', () => {
        assert.equal(stderr, '');
        resolve(stdout === '' ? undefined : (JSON.parse(stdout) as CaptureResult));
      }),
    );
    return { child, ended };
  }

  const leftovers = (dir: string) =>
    (fs.readdirSync(dir, { recursive: true }) as string[]).filter((name) => path.basename(name).startsWith('.tmp-'));

  it('twenty at once on one workspace lose nothing and leave nothing behind', async () => {
    const space = workspace();
    const names = Array.from({ length: 20 }, (_, i) => `file ${i}`);
    names.forEach((name) => space.write(name, `old ${name}`));
    space.write('shared', 'old');
    const results = await Promise.all(
      names.map((name, i) => {
        const writes = [
          { path: space.file(name), expected: content(`new ${name}`) },
          { path: space.file(`made/${i % 3}/${name}`), expected: content('made') },
          { path: space.file('shared') },
        ];
        const request = space.request(writes, { session: `s${i % 4}` });
        return start(space, { request, writes: { [space.file(name)]: `new ${name}` } }).ended;
      }),
    );
    assert.equal(new Set(results.map((result) => result!.checkpoints[0]!.id)).size, 20);
    for (let i = 0; i < 4; i++) endTurn(space.ports, { agent: { name: 'x', session: `s${i}` }, cwd: space.root });
    const listed = space.list();
    assert.equal(listed.length, 20);
    for (const meta of listed) {
      const name = String(meta.entries[0]!.path);
      assert.equal(bytesOf(space, meta, name).toString(), `old ${name}`);
      assert.equal(bytesOf(space, meta, name, 'post').toString(), `new ${name}`);
      assert.deepEqual([meta.status, meta.entries[0]!.post?.inferred, meta.foreign], ['done', undefined, false]);
    }
    assert.deepEqual(leftovers(space.stores.primary.dir), []);
    assert.deepEqual(leftovers(space.ports.stateDir), []);
    assert.deepEqual(fs.readdirSync(path.join(space.stores.primary.index, 'open')), []);
  });

  it('ten that report the same call make one checkpoint, and none returns before it is there', async () => {
    const space = workspace();
    space.write('a', 'old');
    const request = space.request(['a']);
    const results = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const result = await start(space, { request }).ended;
        assert.equal(space.list().length, 1);
        return result!;
      }),
    );
    assert.equal(results.filter(({ first }) => first).length, 1);
    assert.equal(new Set(results.map(({ checkpoints }) => checkpoints[0]!.id)).size, 1);
  });

  it('killed at any moment leave a store that lists, and the call can be reported again', async () => {
    const space = workspace();
    space.write('a', 'old'.repeat(1000));
    for (let round = 0; round < 20; round++) {
      const request = space.request([{ path: space.file('a'), expected: content('never') }]);
      const { child, ended } = start(space, { request });
      setTimeout(() => child.kill('SIGKILL'), 20 + round * 8);
      await ended.catch(() => undefined);
      const before = space.list().length;
      const again = await start(space, { request }).ended;
      assert.equal(again!.first, space.list().length > before);
      assert.equal(bytesOf(space, space.newest(), 'a').length, 3000);
    }
    assert.equal(space.list().length, 20);
    space.ports.clock.now = Date.now() + 3_600_000;
    closeStale(space.ports, space.stores);
    assert.deepEqual(new Set(space.list().map(({ status }) => status)), new Set(['unchanged']));
  });
});
