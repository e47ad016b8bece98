import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { readIgnoreRules } from '../../src/core/capture/ignoreRules';
import { protectedIn } from '../../src/core/capture/protectedNames';
import { rootOfPath } from '../../src/core/capture/roots';
import { registerRoots } from '../../src/core/state/roots';
import { temporaryRoot, testPorts } from '../support/ports';

describe('the root of a path', () => {
  const setUp = () => {
    const base = temporaryRoot('base');
    const ports = testPorts();
    const dir = (name: string) => {
      fs.mkdirSync(path.join(base, name), { recursive: true });
      return path.join(base, name);
    };
    const rootOf = (file: string, cwd: string, projectDir?: string) =>
      rootOfPath(ports, file, { cwd, projectDir })?.root;
    return { base, ports, dir, rootOf };
  };

  it('is the deepest registered folder, else the project, else the Git top level, else the current folder', () => {
    const { ports, dir, rootOf } = setUp();
    const cwd = dir('cwd');
    assert.equal(rootOf(path.join(cwd, 'sub/x'), cwd), cwd);
    const git = dir('cwd/git');
    fs.writeFileSync(path.join(git, '.git'), 'gitdir: elsewhere');
    const project = dir('cwd/git/project');
    const file = path.join(project, 'not/yet/there');
    assert.equal(rootOf(file, cwd), git);
    assert.equal(rootOf(file, cwd, project), project);
    registerRoots(ports, [cwd]);
    assert.equal(rootOf(file, cwd, project), cwd);
    registerRoots(ports, [git]);
    assert.equal(rootOf(file, cwd, project), git);
  });

  it('is by real paths, with a missing tail', () => {
    const { base, dir } = setUp();
    const real = dir('real');
    fs.symlinkSync('real', path.join(base, 'alias'));
    const found = rootOfPath(testPorts(), path.join(base, 'alias/a/b'), { cwd: path.join(base, 'alias') });
    assert.deepEqual(found, { root: real, relative: 'a/b', absolute: path.join(real, 'a/b') });
  });

  it('is none outside of all, nor for the root itself', () => {
    const { dir, rootOf } = setUp();
    const cwd = dir('cwd');
    assert.equal(rootOf(path.join(dir('cwd2'), 'x'), cwd), undefined);
    assert.equal(rootOf(cwd, cwd), undefined);
  });

  it('is no whole home and no whole disk while there is something better', () => {
    const { dir, rootOf } = setUp();
    const home = dir('home');
    fs.mkdirSync(path.join(home, '.git'));
    const notes = dir('home/notes');
    const before = process.env['HOME'];
    process.env['HOME'] = home;
    try {
      assert.equal(rootOf(path.join(notes, 'x'), notes), notes);
      assert.equal(rootOf(path.join(notes, 'x'), notes, '/'), notes);
      assert.equal(rootOf(path.join(notes, 'x'), home), home);
    } finally {
      process.env['HOME'] = before;
    }
  });
});

describe('protected names', () => {
  it('are known in every spelling', () => {
    for (const name of ['.git', '.GIT', '.git.', '.git ', '.g\u200cit', 'GIT~1', '.git::$INDEX_ALLOCATION', '．git']) {
      assert.equal(protectedIn(`a/${name}/b`), '.git', name);
    }
    assert.equal(protectedIn('.System_Generated/x'), '.system_generated');
    for (const name of ['.gitignore', 'git', '.github', 'a.git', 'system_generated'])
      assert.equal(protectedIn(name), undefined);
  });
});

describe('.checkpointignore', () => {
  it('has the syntax of gitignore, and never hides itself', () => {
    const root = temporaryRoot();
    const ports = testPorts();
    assert.equal(readIgnoreRules(ports, root)('anything'), false);
    fs.writeFileSync(path.join(root, '.checkpointignore'), '*\n!keep/\n!keep/**\n/keep/no\n');
    const ignored = readIgnoreRules(ports, root);
    assert.deepEqual(
      ['x', 'keep/a', 'keep/no', '.checkpointignore'].map((file) => ignored(file)),
      [true, false, true, false],
    );
    assert.equal(ignored('keep', true), false);
  });

  it('is not read through a link', () => {
    const root = temporaryRoot();
    fs.writeFileSync(path.join(root, 'rules'), '*');
    fs.symlinkSync('rules', path.join(root, '.checkpointignore'));
    assert.equal(readIgnoreRules(testPorts(), root)('x'), false);
  });
});
