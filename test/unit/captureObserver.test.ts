import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { writeSettings, readSettings } from '../../src/core/state/settings';
import { bytesOf, content, entryOf, reasons, workspace } from '../support/captureKit';
import { temporaryRoot } from '../support/ports';

const isRoot = process.getuid?.() === 0;

describe('before a write', () => {
  it('the bytes and the mode are stored, whatever the file holds', () => {
    const kinds: Record<string, Buffer> = {
      'plain.txt': Buffer.from('hello\n'),
      'crlf.txt': Buffer.from('\ufeffa\r\nb\r\n'),
      'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('hé\r\n', 'utf16le')]),
      'binary.bin': Buffer.from([0, 1, 2, 255, 254, 0, 10, 13]),
      empty: Buffer.alloc(0),
      'big.bin': Buffer.alloc(20 * 2 ** 20, 7),
      'with space.txt': Buffer.from('1'),
      'quo"te\'s.txt': Buffer.from('2'),
      'new\nline.txt': Buffer.from('3'),
      'größe-ü-日本.txt': Buffer.from('4'),
    };
    const space = workspace();
    for (const [name, bytes] of Object.entries(kinds)) space.write(name, bytes);
    fs.chmodSync(space.file('plain.txt'), 0o755);
    const { checkpoints, first } = space.observer.beforeWrite(space.request(Object.keys(kinds)));
    assert.equal(first, true);
    const meta = space.newest();
    assert.deepEqual(checkpoints, [{ root: space.root, id: meta.id, fallback: false }]);
    for (const [name, bytes] of Object.entries(kinds)) assert.deepEqual(bytesOf(space, meta, name), bytes);
    const { pre } = entryOf(meta, 'plain.txt');
    assert.equal(pre.type === 'file' && pre.mode, 0o755);
    assert.equal(meta.status, 'pending');
    assert.deepEqual(meta.notCovered, []);
  });

  it('a path that is not there is absent, with the folders that the write will make', () => {
    const space = workspace();
    space.write('there/x', '');
    const request = space.request([{ path: space.file('there/a/b/new.txt'), expected: content('n') }]);
    space.observer.beforeWrite(request);
    assert.deepEqual(
      space.newest().entries.map(({ path: name, pre }) => [name, pre.type]),
      [
        ['there/a', 'absent'],
        ['there/a/b', 'absent'],
        ['there/a/b/new.txt', 'absent'],
      ],
    );
    space.write('there/a/b/new.txt', 'n');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
    assert.deepEqual(
      space.newest().entries.map(({ post }) => post),
      [{ type: 'directory' }, { type: 'directory' }, entryOf(space.newest(), 'there/a/b/new.txt').post],
    );
  });

  it('a file in the way of a folder is captured too', () => {
    const space = workspace();
    space.write('a', 'file');
    space.observer.beforeWrite(space.request([{ path: space.file('a/b'), expected: content('') }]));
    assert.equal(bytesOf(space, space.newest(), 'a').toString(), 'file');
    assert.equal(entryOf(space.newest(), 'a/b').pre.type, 'absent');
  });

  it('nothing happens without a path, or when it is turned off', () => {
    const space = workspace();
    assert.deepEqual(space.observer.beforeWrite(space.request([])), { checkpoints: [], first: true });
    writeSettings(space.ports, { ...readSettings(space.ports), enabled: false });
    assert.deepEqual(space.observer.beforeWrite(space.request(['a'])), { checkpoints: [], first: true });
    assert.ok(!fs.existsSync(space.stores.primary.dir));
  });

  it('unsaved text of an editor is the state before', () => {
    const space = workspace();
    space.write('a', 'on disk');
    const request = space.request([{ path: space.file('a'), unsaved: Buffer.from('typed'), expected: content('x') }]);
    space.observer.beforeWrite(request);
    assert.equal(bytesOf(space, space.newest(), 'a').toString(), 'typed');
    space.observer.abandon(request);
    assert.equal(space.newest().status, 'abandoned');
  });

  it('a manual checkpoint is done at once, also without paths', () => {
    const space = workspace();
    space.write('a', '1');
    space.observer.beforeWrite({ kind: 'manual', cwd: space.root, writes: [{ path: 'a' }], label: 'mine' });
    space.observer.beforeWrite({ kind: 'manual', cwd: space.root, writes: [], label: 'empty' });
    assert.deepEqual(
      space.list().map(({ status, label, entries }) => [status, label, entries.length]),
      [
        ['done', 'empty', 0],
        ['done', 'mine', 1],
      ],
    );
  });
});

describe('links', () => {
  it('are captured with the file they lead to', () => {
    const space = workspace();
    space.write('real.txt', 'old');
    fs.symlinkSync('real.txt', space.file('link'));
    const request = space.request([{ path: space.file('link'), expected: content('new') }]);
    space.observer.beforeWrite(request);
    assert.deepEqual(entryOf(space.newest(), 'link').pre, {
      type: 'symlink',
      target: 'real.txt',
      resolved: 'real.txt',
    });
    assert.equal(bytesOf(space, space.newest(), 'real.txt').toString(), 'old');
    space.write('real.txt', 'new');
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
    assert.equal(bytesOf(space, space.newest(), 'real.txt', 'post').toString(), 'new');
    assert.equal(entryOf(space.newest(), 'link').post?.type, 'symlink');
  });

  it('that lead out of the root are captured, what they lead to is told as not covered', () => {
    const space = workspace();
    const outside = temporaryRoot('outside');
    fs.writeFileSync(path.join(outside, 'secret'), 'secret');
    fs.symlinkSync(path.join(outside, 'secret'), space.file('link'));
    fs.symlinkSync('nowhere', space.file('dangling'));
    fs.symlinkSync('circle', space.file('circle'));
    space.observer.beforeWrite(space.request(['link', 'dangling', 'circle']));
    const meta = space.newest();
    assert.deepEqual(
      meta.entries.map(({ path: name, pre }) => [name, pre.type]),
      [
        ['link', 'symlink'],
        ['dangling', 'symlink'],
        ['nowhere', 'absent'],
        ['circle', 'symlink'],
      ],
    );
    assert.match(reasons(meta).join('\n'), /out of the workspace folder[^]*circle/);
    const stored = path.join(space.stores.primary.checkpoints, meta.id, 'pre');
    assert.deepEqual(fs.readdirSync(stored), ['2-nowhere.absent']);
  });

  it('in the parents are resolved', () => {
    const space = workspace();
    space.write('real/a', '1');
    fs.symlinkSync('real', space.file('alias'));
    fs.symlinkSync(temporaryRoot('outside'), space.file('away'));
    space.observer.beforeWrite(space.request(['alias/a', 'away/b']));
    assert.deepEqual(
      space.newest().entries.map((entry) => entry.path),
      ['real/a'],
    );
    assert.match(reasons(space.newest()).join(), /outside every workspace folder/);
  });

  it('removed by the call leave their file alone', () => {
    const space = workspace();
    space.write('real.txt', 'old');
    fs.symlinkSync('real.txt', space.file('link'));
    const request = space.request([{ path: space.file('link'), expected: { type: 'absent' } }]);
    space.observer.beforeWrite(request);
    fs.unlinkSync(space.file('link'));
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
    assert.equal(entryOf(space.newest(), 'link').post?.type, 'absent');
  });
});

describe('what is not covered', () => {
  it('is named with its reason, and the rest is captured', () => {
    const space = workspace();
    space.write('ok', '1');
    space.write('build/out.js', '1');
    space.write('.checkpointignore', 'build/\n*\n');
    fs.writeFileSync(space.file('large'), '');
    fs.truncateSync(space.file('large'), 101 * 2 ** 20);
    execFileSync('mkfifo', [space.file('pipe')]);
    const long = 'x'.repeat(300);
    space.write('.checkpointignore', 'build/\n');
    const outside = path.join(temporaryRoot('outside'), 'f');
    space.observer.beforeWrite(
      space.request([
        'ok',
        'build/out.js',
        'large',
        'pipe',
        long,
        'n\0ul',
        '.git/config',
        'sub/.GIT /hooks/x',
        '.System_Generated/x',
        { path: outside },
        '.checkpointignore',
      ]),
    );
    const meta = space.newest();
    assert.deepEqual(
      meta.entries.map((entry) => entry.path),
      ['ok', '.checkpointignore'],
    );
    const told = (name: string) => meta.notCovered.find((one) => one.path === name)?.reason;
    assert.match(told('build/out.js')!, /\.checkpointignore/);
    assert.match(told('large')!, /larger than the limit of 104857600 bytes/);
    assert.match(told('pipe')!, /named pipe/);
    assert.match(told(long)!, /too long/);
    assert.match(told('n\0ul')!, /NUL/);
    assert.match(told('.git/config')!, /inside \.git/);
    assert.match(told('sub/.GIT /hooks/x')!, /inside \.git/);
    assert.match(told('.System_Generated/x')!, /inside \.system_generated/);
    assert.ok(reasons(meta).includes(`${outside}: it is outside every workspace folder`));
  });

  it('makes a checkpoint of its own, which the end of the call closes', () => {
    const space = workspace();
    const request = space.request([{ path: '/proc/nothing/here' }]);
    space.observer.beforeWrite(request);
    assert.deepEqual([space.newest().status, space.newest().entries], ['pending', []]);
    space.observer.afterWrite(request);
    assert.equal(space.newest().status, 'done');
  });

  it('is never recorded as absent when it cannot be read', function () {
    if (isRoot) this.skip();
    const space = workspace();
    space.write('locked', 'x');
    fs.chmodSync(space.file('locked'), 0);
    space.observer.beforeWrite(space.request(['locked']));
    assert.equal(entryOf(space.newest(), 'locked').pre.type, 'unreadable');
  });

  it('is never recorded as absent when the system refuses a look', () => {
    const refusing = (call: string, code: string) =>
      new Proxy(fs, {
        get: (target, name) =>
          name === call
            ? (file: string, ...rest: unknown[]) => {
                if (String(file).endsWith('locked')) throw Object.assign(new Error(code), { code });
                return (target as never as Record<string, (...args: unknown[]) => unknown>)[call]!(file, ...rest);
              }
            : Reflect.get(target, name),
      });
    for (const [call, code] of [
      ['lstatSync', 'EACCES'],
      ['lstatSync', 'EIO'],
      ['accessSync', 'EACCES'],
      ['openSync', 'EIO'],
    ] as const) {
      const space = workspace({ fs: refusing(call, code) });
      space.write('locked', 'x');
      space.write('open', 'y');
      space.observer.beforeWrite(space.request(['locked', 'open']));
      const meta = space.newest();
      assert.equal(entryOf(meta, 'locked').pre.type, 'unreadable', call);
      assert.equal(bytesOf(space, meta, 'open').toString(), 'y');
      if (call !== 'openSync') assert.match(reasons(meta).join(), new RegExp(code));
    }
  });
});
