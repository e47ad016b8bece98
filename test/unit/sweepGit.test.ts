// Commands of an agent in repositories: whatever they do to files, rewinding gives the first tree back.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { describe, it } from 'mocha';
import { rootStores } from '../../src/core/store/stores';
import { putBackVanished } from '../../src/core/store/twin';
import { CommandWorkspace, pathsOf } from '../support/sweepKit';

const files = {
  'README.md': '# first\n',
  'src/a.txt': 'alpha\nbeta\n',
  'src/b.txt': 'x y x\n',
  'src/c.txt': 'gone soon\n',
  'src/d.txt': 'moved soon\n',
  'tools/run.sh': '#!/bin/sh\necho run\n',
  '.gitignore': 'build/\n*.log\n.env\n',
};

function workspace(): CommandWorkspace {
  const space = new CommandWorkspace();
  space.repository(files);
  return space;
}

/** Runs commands, then rewinds: the tree is as at first. Returns the checkpoints of the last command. */
function comesBack(space: CommandWorkspace, ...commands: string[]) {
  const before = space.tree();
  let made = space.list();
  for (const command of commands) made = space.run(command);
  assert.notDeepEqual(space.tree(), before);
  const outcome = space.rewind();
  assert.deepEqual(outcome.conflicts, []);
  assert.deepEqual(outcome.skipped, []);
  assert.deepEqual(space.tree(), before);
  return made;
}

describe('A command in a repository', () => {
  it('that edits, removes and moves tracked files is one checkpoint, with the bytes from Git', () => {
    const space = workspace();
    const [made, ...more] = comesBack(space, 'sed -i s/x/z/ src/b.txt && rm src/c.txt && mv src/d.txt src/e.txt');
    assert.deepEqual(more, []);
    assert.deepEqual(pathsOf(made), ['src/b.txt', 'src/c.txt', 'src/d.txt', 'src/e.txt']);
    assert.equal(made!.kind, 'command');
    assert.equal(made!.status, 'done');
    assert.equal(made!.label, 'sed -i s/x/z/ src/b.txt && rm src/c.txt && mv src/d.txt src/e.txt');
    const entry = (name: string) => made!.entries.find(({ path }) => path === name)!;
    assert.equal(entry('src/b.txt').provenance, 'git');
    assert.equal(entry('src/e.txt').renamedFrom, 'src/d.txt');
    assert.deepEqual(made!.notCovered, []);
  });

  it('that changes nothing leaves no checkpoint', () => {
    const space = workspace();
    space.write('untracked.txt', 'mine');
    assert.deepEqual(space.run('ls && cat README.md && touch src/a.txt untracked.txt'), []);
  });

  it('that writes over what was not committed gets back what was there, not what was committed', () => {
    const space = workspace();
    space.write('src/a.txt', 'my own work\n');
    space.write('notes/mine.txt', 'never added\n');
    const [made] = comesBack(space, 'echo agent > src/a.txt; rm -r notes; git checkout -q src/a.txt');
    const entry = made!.entries.find(({ path }) => path === 'src/a.txt')!;
    assert.equal(entry.provenance, 'before-write');
  });

  it('that makes files, in new folders too, is undone to nothing', () => {
    const made = comesBack(
      workspace(),
      "mkdir -p new/deep && cat > new/deep/f.txt <<'END'\nhello\nEND\necho >> src/a.txt",
    );
    assert.deepEqual(pathsOf(made[0]), ['new', 'new/deep', 'new/deep/f.txt', 'src/a.txt']);
  });

  it('may check another branch out', () => {
    const space = workspace();
    space.sh('git checkout -q -b other && git rm -q src/c.txt && echo other > src/a.txt && echo n > n.txt');
    space.commit();
    space.sh('git checkout -q main');
    space.write('README.md', 'dirty on both\n');
    const [made] = comesBack(space, 'git checkout -q other');
    assert.match(made!.notCovered.map(({ reason }) => reason).join(), /the repository went from [0-9a-f]{12} to/);
  });

  it('may reset, commit, stash and pull in what others did', () => {
    const space = workspace();
    space.sh('echo second > src/a.txt');
    space.commit('second');
    space.write('src/b.txt', 'dirty\n');
    space.write('untracked.txt', 'u\n');
    comesBack(
      space,
      'git reset -q --hard HEAD~1',
      'echo third > src/d.txt && git add -A && git commit -qm third',
      'echo s > src/d.txt && git stash -q',
      'git merge -q -X ours ORIG_HEAD || true',
    );
  });

  it('may remove all that Git does not hold, this product’s own store too', () => {
    const space = workspace();
    space.write('untracked/u.txt', 'u\n');
    space.write('.env', 'SECRET=1\n');
    space.run('echo 1 > src/a.txt');
    space.sh('git checkout -q src/a.txt');
    const before = space.tree();
    const [made] = space.run('git clean -fdxq');
    assert.deepEqual(pathsOf(made), ['.env', 'untracked', 'untracked/u.txt']);
    assert.equal(space.rewind(made!.id).skipped.length, 0);
    assert.deepEqual(space.tree(), before);
  });

  it('that builds what Git ignores is undone to before, also after it was built again', () => {
    const space = workspace();
    const build = 'mkdir -p build && date +%N > build/out.o && echo l >> x.log';
    const [first, second] = [comesBack(space, build), comesBack(space, build, build)];
    assert.deepEqual(pathsOf(first[0]), ['build', 'build/out.o', 'x.log']);
    assert.deepEqual(pathsOf(second[0]), ['build/out.o', 'x.log']);
  });

  it('that adds to what was built, or removes it, has all of it covered until somebody else put something there', () => {
    const space = workspace();
    const before = space.tree();
    const [built] = space.run('mkdir -p build/deep && echo 1 > build/deep/out.o');
    const [more] = space.run('echo 2 > build/deep/more.o');
    const full = space.tree();
    const [gone] = space.run('git clean -fdxq');
    assert.deepEqual([pathsOf(more), more!.notCovered], [['build/deep/more.o'], []]);
    assert.deepEqual(pathsOf(gone), ['build', 'build/deep', 'build/deep/more.o', 'build/deep/out.o']);
    assert.deepEqual(gone!.notCovered, []);
    space.rewind(gone!.id);
    assert.deepEqual(space.tree(), full);
    putBackVanished(space.ports, rootStores(space.ports, space.root));
    space.rewind(built!.id);
    assert.deepEqual(space.tree(), before);
    space.run('mkdir -p build && echo 1 > build/out.o');
    space.write('build/person.o', 'p');
    const [cleaned] = space.run('git clean -fdxq');
    assert.ok(cleaned!.notCovered.some(({ path }) => path === 'build'));
  });

  it('is told as not covering what Git ignored before, but for what the setting names', () => {
    const space = workspace();
    space.write('.env', 'A=1\n');
    space.write('build/old.o', 'o');
    space.write('x.log', 'l');
    const [made] = space.run('echo o > build/out.o && echo l > x.log && echo A=2 > .env && echo B > .env.local');
    assert.deepEqual(pathsOf(made), ['.env', '.env.local']);
    assert.deepEqual(
      made!.notCovered.map(({ path, reason }) => `${path}: ${reason}`),
      [
        'build: it was changed (or something in it), but Git ignores it, so it is not covered',
        'x.log: it was changed, but Git ignores it, so it is not covered',
        'undefined: what is in folders that Git ignores is not covered: build/',
      ],
    );
  });

  it('that makes more than the bounds of what Git ignores names it', () => {
    const [made] = workspace().run('mkdir build; for i in $(seq 600); do : > build/$i; done; : > y.log');
    assert.deepEqual(pathsOf(made), ['y.log']);
    assert.deepEqual(
      made!.notCovered.map(({ path }) => path),
      ['build'],
    );
  });

  it('never takes for new what was ignored before', () => {
    const space = workspace();
    space.write('build/big.o', 'made by a person\n');
    const [made] = space.run('echo > .gitignore');
    assert.deepEqual(pathsOf(made), ['.gitignore']);
    assert.ok(made!.notCovered.some(({ path }) => path === 'build/big.o'));
    space.rewind();
    assert.equal(space.read('build/big.o'), 'made by a person\n');
  });

  it('gives permissions, links and kinds back', () => {
    const space = workspace();
    fs.symlinkSync('README.md', space.at('link'));
    fs.symlinkSync('src', space.at('folder-link'));
    space.sh('chmod +x tools/run.sh');
    space.commit();
    space.sh('chmod 600 src/a.txt; chmod 640 src/b.txt');
    comesBack(
      space,
      'chmod -x tools/run.sh; chmod 644 src/a.txt; rm src/b.txt',
      'ln -sfn tools link; rm folder-link; mkdir folder-link; echo 1 > folder-link/f',
      'rm -r src; echo file > src',
    );
  });

  it('in a repository that turns line ends is given back with those of the work tree', () => {
    const space = new CommandWorkspace();
    space.sh('git init -q && git config core.autocrlf true');
    space.write('crlf.txt', 'one\r\ntwo\r\n');
    space.write('mixed.bin', Buffer.from([0, 13, 10, 10, 0, 255]));
    space.write('.gitattributes', '*.u16 working-tree-encoding=UTF-16LE eol=lf\nid.txt ident\n');
    space.write('w.u16', Buffer.from('wide\n', 'utf16le'));
    space.write('id.txt', '$Id$\n');
    space.commit();
    space.sh('rm id.txt crlf.txt && git checkout -q .');
    assert.match(space.read('id.txt'), /\$Id: [0-9a-f]{40} \$/);
    assert.equal(space.read('crlf.txt'), 'one\r\ntwo\r\n');
    const made = comesBack(space, 'rm crlf.txt mixed.bin w.u16 id.txt .gitattributes');
    assert.deepEqual(made[0]!.notCovered, []);
  });

  it('covers a file with an external filter only where it was copied', () => {
    const space = workspace();
    space.sh("git config filter.rot.clean 'tr a-z n-za-m' && git config filter.rot.smudge 'tr a-z n-za-m'");
    space.write('.gitattributes', '*.rot filter=rot\n');
    space.write('clean.rot', 'hello\n');
    space.write('dirty.rot', 'hello\n');
    // Older than the index, so that Git need not compare their bytes.
    space.sh('touch -d "1 hour ago" *.rot');
    space.commit();
    space.write('dirty.rot', 'world\n');
    const [made] = space.run('echo 1 > clean.rot; echo 2 > dirty.rot; rm .gitattributes');
    assert.deepEqual(pathsOf(made), ['.gitattributes', 'dirty.rot']);
    assert.match(made!.notCovered.find(({ path }) => path === 'clean.rot')!.reason, /filter “rot”/);
  });

  it('sees repositories in the repository: nested, linked, submodules', () => {
    const space = workspace();
    const inner = (dir: string, name: string) => {
      fs.mkdirSync(space.at(dir), { recursive: true });
      space.sh(
        `git init -q && echo ${name} > f.txt && git add f.txt && git commit -qm one && echo u > u.txt`,
        space.at(dir),
      );
    };
    inner('nested', 'nested');
    inner('build/ignored', 'ignored');
    inner('upstream', 'sub');
    space.sh('git worktree add -q -b linked wt && git -c protocol.file.allow=always submodule add -q ./upstream sub');
    space.sh('git add -A; git commit -qm sub', space.root);
    const commands = ['nested', 'build/ignored', 'wt', 'sub'].map(
      (dir) => `(cd ${dir} && echo new > n.txt && echo x >> f.txt)`,
    );
    space.write('wt/f.txt', 'dirty in the linked one\n');
    const made = comesBack(space, `${commands.join('; ')}; rm nested/u.txt wt/README.md`);
    assert.ok(pathsOf(made[0]).includes('sub/f.txt'));
  });

  it('gets back what was in a linked work tree that it removed', () => {
    const space = workspace();
    space.sh('git worktree add -q -b linked wt');
    space.write('wt/src/a.txt', 'dirty\n');
    const before = space.tree();
    space.run('git worktree remove --force wt');
    assert.equal(fs.existsSync(space.at('wt')), false);
    space.rewind();
    assert.deepEqual(space.tree(), before);
  });

  it('that removes a repository with its bytes says so for each file', () => {
    const space = workspace();
    space.write('untracked.txt', 'u\n');
    const [made] = space.run('rm -rf .git src untracked.txt');
    assert.deepEqual(pathsOf(made), ['untracked.txt']);
    const left = made!.notCovered.map(({ path }) => path);
    assert.ok(left.includes('src/a.txt') && left.includes('src/d.txt') && left.includes('.'));
  });

  it('works in a folder below the repository’s own', () => {
    const space = workspace();
    const inner = new CommandWorkspace();
    Object.defineProperty(inner, 'root', { value: space.at('src') });
    inner.ports.fs.mkdirSync(`${inner.ports.stateDir}`, { recursive: true });
    fs.writeFileSync(`${inner.ports.stateDir}/roots.json`, JSON.stringify([space.at('src')]));
    const before = inner.tree();
    const [made] = inner.run('sed -i s/alpha/omega/ a.txt; echo > new.txt; echo outside > ../README.md');
    assert.deepEqual(pathsOf(made), ['a.txt', 'new.txt']);
    inner.rewind();
    assert.deepEqual(inner.tree(), before);
  });

  it('works before the first commit, and with a staged file', () => {
    const space = new CommandWorkspace();
    space.sh('git init -q && echo staged > s.txt && git add s.txt && echo u > u.txt');
    comesBack(space, 'echo 1 > s.txt; echo 2 > u.txt; echo 3 > n.txt');
  });
});
