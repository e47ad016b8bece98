import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createObserver } from '../../src/core/capture/observer';
import { fileAttributes } from '../../src/core/restore/attributes';
import { planUndo, runPlan } from '../../src/core/restore/restore';
import { registerRoots } from '../../src/core/state/roots';
import { AgentWorkspace, unflushed } from '../support/agentWorkspace';
import { content, workspace } from '../support/captureKit';
import { testPorts } from '../support/ports';

/** An access control list with one more person who may read; false where this system or file system has none. */
function giveAccess(file: string): boolean {
  const entry = (tag: number, rights: number, id: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(rights, 2);
    bytes.writeUInt32LE(id, 4);
    return bytes;
  };
  const nobody = 0xffffffff;
  const list = Buffer.concat([
    Buffer.from([2, 0, 0, 0]),
    entry(1, 6, nobody),
    entry(2, 4, 12345),
    entry(4, 4, nobody),
    entry(16, 4, nobody),
    entry(32, 4, nobody),
  ]);
  const program = `import os, sys; os.setxattr(sys.argv[1], "system.posix_acl_access", bytes.fromhex(sys.argv[2]))`;
  return spawnSync('python3', ['-c', program, file, list.toString('hex')], { stdio: 'ignore' }).status === 0;
}

describe('a file with an access control list', () => {
  it('keeps it through restore and redo', function () {
    const work = new AgentWorkspace({ ...testPorts({ fs: unflushed }), hasAttributes: fileAttributes });
    work.write('a', 'before\n');
    work.write('plain', 'before\n');
    if (!giveAccess(work.at('a'))) return this.skip();
    assert.deepEqual(fileAttributes([work.at('a'), work.at('plain')]), [true, false]);
    const id = work.agent({ a: 'after\n', plain: 'after\n' });
    assert.deepEqual(fileAttributes([work.at('a')]), [true]);
    work.restore(id);
    assert.equal(work.read('a'), 'before\n');
    assert.deepEqual(fileAttributes([work.at('a'), work.at('plain')]), [true, false]);
    work.redo();
    assert.equal(work.read('a'), 'after\n');
    assert.deepEqual(fileAttributes([work.at('a')]), [true]);
  });

  it('is written in place, by what the system says of it, and a plain file is not', () => {
    const asked: string[][] = [];
    const ports = {
      ...testPorts({ fs: unflushed }),
      hasAttributes: (files: readonly string[]) => {
        asked.push([...files]);
        return files.map((file) => file.endsWith('/special'));
      },
    };
    const work = new AgentWorkspace(ports);
    work.write('special', 'before\n');
    work.write('plain', 'before\n');
    const id = work.agent({ special: 'after\n', plain: 'after\n', made: 'x\n' });
    const inode = (name: string) => fs.statSync(work.at(name)).ino;
    const [special, plain] = [inode('special'), inode('plain')];
    work.restore(id);
    assert.deepEqual(
      [work.read('special'), work.read('plain'), work.read('made')],
      ['before\n', 'before\n', undefined],
    );
    assert.equal(inode('special'), special);
    assert.notEqual(inode('plain'), plain);
    // Once for all of them, and not for what is only removed.
    assert.deepEqual(asked, [[work.at('plain'), work.at('special')]]);
  });

  it('is asked for without harm where a file is not there or has an odd name', () => {
    const work = new AgentWorkspace();
    work.write('two\nlines', 'x');
    assert.equal(fileAttributes([work.at('two\nlines'), work.at('gone')]).length, 2);
    assert.deepEqual(fileAttributes([]), []);
  });
});

describe('a file that a mount holds in its place', () => {
  it('is written in place', function () {
    const work = new AgentWorkspace();
    work.write('a', 'before\n');
    work.write('source', 'before\n');
    if (process.platform !== 'linux') return this.skip();
    if (spawnSync('mount', ['--bind', work.at('source'), work.at('a')], { stdio: 'ignore' }).status !== 0) this.skip();
    try {
      const id = work.agent({ a: 'after\n' });
      assert.deepEqual(work.restore(id).restored, ['a']);
      assert.deepEqual([work.read('a'), work.read('source')], ['before\n', 'before\n']);
    } finally {
      execFileSync('umount', [work.at('a')]);
    }
  });

  it('in a folder of another file system is restored like any other', function () {
    const work = new AgentWorkspace();
    work.write('d', 'folder');
    if (process.platform !== 'linux') return this.skip();
    if (spawnSync('mount', ['-t', 'tmpfs', 'none', work.at('d')], { stdio: 'ignore' }).status !== 0) this.skip();
    try {
      work.write('d/a', 'before\n');
      const id = work.agent({ 'd/a': 'after\n', 'd/new': 'x' });
      work.restore(id);
      assert.deepEqual([work.read('d/a'), work.read('d/new')], ['before\n', undefined]);
    } finally {
      execFileSync('umount', [work.at('d')]);
    }
  });
});

describe('repositories inside a workspace', () => {
  const git = (dir: string, ...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });

  /** What Git keeps, by time and size of each file: nothing of it may change. */
  const state = (dir: string) =>
    execFileSync(
      'find',
      [dir, '-path', '*/.git*', '-not', '-path', '*/.system_generated/*', '-printf', '%p %s %T@\n'],
      {
        encoding: 'utf8',
      },
    )
      .split('\n')
      .sort();

  it('nested, as submodules or as linked worktrees, have their files restored and nothing of Git touched', () => {
    const work = new AgentWorkspace();
    git(work.root, 'init', '-q');
    work.write('own', '1\n');
    git(work.root, 'add', 'own');
    git(work.root, 'commit', '-qm', 'first');
    work.write('nested/f', '1\n');
    git(work.at('nested'), 'init', '-q');
    git(work.at('nested'), 'add', 'f');
    git(work.at('nested'), 'commit', '-qm', 'first');
    git(work.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', work.at('nested'), 'sub');
    git(work.root, 'worktree', 'add', '-q', work.at('tree'));
    const before = state(work.root);
    const id = work.agent({ own: '2\n', 'nested/f': '2\n', 'sub/f': '2\n', 'tree/own': '2\n', 'sub/deep/new': 'x' });
    const outcome = work.restore(id);
    assert.deepEqual([outcome.conflicts, outcome.skipped], [[], []]);
    assert.deepEqual(
      ['own', 'nested/f', 'sub/f', 'tree/own'].map((file) => work.read(file)),
      Array(4).fill('1\n'),
    );
    assert.equal(work.read('sub/deep'), undefined);
    assert.deepEqual(state(work.root), before);
  });
});

describe('several workspace folders', () => {
  it('with the same relative path, one inside the other, are restored each for itself', () => {
    const outer = workspace();
    fs.mkdirSync(outer.file('inner'));
    const inner = workspace({ root: outer.file('inner'), stateDir: outer.ports.stateDir });
    registerRoots(outer.ports, [outer.root, inner.root]);
    for (const space of [outer, inner]) space.write('src/a.ts', 'before\n');
    const request = outer.request([
      { path: outer.file('src/a.ts'), expected: content('after\n') },
      { path: inner.file('src/a.ts'), expected: content('after\n') },
    ]);
    createObserver(outer.ports).beforeWrite(request);
    for (const space of [outer, inner]) space.write('src/a.ts', 'after\n');
    createObserver(outer.ports).afterWrite(request);
    assert.deepEqual(
      [outer, inner].map((space) => space.newest().entries.map(({ path }) => path)),
      [['src/a.ts'], ['src/a.ts']],
    );
    runPlan(inner.ports, inner.root, planUndo(inner.ports, inner.root));
    assert.deepEqual([outer.read('src/a.ts'), inner.read('src/a.ts')], ['after\n', 'before\n']);
    runPlan(outer.ports, outer.root, planUndo(outer.ports, outer.root));
    assert.deepEqual([outer.read('src/a.ts'), inner.read('src/a.ts')], ['before\n', 'before\n']);
  });
});
