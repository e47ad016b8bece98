// A store that is deleted, by a command or as a whole, is not the end of its history.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { doctor } from '../../src/core/store/doctor';
import { purge } from '../../src/core/store/purge';
import { rootStores } from '../../src/core/store/stores';
import { removeCheckpoint } from '../../src/core/store/remove';
import { putBackVanished, syncTwin, twinOf, vanished } from '../../src/core/store/twin';
import { readWarnings } from '../../src/core/state/warnings';
import { unflushed } from '../support/ports';
import { CommandWorkspace } from '../support/sweepKit';

function worked(ports = {}): CommandWorkspace {
  const space = new CommandWorkspace({ ports });
  space.repository({ 'a.txt': 'a\n' });
  space.write('u.txt', 'u\n');
  space.run('echo 1 > a.txt');
  space.run('echo 2 > u.txt');
  return space;
}

const storesOf = (space: CommandWorkspace) => rootStores(space.ports, space.root);

describe('The twin of a store', () => {
  it('survives git clean -fdx, is told of, and is put back; rewinding then gives the first tree', () => {
    const space = new CommandWorkspace();
    space.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    space.write('u.txt', 'u\n');
    const before = space.tree();
    const first = space.run('echo 1 > a.txt')[0]!.id;
    space.run('echo 2 > u.txt; echo n > n.txt');
    space.run('git clean -fdxq; rm b.txt');
    assert.equal(space.list().length, 1);
    assert.equal(vanished(space.ports, storesOf(space)).length, 2);
    space.endTurn();
    assert.match(readWarnings(space.ports)[0]!.text, /2 checkpoints of .* were deleted/);
    assert.equal(putBackVanished(space.ports, storesOf(space)), 2);
    assert.deepEqual(doctor(space.ports, storesOf(space)).damaged, []);
    const outcome = space.rewind(first);
    assert.deepEqual([outcome.conflicts, outcome.skipped], [[], []]);
    assert.deepEqual(space.tree(), before);
    assert.equal(putBackVanished(space.ports, storesOf(space)), 0);
  });

  it('costs no bytes: each file has a second name', () => {
    const space = worked();
    space.endTurn();
    const [{ id }] = space.list() as [{ id: string }, ...unknown[]];
    const meta = path.join(twinOf(space.ports, space.root).checkpoints, id, 'meta.json');
    assert.equal(fs.statSync(meta).ino, fs.statSync(space.at(`.system_generated/checkpoints/${id}/meta.json`)).ino);
  });

  it('is a copy where links are not possible', () => {
    const space = worked({
      fs: {
        ...unflushed,
        linkSync: () => {
          throw Object.assign(new Error('other file system'), { code: 'EXDEV' });
        },
      },
    });
    space.endTurn();
    fs.rmSync(space.at('.system_generated'), { recursive: true });
    assert.equal(putBackVanished(space.ports, storesOf(space)), 2);
    assert.deepEqual(doctor(space.ports, storesOf(space)).damaged, []);
  });

  it('forgets what is removed or purged on purpose, also what had vanished', () => {
    const space = worked();
    space.endTurn();
    const [newest, oldest] = space.list();
    removeCheckpoint(space.ports, storesOf(space).primary, newest!.id);
    assert.deepEqual(vanished(space.ports, storesOf(space)), []);
    fs.rmSync(space.at('.system_generated'), { recursive: true });
    assert.deepEqual(vanished(space.ports, storesOf(space)), [oldest!.id]);
    purge(space.ports, storesOf(space), { path: 'a.txt' });
    assert.deepEqual(vanished(space.ports, storesOf(space)), []);
  });

  it('takes nothing over from a store of somebody else', () => {
    const space = worked();
    for (const { id } of space.list()) {
      const file = space.at(`.system_generated/checkpoints/${id}/meta.json`);
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"mac":"', '"mac":"x'));
    }
    fs.rmSync(path.join(space.ports.stateDir, 'twins'), { recursive: true, force: true });
    syncTwin(space.ports, storesOf(space));
    assert.deepEqual(fs.readdirSync(twinOf(space.ports, space.root).checkpoints), []);
  });
});
