import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { registerRoots } from '../../src/core/state/roots';
import { readWarnings } from '../../src/core/state/warnings';
import { bytesOf, content, entryOf, workspace } from '../support/captureKit';
import { temporaryRoot } from '../support/ports';

describe('one call', () => {
  it('reported by two hooks is one checkpoint, whatever suffix its id has', () => {
    const space = workspace();
    space.write('a', '1');
    const once = space.observer.beforeWrite(space.request(['a'], { name: 'vscode', toolUse: 'call_x__vscode-17' }));
    space.write('a', '2');
    const twice = createObserver(space.ports).beforeWrite(space.request(['a'], { toolUse: 'call_x' }));
    assert.equal(once.first, true);
    assert.deepEqual(twice, { checkpoints: once.checkpoints, first: false });
    assert.equal(space.list().length, 1);
    assert.equal(bytesOf(space, space.newest(), 'a').toString(), '1');
  });

  it('can name further paths later; the first pre-image of each stands', () => {
    const space = workspace();
    space.write('a', 'a1');
    space.write('b', 'b1');
    const agent = { toolUse: 'call_more' };
    space.observer.beforeWrite(space.request([{ path: space.file('a'), expected: content('a2') }], agent));
    space.write('a', 'a2');
    const both = space.request(
      [
        { path: space.file('a'), expected: content('zzz') },
        { path: space.file('b'), expected: content('b2') },
      ],
      agent,
    );
    space.observer.beforeWrite(both);
    space.write('b', 'b2');
    space.observer.afterWrite(both);
    const meta = space.newest();
    assert.equal(space.list().length, 1);
    assert.equal(meta.status, 'done');
    assert.deepEqual([bytesOf(space, meta, 'a').toString(), bytesOf(space, meta, 'b').toString()], ['a1', 'b1']);
    assert.ok(meta.entries.every(({ post }) => post && !post.inferred));
  });

  it('whose first reporter died before its checkpoint appeared is captured by the next', () => {
    const space = workspace();
    space.write('a', '1');
    const request = space.request(['a']);
    space.observer.beforeWrite(request);
    const [claim] = fs.readdirSync(path.join(space.stores.primary.index, 'calls'));
    const file = path.join(space.stores.primary.index, 'calls', claim!);
    fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), pid: 2 ** 22 + 1 }));
    fs.rmSync(path.join(space.stores.primary.checkpoints, space.newest().id), { recursive: true });
    assert.equal(space.observer.beforeWrite(request).first, true);
    assert.equal(space.list().length, 1);
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
  });

  it('over two roots is a checkpoint in each, as one group', () => {
    const space = workspace();
    const other = temporaryRoot('other');
    registerRoots(space.ports, [space.root, other]);
    space.write('a', '1');
    const request = space.request(['a', { path: path.join(other, 'b') }]);
    const { checkpoints } = space.observer.beforeWrite(request);
    assert.deepEqual(
      checkpoints.map(({ root }) => root),
      [space.root, other],
    );
    const second = workspace({ root: other, stateDir: space.ports.stateDir });
    assert.ok(space.newest().group);
    assert.equal(space.newest().group, second.newest().group);
    space.observer.afterWrite(request);
    fs.writeFileSync(path.join(other, 'b'), 'x');
    second.observer.afterWrite({ ...request, writes: [] });
    assert.equal(second.newest().status, 'done');
  });
});

describe('a store that cannot be used', () => {
  const cases: Record<string, (space: ReturnType<typeof workspace>) => void> = {
    'is a link': (space) => fs.symlinkSync(temporaryRoot('elsewhere'), space.file('.system_generated')),
    'is a file': (space) => space.write('.system_generated', ''),
    'has a link for its checkpoints': (space) => {
      fs.mkdirSync(space.file('.system_generated'));
      fs.symlinkSync(temporaryRoot('elsewhere'), space.file('.system_generated/checkpoints'));
    },
    'has a link for its index': (space) => {
      fs.mkdirSync(space.file('.system_generated'));
      fs.symlinkSync(temporaryRoot('elsewhere'), space.file('.system_generated/index'));
    },
  };
  for (const [name, arrange] of Object.entries(cases)) {
    it(`since it ${name} is stood in for by user state, and the person is told once`, () => {
      const space = workspace();
      space.write('a', '1');
      arrange(space);
      for (const text of ['2', '3']) {
        const request = space.request([{ path: space.file('a'), expected: content(text) }]);
        assert.equal(space.observer.beforeWrite(request).checkpoints[0]?.fallback, true);
        assert.equal(space.observer.beforeWrite(request).first, false);
        space.write('a', text);
        space.observer.afterWrite(request);
      }
      const warnings = readWarnings(space.ports);
      assert.deepEqual(
        warnings.map(({ key }) => key),
        [`store:${space.root}`],
      );
      const stored = fs.readdirSync(space.stores.fallback.checkpoints);
      assert.equal(stored.length, 2);
    });
  }

  it('when the call was first reported leaves the call where it is, also when it can be used again', () => {
    const space = workspace();
    space.write('a', '1');
    space.write('.system_generated', '');
    const request = space.request(['a']);
    const { checkpoints } = space.observer.beforeWrite(request);
    fs.rmSync(space.file('.system_generated'));
    assert.deepEqual(space.observer.beforeWrite(request), { checkpoints, first: false });
    space.write('a', '2');
    space.observer.afterWrite(request);
    assert.deepEqual(
      space.list().map(({ id, status, fallback }) => [id, status, fallback]),
      [[checkpoints[0]!.id, 'done', true]],
    );
  });

  it('in neither place never stops the agent', () => {
    const space = workspace();
    space.write('a', '1');
    space.write('.system_generated', '');
    fs.mkdirSync(space.ports.stateDir, { recursive: true });
    fs.writeFileSync(path.join(space.ports.stateDir, 'stores'), '');
    const request = space.request(['a']);
    assert.deepEqual(space.observer.beforeWrite(request).checkpoints, []);
    assert.deepEqual(space.observer.afterWrite(request), []);
    assert.deepEqual(
      readWarnings(space.ports).map(({ key }) => key),
      [`lost:${space.root}`],
    );
  });
});

describe('folders', () => {
  it('deleted as a whole are captured with all they hold', () => {
    const space = workspace();
    space.write('d/x/a', '1');
    space.write('d/b', '2');
    const request = space.request([{ path: space.file('d'), expected: { type: 'absent' } }]);
    space.observer.beforeWrite(request);
    assert.equal(bytesOf(space, space.newest(), 'd/x/a').toString(), '1');
    fs.rmSync(space.file('d'), { recursive: true });
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
    assert.ok(space.newest().entries.every(({ post }) => post?.type === 'absent' && !post.inferred));
  });

  it('moved as a whole keep the way back for each file', () => {
    const space = workspace();
    space.write('d/x/a', '1');
    const request = space.request([
      { path: space.file('d'), expected: { type: 'absent' } },
      { path: space.file('e'), renamedFrom: space.file('d') },
    ]);
    space.observer.beforeWrite(request);
    fs.renameSync(space.file('d'), space.file('e'));
    space.observer.afterWrite(request);
    const meta = space.newest();
    assert.equal(meta.status, 'done');
    assert.equal(entryOf(meta, 'e/x/a').renamedFrom, 'd/x/a');
    assert.ok(
      meta.entries.every(({ post }) => post && !post.inferred),
      JSON.stringify(meta.entries),
    );
  });

  it('that a call makes are absent before', () => {
    const space = workspace();
    const request = space.request([{ path: space.file('new/deep'), expected: { type: 'directory' } }]);
    space.observer.beforeWrite(request);
    fs.mkdirSync(space.file('new/deep'), { recursive: true });
    space.observer.afterWrite(request);
    assert.deepEqual(
      space.newest().entries.map(({ path: name, pre, post }) => [name, pre.type, post?.type]),
      [
        ['new', 'absent', 'directory'],
        ['new/deep', 'absent', 'directory'],
      ],
    );
  });
});
