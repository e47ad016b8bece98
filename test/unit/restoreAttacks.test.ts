// Stores that were made to harm: whatever they say, nothing outside the root is read, written or removed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../src/core/ports';
import { recoverJournal } from '../../src/core/restore/journal';
import { planRestore, runPlan } from '../../src/core/restore/restore';
import { AgentWorkspace, treeOf, unflushed } from '../support/agentWorkspace';
import { evilId, metaOf } from '../support/attackKit';
import { temporaryRoot, testPorts } from '../support/ports';

const bytes = 'evil\n';
const sha256 = createHash('sha256').update(bytes).digest('hex');
const file = { type: 'file', sha256, size: bytes.length, mode: 0o644, blob: 'pre/0-x' };

describe('a hostile store', () => {
  let work: AgentWorkspace;
  let outside: string;
  let precious: Record<string, string>;

  beforeEach(() => {
    work = new AgentWorkspace();
    outside = temporaryRoot('outside');
    fs.writeFileSync(path.join(outside, 'x'), 'precious\n');
    fs.mkdirSync(path.join(outside, 'empty'));
    precious = treeOf(outside);
    fs.mkdirSync(path.join(work.root, '.git'));
    fs.writeFileSync(path.join(work.root, '.git', 'config'), 'config\n');
  });

  afterEach(() => {
    assert.deepEqual(treeOf(outside), precious, 'something outside the root was changed');
    assert.equal(fs.readFileSync(path.join(work.root, '.git', 'config'), 'utf8'), 'config\n');
    assert.deepEqual(fs.readdirSync(path.join(work.root, '.git')), ['config']);
  });

  /** Puts a record there as a clone would bring it, and restores from it with every permission given. */
  function restoreFrom(entries: object[], more: object = {}) {
    const dir = path.join(work.stores.primary.checkpoints, evilId);
    fs.mkdirSync(path.join(dir, 'pre'), { recursive: true });
    fs.writeFileSync(path.join(dir, 'pre', '0-x'), bytes);
    const meta = metaOf(entries, more);
    fs.writeFileSync(path.join(dir, 'meta.json'), JSON.stringify(meta));
    return work.restore(evilId, 'checkpoint', { foreign: true, onConflict: 'overwrite' });
  }

  const entry = (name: unknown, pre: object = file, post: object = { type: 'absent' }) => ({
    path: name,
    pre,
    post,
    provenance: 'before-write',
  });

  const b64 = (text: string) => ({ bytes: Buffer.from(text, 'latin1').toString('base64') });
  const refusedPaths: unknown[] = [
    '../x',
    '../outside/x',
    'a/../../x',
    '/etc/evil',
    '//evil',
    'C:\\evil',
    'C:/evil',
    '\\\\server\\share\\x',
    '\\\\?\\C:\\x',
    '..\\x',
    'a\\..\\..\\x',
    'CON',
    'nul.txt',
    'COM1',
    'a:stream',
    'a/b:c',
    'a\0b',
    '',
    '.',
    '..',
    'a//b',
    './a',
    'a/',
    'x'.repeat(300),
    '.git/config',
    '.git/hooks/post-checkout',
    '.GIT/config',
    '.git./config',
    '.git /config',
    'git~1/config',
    '.g\u200cit/config',
    '．git/config',
    '.git::$INDEX_ALLOCATION/config',
    'sub/.git/config',
    '.system_generated/checkpoints/x',
    '.SYSTEM_GENERATED/x',
    'system~1/x',
    b64('../x'),
    b64('.git/\xff'),
    b64('a\0\xff'),
    b64('plain'),
  ];
  for (const name of refusedPaths) {
    it(`is refused the path ${JSON.stringify(name).slice(0, 60)}`, () => {
      const before = work.tree();
      const outcome = restoreFrom([entry(name)]);
      assert.equal(outcome.skipped.length, 1);
      assert.deepEqual([outcome.restored, outcome.deleted, outcome.guard], [[], [], null]);
      assert.deepEqual(work.tree(), before);
    });
  }

  it('does not write or delete through a link among the folders', () => {
    fs.symlinkSync(outside, work.at('link'));
    const outcome = restoreFrom([
      entry('link/new'),
      entry('link/x', { type: 'absent' }, file),
      entry('link/empty', { type: 'absent' }, { type: 'directory' }),
      entry('link/l', { type: 'symlink', target: 'x' }),
      entry('link/d', { type: 'directory' }),
    ]);
    assert.equal(outcome.skipped.length, 5);
  });

  it('does not reach Git’s folder through a link inside the root', () => {
    fs.symlinkSync('.git', work.at('link'));
    const outcome = restoreFrom([entry('link/config'), entry('link/hooks')]);
    assert.equal(outcome.skipped.length, 2);
  });

  it('does not follow a link that its own record makes', () => {
    const outcome = restoreFrom([entry('l', { type: 'symlink', target: outside }), entry('l/x'), entry('l/new')]);
    assert.ok(!outcome.restored.includes('l/x') && !outcome.restored.includes('l/new'));
  });

  it('replaces a link at the end of a path, and never follows it', () => {
    fs.symlinkSync(path.join(outside, 'x'), work.at('x'));
    restoreFrom([entry('x', file, { type: 'symlink', target: path.join(outside, 'x') })]);
    assert.equal(fs.lstatSync(work.at('x')).isFile(), true);
    assert.equal(work.read('x'), bytes);
  });

  it('does not write into a file that has a name outside as well', () => {
    fs.linkSync(path.join(outside, 'x'), work.at('x'));
    const now = createHash('sha256').update('precious\n').digest('hex');
    restoreFrom([entry('x', file, { ...file, sha256: now, size: 9, blob: 'post/0-x' })]);
    assert.equal(work.read('x'), bytes);
  });

  it('does not go through a link in a circle, to itself or to nothing', () => {
    fs.symlinkSync('loop', work.at('loop'));
    fs.symlinkSync('two', work.at('one'));
    fs.symlinkSync('one', work.at('two'));
    fs.symlinkSync('nothing', work.at('dangling'));
    const outcome = restoreFrom([entry('loop/x'), entry('one/x'), entry('dangling/x')]);
    assert.deepEqual(outcome.restored, []);
    assert.equal(outcome.skipped.length + outcome.conflicts.length, 3);
  });

  it('is refused twins, paths named twice, and two names of one file', () => {
    fs.mkdirSync(work.at('real'));
    fs.symlinkSync('real', work.at('alias'));
    for (const names of [
      ['x', 'X'],
      ['é', 'e\u0301'],
      ['x', 'x'],
      ['real/f', 'alias/f'],
    ]) {
      const outcome = restoreFrom(names.map((name) => entry(name)));
      assert.deepEqual(outcome.restored, [], names.join());
      fs.rmSync(path.join(work.stores.primary.checkpoints, evilId), { recursive: true });
    }
  });

  it('gets no set-user bit', () => {
    restoreFrom([entry('x', { ...file, mode: 0o6755 })]);
    assert.equal(fs.statSync(work.at('x')).mode & 0o7000, 0);
  });

  const blobs: [string, (dir: string) => void][] = [
    ['a link to a file outside', (dir) => relink(path.join(dir, 'pre/0-x'), path.join(outside, 'x'))],
    ['in a folder that is a link', (dir) => relink(path.join(dir, 'pre'), outside)],
    ['of other bytes', (dir) => fs.writeFileSync(path.join(dir, 'pre/0-x'), 'other\n')],
    ['missing', (dir) => fs.rmSync(path.join(dir, 'pre/0-x'))],
    ['a folder', (dir) => (fs.rmSync(path.join(dir, 'pre/0-x')), fs.mkdirSync(path.join(dir, 'pre/0-x')))],
  ];
  for (const [what, change] of blobs) {
    it(`gives no bytes from a stored file that is ${what}`, () => {
      restoreFrom([entry('y', { type: 'absent' }, { type: 'absent' })]);
      const dir = path.join(work.stores.primary.checkpoints, evilId);
      const meta = JSON.parse(fs.readFileSync(path.join(dir, 'meta.json'), 'utf8'));
      fs.writeFileSync(path.join(dir, 'meta.json'), JSON.stringify({ ...meta, entries: [entry('x')] }));
      change(dir);
      const outcome = work.restore(evilId, 'checkpoint', { foreign: true, onConflict: 'overwrite' });
      assert.deepEqual([outcome.skipped.length, outcome.restored, work.read('x')], [1, [], undefined]);
    });
  }

  it('is not read at all where it is a link', () => {
    fs.symlinkSync(outside, path.join(work.root, '.system_generated'));
    assert.throws(() => work.restore(evilId, 'checkpoint', { foreign: true }), /symbolic link/);
  });

  it('cannot mark this person’s work as taken back, or hide what a person wrote', () => {
    work.write('a', '0\n');
    const mine = work.agent({ a: '1\n' });
    restoreFrom([entry('a', file, file)], { kind: 'restore', restores: [{ id: mine, entry: 0 }] });
    assert.deepEqual(work.undo().restored, ['a']);
    assert.equal(work.read('a'), '0\n');
  });

  it('cannot have a journal of its own run', () => {
    work.write('a', '0\n');
    work.agent({ a: '1\n' });
    const dir = path.join(work.ports.stateDir, 'journal');
    fs.mkdirSync(dir, { recursive: true });
    const journal = {
      version: 1,
      guard: evilId,
      root: work.root,
      fallback: false,
      entries: [entry('a', { ...file }, { ...file, sha256: '0'.repeat(64), blob: 'post/0-x' })],
      order: [0],
      restores: [],
      foreign: [],
      mac: 'x',
    };
    fs.writeFileSync(path.join(dir, `${evilId}.json`), JSON.stringify(journal));
    assert.deepEqual(recoverJournal(work.ports), []);
    assert.equal(work.read('a'), '1\n');
  });

  describe('with a folder that is exchanged between check and write', () => {
    /** A file system that swaps `dir` for a link to the outside right before the n-th call of the chosen kind. */
    function swapping(work: AgentWorkspace, call: string, at: number): { fs: FileSystem; calls: () => number } {
      let calls = 0;
      const swap = () => {
        if (++calls !== at) return;
        fs.renameSync(work.at('dir'), work.at('moved'));
        fs.symlinkSync(outside, work.at('dir'));
      };
      const original = (fs as unknown as Record<string, (...args: unknown[]) => unknown>)[call]!;
      const wrapped = { ...unflushed, [call]: (...args: unknown[]) => (swap(), original(...args)) };
      return { fs: wrapped as FileSystem, calls: () => calls };
    }

    for (const call of [
      'openSync',
      'lstatSync',
      'renameSync',
      'linkSync',
      'unlinkSync',
      'rmdirSync',
      'mkdirSync',
      'symlinkSync',
      'fchmodSync',
      'readlinkSync',
    ]) {
      it(`before any ${call}: nothing outside is touched`, function () {
        if (process.platform !== 'linux') this.skip();
        for (let at = 1; ; at++) {
          const story = new AgentWorkspace();
          fs.mkdirSync(story.at('dir'));
          story.write('dir/x', 'mine\n');
          story.write('dir/deleted', 'd\n');
          const id = story.agent({
            'dir/x': 'agent\n',
            'dir/deleted': undefined,
            'dir/empty': 'folder',
            'dir/new': 'n\n',
            'dir/link': { link: 'x' },
          });
          const plan = planRestore(story.ports, story.root, { mode: 'checkpoint', id });
          const swapped = swapping(story, call, at);
          try {
            runPlan(testPorts({ fs: swapped.fs, stateDir: story.ports.stateDir }), story.root, plan);
          } catch {
            // That it fails is fine.
          }
          assert.deepEqual(treeOf(outside), precious, `${call} ${at}`);
          fs.rmSync(story.root, { recursive: true });
          if (swapped.calls() < at) break;
        }
      });
    }
  });
});

function relink(at: string, target: string): void {
  fs.rmSync(at, { recursive: true });
  fs.symlinkSync(target, at);
}
