// Commands among other calls: at the same time, in the background, denied, never ended; and folders without Git.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { describe, it } from 'mocha';
import { beginTurn } from '../../src/core/capture/turns';
import { rootStores } from '../../src/core/store/stores';
import { openSweeps } from '../../src/core/capture/sweep/place';
import { CommandWorkspace, pathsOf } from '../support/sweepKit';
import { unflushed } from '../support/ports';

function repository(): CommandWorkspace {
  const space = new CommandWorkspace();
  space.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  return space;
}

const edit = (space: CommandWorkspace, name: string, text: string, toolUse: string) => {
  const request = {
    kind: 'edit' as const,
    agent: { name: 'claude-code', session: 's1', turn: 't1', tool: 'Write', toolUse },
    cwd: space.root,
    projectDir: space.root,
    writes: [{ path: space.at(name), expected: { type: 'content' as const, text } }],
  };
  space.observer.beforeWrite(request);
  space.write(name, text);
  space.observer.afterWrite(request);
};

const opens = (space: CommandWorkspace) => openSweeps(space.ports, rootStores(space.ports, space.root));

describe('Commands at the same time', () => {
  it('as an edit of the same path: each has its own part, and they are undone together', () => {
    const space = repository();
    const before = space.tree();
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    space.write('a.txt', 'by the command\n');
    edit(space, 'a.txt', 'by the edit\n', 'e1');
    edit(space, 'c.txt', 'only by the edit\n', 'e2');
    space.write('a.txt', 'by the command again\n');
    space.write('b.txt', 'by the command\n');
    space.observer.afterWrite(request);
    const [tail, ...rest] = space.list();
    const head = rest.at(-1)!;
    assert.deepEqual(pathsOf(tail), ['a.txt', 'b.txt']);
    assert.deepEqual(pathsOf(head), ['a.txt']);
    const first = rest.find(({ agent }) => agent?.toolUse === 'e1')!;
    assert.ok(tail!.group !== undefined && tail!.group === head.group && first.group === head.group);
    assert.equal(rest.find(({ agent }) => agent?.toolUse === 'e2')!.group, undefined);
    const outcome = space.rewind();
    assert.deepEqual([outcome.conflicts, outcome.skipped], [[], []]);
    assert.deepEqual(space.tree(), before);
  });

  it('as each other: one undo group, and no change booked twice', () => {
    const space = repository();
    const before = space.tree();
    const [one, two] = [space.request('one'), space.request('two')];
    space.observer.beforeWrite(one);
    space.observer.beforeWrite(two);
    space.write('a.txt', '1\n');
    space.write('b.txt', '2\n');
    space.observer.afterWrite(two);
    space.write('a.txt', '3\n');
    space.observer.afterWrite(one);
    const [later, earlier] = space.list();
    assert.deepEqual([pathsOf(earlier), pathsOf(later)], [['a.txt', 'b.txt'], ['a.txt']]);
    assert.ok(later!.group !== undefined && later!.group === earlier!.group);
    space.rewind();
    assert.deepEqual(space.tree(), before);
  });

  it('reported by two hooks is one checkpoint', () => {
    const space = repository();
    const request = space.request('once');
    const again = { ...request, agent: { ...request.agent!, toolUse: `${request.agent!.toolUse}__vscode-1` } };
    space.observer.beforeWrite(request);
    space.observer.beforeWrite(again);
    assert.equal(opens(space).length, 1);
    space.write('a.txt', '1\n');
    space.observer.afterWrite(request);
    space.observer.afterWrite(again);
    assert.equal(space.list().length, 1);
  });

  it('of an agent without ids are told apart by their text', () => {
    const space = repository();
    const anonymous = (text: string) => {
      const { agent, ...request } = space.request(text);
      const { toolUse: _, ...rest } = agent!;
      return { ...request, agent: rest };
    };
    const [one, two] = [anonymous('one'), anonymous('two')];
    space.observer.beforeWrite(one);
    space.observer.beforeWrite(two);
    space.write('a.txt', '1\n');
    space.observer.afterWrite(two);
    assert.deepEqual(
      opens(space).map(({ record }) => record.command),
      ['one'],
    );
  });
});

describe('A command whose end', () => {
  it('is never told is closed at the turn’s end, and so is one in the background', () => {
    const space = repository();
    const background = space.request('server &', {}, true);
    space.observer.beforeWrite(background);
    space.observer.afterWrite(background);
    space.observer.beforeWrite(space.request('killed'));
    space.write('a.txt', 'later\n');
    assert.equal(space.list().length, 0);
    space.endTurn();
    assert.deepEqual(
      space.list().flatMap((made) => pathsOf(made)),
      ['a.txt'],
    );
    assert.equal(opens(space).length, 0);
  });

  it('never came because it was denied books nothing of others on it', () => {
    const space = repository();
    space.observer.beforeWrite(space.request('rm -rf /'));
    edit(space, 'a.txt', 'edited\n', 'e1');
    beginTurn(space.ports, {
      agent: { name: 'claude-code', session: 's1', turn: 't2' },
      cwd: space.root,
      prompt: 'next',
    });
    assert.deepEqual(
      space.list().map(({ kind }) => kind),
      ['edit'],
    );
  });

  it('is closed before the next command of an agent that runs one after the other', () => {
    const space = repository();
    space.observer.beforeWrite(space.request('lost'));
    space.write('a.txt', '1\n');
    const next = space.request('next');
    space.observer.beforeWrite({ ...next, command: { ...next.command!, sequential: true } });
    space.write('a.txt', '2\n');
    space.observer.afterWrite(next);
    assert.deepEqual(
      space.list().map(({ label }) => label),
      ['next', 'lost'],
    );
    assert.ok(space.list().every(({ group }) => group === undefined));
  });
});

describe('A command that changed files of a person', () => {
  it('does so with the bytes of that person, also in place and at the same size', () => {
    const space = repository();
    for (const text of ['1st', '2nd', '3rd']) {
      space.write('mine.txt', text);
      const [made] = space.run('printf 9th > mine.txt');
      assert.equal(made!.entries.length, 1);
      space.rewind(made!.id);
      assert.equal(space.read('mine.txt'), text);
    }
  });

  it('takes unchanged copies over from one sweep to the next, within bounds of files', () => {
    const space = repository();
    for (let i = 0; i < 30; i++) space.write(`notes/${i}.txt`, `note ${i}\n`);
    fs.writeFileSync(space.at('large.bin'), Buffer.alloc(600_000, 7));
    for (let i = 0; i < 20; i++) {
      space.write(`notes/${i}.txt`, `changed ${i}\n`);
      space.run('true');
    }
    const old = new Date(Date.now() - 60_000);
    for (let i = 0; i < 30; i++) fs.utimesSync(space.at(`notes/${i}.txt`), old, old);
    space.run('true');
    const before = space.tree();
    const [made] = space.run('rm -r notes large.bin');
    assert.equal(made!.entries.length, 32);
    space.rewind(made!.id);
    assert.deepEqual(space.tree(), before);
  });
});

describe('A command in a folder without Git', () => {
  for (const git of [true, false]) {
    it(`is covered by a walk (${git ? 'no repository' : 'no Git on the machine'})`, () => {
      const space = new CommandWorkspace({ git });
      space.write('a.txt', 'a\n', 0o640);
      space.write('deep/er/b.txt', 'b\n');
      fs.mkdirSync(space.at('empty'));
      space.write('.gitignore', 'out/\n');
      space.write('out/made.o', 'o');
      space.write('node_modules/x/index.js', 'x');
      const before = space.tree();
      const [made] = space.run(
        'echo 1 > a.txt; chmod 600 a.txt; rm -r deep empty; mkdir -p new/er; echo n > new/er/n.txt; echo > node_modules/x/y',
      );
      assert.deepEqual(pathsOf(made), [
        'a.txt',
        'deep',
        'deep/er',
        'deep/er/b.txt',
        'empty',
        'new',
        'new/er',
        'new/er/n.txt',
      ]);
      assert.equal(made!.entries[0]!.provenance, 'before-write');
      fs.rmSync(space.at('node_modules/x/y'));
      space.rewind();
      assert.deepEqual(space.tree(), before);
    });
  }

  it('visits the repositories in it', () => {
    const space = new CommandWorkspace();
    space.write('one/a.txt', 'a\n');
    space.sh('cd one && git init -q && git add . && git commit -qm one');
    const before = space.tree();
    const [made] = space.run('rm one/a.txt; echo n > one/n.txt');
    assert.deepEqual(pathsOf(made), ['one/a.txt', 'one/n.txt']);
    space.rewind();
    assert.deepEqual(space.tree(), before);
  });

  it('leaves out what a person’s rules name, and says so', () => {
    const space = new CommandWorkspace();
    space.write('.checkpointignore', 'secret/\n');
    space.write('secret/key', 'k');
    const [made] = space.run('echo 1 > secret/key; echo n > secret/new');
    assert.deepEqual(made!.entries, []);
    assert.deepEqual(made!.notCovered.map(({ path }) => path).sort(), ['secret/key', 'secret/new']);
  });
});

describe('A sweep that cannot be kept', () => {
  it('in user state is kept in the store, and survives being read by another process', () => {
    const space = new CommandWorkspace({
      ports: {
        fs: {
          ...unflushed,
          mkdirSync: ((file: string, options: object) => {
            if (/state.sweeps/.test(file)) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
            return fs.mkdirSync(file, options);
          }) as typeof fs.mkdirSync,
        },
      },
    });
    space.repository({ 'a.txt': 'a\n' });
    space.write('u.txt', 'u\n');
    const before = space.tree();
    const [made] = space.run('rm a.txt u.txt');
    assert.deepEqual(pathsOf(made), ['a.txt', 'u.txt']);
    space.rewind();
    assert.deepEqual(space.tree(), before);
  });

  it('in a store is not believed without this person’s signature', () => {
    const space = repository();
    space.observer.beforeWrite(space.request('x'));
    const file = `${opens(space)[0]!.folder}/record.json`;
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('a.txt', 'b.txt').replace('"root"', '"root"') + ' ');
    assert.equal(opens(space).length, 0);
  });
});
