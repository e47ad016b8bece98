// A person saves in an editor while an agent's command runs: that is the person's, not the command's.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { notePersonSave, seenAt } from '../../src/core/capture/personSaves';
import { CommandWorkspace, pathsOf } from '../support/sweepKit';

function repository(): CommandWorkspace {
  const space = new CommandWorkspace();
  space.repository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  return space;
}

/** As the editor does it: looks before, writes, looks again. */
function personDoes(space: CommandWorkspace, name: string, act: () => void): void {
  const before = seenAt(space.ports, space.at(name));
  act();
  notePersonSave(space.ports, space.root, name, before, seenAt(space.ports, space.at(name)));
}

const personSaves = (space: CommandWorkspace, name: string, text: string) =>
  personDoes(space, name, () => space.write(name, text));

const notes = (space: CommandWorkspace) => {
  const folder = path.join(space.ports.stateDir, 'saves');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};

describe("A person's saves during a command", () => {
  it('are not booked as the command’s, and forgotten when it is over', () => {
    const space = repository();
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    space.write('b.txt', 'by the command\n');
    personSaves(space, 'a.txt', 'by the person\n');
    personSaves(space, 'new.txt', 'made by the person\n');
    assert.equal(notes(space).length, 1);
    space.observer.afterWrite(request);
    assert.deepEqual(space.list().map(pathsOf), [['b.txt']]);
    assert.deepEqual(notes(space), []);
    space.rewind();
    assert.deepEqual(
      ['a.txt', 'b.txt', 'new.txt'].map((name) => space.read(name)),
      ['by the person\n', 'b\n', 'made by the person\n'],
    );
  });

  it('stay apart from what the command did to the same path before and after', () => {
    const space = repository();
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    space.write('a.txt', 'command 1\n');
    personSaves(space, 'a.txt', 'person\n');
    space.write('a.txt', 'command 2\n');
    space.observer.afterWrite(request);
    const [tail, head] = space.list();
    assert.deepEqual([pathsOf(tail), pathsOf(head)], [['a.txt'], ['a.txt']]);
    assert.ok(tail!.group !== undefined && tail!.group === head!.group);
    const bytes = (id: string, side: string) => {
      const folder = path.join(space.root, '.system_generated', 'checkpoints', id, side);
      return fs.readFileSync(path.join(folder, fs.readdirSync(folder)[0]!), 'utf8');
    };
    assert.deepEqual(
      [bytes(head!.id, 'pre'), bytes(head!.id, 'post'), bytes(tail!.id, 'pre'), bytes(tail!.id, 'post')],
      ['a\n', 'command 1\n', 'person\n', 'command 2\n'],
    );
    // The person wrote in between: taking the command back is a conflict, and nothing is lost.
    const outcome = space.rewind();
    assert.deepEqual(
      outcome.conflicts.map(({ path: name }) => name),
      ['a.txt'],
    );
    assert.equal(space.read('a.txt'), 'command 2\n');
  });

  it('keep what the person removed from being brought back', () => {
    const space = repository();
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    personDoes(space, 'a.txt', () => fs.rmSync(space.at('a.txt')));
    space.write('b.txt', 'by the command\n');
    space.observer.afterWrite(request);
    space.rewind();
    assert.equal(fs.existsSync(space.at('a.txt')), false);
    assert.equal(space.read('b.txt'), 'b\n');
  });

  it('leave a file out, and say so, where it is too large to tell apart', () => {
    const space = repository();
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    personSaves(space, 'a.txt', 'x'.repeat(6 * 2 ** 20));
    space.observer.afterWrite(request);
    const [checkpoint] = space.list();
    assert.deepEqual(pathsOf(checkpoint), []);
    assert.match(checkpoint!.notCovered[0]!.reason, /saved in the editor while the command ran/);
  });

  it('of before the command, and of no change, do not count', () => {
    const space = repository();
    const now = Date.now();
    const earlier = new CommandWorkspace({ ports: { stateDir: space.ports.stateDir, now: () => now - 60_000 } });
    notePersonSave(earlier.ports, space.root, 'a.txt', { type: 'absent' }, seenAt(space.ports, space.at('a.txt')));
    const [checkpoint] = space.run('echo command > a.txt');
    assert.deepEqual(pathsOf(checkpoint), ['a.txt']);
    const request = space.request('slow');
    space.observer.beforeWrite(request);
    personSaves(space, 'b.txt', 'b\n');
    assert.deepEqual(notes(space), []);
    space.observer.afterWrite(request);
  });
});
