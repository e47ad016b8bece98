import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { writeCheckpoint } from '../../src/core/store/writer';
import { AgentWorkspace, folder } from '../support/agentWorkspace';

describe('restore brings back every kind of path', () => {
  let work: AgentWorkspace;
  beforeEach(() => {
    work = new AgentWorkspace();
  });

  /** The agent makes a change; it is taken back, brought back, and taken back again. */
  function thereAndBack(writes: Parameters<AgentWorkspace['agent']>[0]): void {
    const before = work.tree();
    work.agent(writes, { turn: '1' });
    const after = work.tree();
    assert.notDeepEqual(after, before);
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(work.undo().conflicts, []);
      assert.deepEqual(work.tree(), before);
      assert.deepEqual(work.redo().conflicts, []);
      assert.deepEqual(work.tree(), after);
    }
  }

  it('a deleted file, with its mode', () => {
    work.write('a', { text: Buffer.from([0, 255, 10, 13]), mode: 0o750 });
    thereAndBack({ a: undefined });
  });

  it('an empty file and a name with odd characters', () => {
    const name = 'a "b"\n\té 日本:x\\y';
    work.write(name, '');
    thereAndBack({ [name]: 'text' });
  });

  it('a mode alone', () => {
    work.write('a', { text: 'x', mode: 0o644 });
    const { ino } = fs.statSync(work.at('a'));
    thereAndBack({ a: { text: 'x', mode: 0o755 } });
    assert.equal(fs.statSync(work.at('a')).ino, ino);
  });

  it('a renamed file', () => {
    work.write('old', { text: 'x\n', mode: 0o755 });
    thereAndBack({ new: { text: 'x\n', mode: 0o755 }, old: undefined });
  });

  it('a rename that changes only the case', () => {
    work.write('Readme', 'x\n');
    thereAndBack({ Readme: undefined, readme: 'x\n' });
  });

  it('names that differ only in case or composition, where the file system tells them apart', () => {
    work.write('Ä', '1\n');
    work.write('ä', '2\n');
    work.write('a\u0308', '3\n');
    thereAndBack({ Ä: 'x\n', ä: 'y\n', 'a\u0308': 'z\n' });
  });

  it('a moved folder', () => {
    work.write('from/a', 'a\n');
    work.write('from/sub/b', 'b\n');
    thereAndBack({
      to: folder,
      'to/a': 'a\n',
      'to/sub': folder,
      'to/sub/b': 'b\n',
      'from/sub/b': undefined,
      'from/sub': undefined,
      'from/a': undefined,
      from: undefined,
    });
  });

  it('a file that became a folder', () => {
    work.write('x', 'file\n');
    thereAndBack({ x: folder, 'x/a': 'a\n', 'x/sub': folder, 'x/sub/b': 'b\n' });
  });

  it('a folder that became a file', () => {
    work.write('x/a', 'a\n');
    work.write('x/sub/b', 'b\n');
    thereAndBack({ 'x/a': undefined, 'x/sub/b': undefined, 'x/sub': undefined, x: 'file\n' });
  });

  it('a link that was made, changed, removed, or replaced a file', () => {
    work.write('target', 't\n');
    work.write('changed', { link: 'target' });
    work.write('removed', { link: 'nowhere' });
    work.write('file', 'f\n');
    thereAndBack({
      made: { link: 'target' },
      changed: { link: 'file' },
      removed: undefined,
      file: { link: '/etc/passwd' },
    });
    assert.equal(work.read('target'), 't\n');
  });

  it('a folder that was replaced by a link, without touching what the link leads to', () => {
    work.write('real/a', 'kept\n');
    work.write('dir/a', 'a\n');
    thereAndBack({ 'dir/a': undefined, dir: { link: 'real' } });
    assert.equal(work.read('real/a'), 'kept\n');
  });

  it('an empty folder that the agent made, but not one that has something in it by now', () => {
    thereAndBack({ d: folder, 'd/e': folder });
    work.undo();
    work.agent({ d: folder, 'd/e': folder, 'd/e/own': 'x\n' }, { turn: '2' });
    work.write('d/mine', 'mine\n');
    const outcome = work.undo();
    assert.deepEqual(outcome.unchanged, ['d']);
    assert.deepEqual(Object.keys(work.tree()), ['d', 'd/mine']);
  });

  it('a file with other hard links, written in place', () => {
    work.write('a', 'before, and longer\n');
    fs.linkSync(work.at('a'), work.at('other'));
    const id = work.agent({ a: 'after\n' });
    assert.equal(work.read('other'), 'after\n');
    work.restore(id);
    assert.deepEqual([work.read('a'), work.read('other')], ['before, and longer\n', 'before, and longer\n']);
    assert.equal(fs.statSync(work.at('a')).nlink, 2);
  });

  it('a read-only file', () => {
    work.write('a', { text: 'x\n', mode: 0o444 });
    thereAndBack({ a: undefined });
  });

  it('a file larger than what is read at once', () => {
    work.write('big', Buffer.alloc(5 * 1024 * 1024, 'ab'));
    thereAndBack({ big: Buffer.alloc(6 * 1024 * 1024, 'xyz') });
  });

  it('a name that is not UTF-8', function () {
    if (process.platform !== 'linux') this.skip();
    const name = Buffer.from([0x61, 0xff, 0x62]);
    const at = Buffer.concat([Buffer.from(`${work.root}/`), name]);
    fs.writeFileSync(at, 'after\n');
    const file = (text: string) =>
      ({ type: 'file', mode: 0o644, source: { type: 'bytes', bytes: Buffer.from(text) } }) as const;
    const { id } = writeCheckpoint(work.ports, work.stores.primary, {
      kind: 'command',
      status: 'done',
      agent: { name: 'codex', session: 's' },
      entries: [
        { path: { bytes: name.toString('base64') }, pre: file('before\n'), post: file('after\n'), provenance: 'git' },
      ],
    });
    assert.deepEqual(work.restore(id).restored, ['a\ufffdb']);
    assert.equal(fs.readFileSync(at, 'utf8'), 'before\n');
  });

  it('but conflicts where a person put a file in the place of the folder', () => {
    work.write('d/a', 'a\n');
    const id = work.agent({ 'd/a': undefined, d: undefined });
    work.write('d', 'mine\n');
    const { conflicts } = work.restore(id);
    assert.deepEqual(conflicts.map(({ path }) => path).sort(), ['d', 'd/a']);
    assert.equal(work.read('d'), 'mine\n');
  });

  it('but refuses what was unreadable at the time, and says so', () => {
    work.write('a', 'x\n');
    work.agent({ a: 'y\n' }, { turn: '1' });
    const { id } = writeCheckpoint(work.ports, work.stores.primary, {
      kind: 'edit',
      status: 'done',
      agent: { name: 'claude-code', session: 's1', turn: '2' },
      entries: [
        {
          path: 'b',
          pre: { type: 'unreadable', error: 'EACCES' },
          post: { type: 'absent' },
          provenance: 'before-write',
        },
      ],
    });
    assert.match(work.restore(id).skipped[0]!.reason, /could not be read at the time/);
    // Nor does it stand in the way of the turns before.
    work.undo();
    assert.equal(work.read('a'), 'x\n');
  });

  it('but never opens a pipe that took the place of a file', function () {
    if (process.platform === 'win32') this.skip();
    work.write('a', 'x\n');
    const id = work.agent({ a: 'y\n' });
    fs.unlinkSync(work.at('a'));
    execFileSync('mkfifo', [work.at('a')]);
    assert.match(work.restore(id, 'checkpoint', { onConflict: 'overwrite' }).skipped[0]!.reason, /no regular file/);
    assert.ok(fs.lstatSync(work.at('a')).isFIFO());
  });
});
