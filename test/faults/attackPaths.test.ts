// Paths that were made to harm, in records and in what an agent says it writes.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { protectedIn } from '../../src/core/capture/protectedNames';
import { planRestore } from '../../src/core/restore/restore';
import { refusalOf } from '../../src/core/restore/safePath';
import { Attacked, entry, evilId, longAttacks, metaOf, nothing } from '../support/attackKit';

const b64 = (latin1: string) => ({ bytes: Buffer.from(latin1, 'latin1').toString('base64') });

/** Refused in a record of a stranger, on every system. */
const refused: Record<string, unknown[]> = {
  'leave the root': ['..', '../x', 'a/../../x', '../root/../outside/x', 'a/..', './x', 'a/./b', '.'],
  'are absolute': ['/etc/passwd', '//x', '/', 'C:\\x', 'c:/x', 'C:', '\\x', '\\\\server\\share\\x', '\\\\?\\C:\\x'],
  'name a stream or a drive': ['a:b', 'a.txt::$DATA', 'sub:x/y'],
  'hide a separator': ['..\\x', 'a\\..\\..\\x', 'a\\b'],
  'have an empty component': ['', 'a//b', 'a/', '/a', '//'],
  'end with a dot or a blank': ['a.', 'a ', 'sub./x', 'sub /x', '...', '. .'],
  'hold a NUL': ['a\0', '\0', '\0../x', '\0\u012e\u012e\u012f', '\0\u00e9', 'a/\0/b'],
  'name a device': ['CON', 'nul', 'aux.txt', 'sub/PRN', 'COM1.log', 'lpt9', 'CONIN$', 'com¹', 'nul .txt'],
  'are too long': ['x'.repeat(256), `${'x'.repeat(200)}/`.repeat(21) + 'x', 'é'.repeat(200)],
  'are Git’s, in any spelling': [
    ...['.git', '.git/config', 'sub/.git/hooks/pre-commit', '.GIT/config', '.Git', '.git ', '.git.', '.git . .'],
    ...['git~1', 'GIT~1/config', '.git:x', '.git::$INDEX_ALLOCATION/config', '.g\u200cit/config', '.gi\u200et'],
    ...['\ufeff.git', '.git\u206f', '．git', '.ｇｉｔ/config', 'a/b/c/.git/x'],
  ],
  'are the store’s, in any spelling': [
    ...['.system_generated', '.system_generated/checkpoints/x/meta.json', 'sub/.SYSTEM_GENERATED/x'],
    ...['.system_generated.', '.system_generated ', 'SYSTEM~1', 'system~4/x', 'SY1A2B~1', '.sys\u200dtem_generated'],
  ],
  'hide in bytes': [
    ...[
      b64('..'),
      b64('../x'),
      b64('/etc/x'),
      b64('\xff/../../x'),
      b64('\xff//x'),
      b64('\xff\0x'),
      b64('.git\xff/../x'),
    ],
    ...[b64(''), b64('plain'), b64('\xff/.git/config'), b64('\xff/.system_generated/x')],
  ],
  'are no text': ['\ud800', 'a/\udfff'],
};

describe('a path in a stranger’s record', () => {
  for (const [what, paths] of Object.entries(refused)) {
    it(`is refused with a reason: those that ${what}`, () => {
      const area = new Attacked();
      area.write('a.txt', 'own\n');
      fs.mkdirSync(area.at('.git'));
      for (const [n, name] of paths.entries()) {
        const kinds = [
          [undefined, nothing],
          [nothing, undefined],
          [{ type: 'directory' }, nothing],
          [{ type: 'symlink', target: 'x' }, nothing],
        ];
        for (const [pre, post] of kinds.filter((_, i) => longAttacks || i === n % kinds.length)) {
          area.plant(metaOf([entry(name, pre, post)]));
          // It may be seen, with all that it says.
          const { ids, damaged } = area.list();
          const told = area.refusable(() => {
            const outcome = area.restore();
            assert.deepEqual([outcome.guard, outcome.restored, outcome.deleted], [null, [], []], JSON.stringify(name));
            assert.ok(outcome.skipped[0]!.reason.length > 10, JSON.stringify(outcome));
          });
          assert.ok(ids.includes(evilId) ? told === '' : damaged.length === 1, `${JSON.stringify(name)}: ${told}`);
        }
      }
      assert.deepEqual(fs.readdirSync(area.root).sort(), ['.git', '.system_generated', 'a.txt']);
      assert.deepEqual(fs.readdirSync(area.at('.git')), []);
      area.verify();
    });
  }

  it('is refused with the others that are the same file: twins, and names twice', () => {
    const area = new Attacked();
    for (const names of [
      ['a', 'A'],
      ['é', 'e\u0301'],
      ['straße', 'STRASSE'],
      ['a', 'a'],
      ['sub/a', 'SUB/a'],
    ]) {
      area.plant(metaOf(names.map((name) => entry(name))));
      const { restored, skipped } = area.restore();
      assert.deepEqual(restored, [], names.join());
      assert.ok(skipped.length > 0);
    }
    area.verify();
  });

  it('does not lead through a link among its folders, to where it would be written, made, linked or removed', () => {
    const area = new Attacked();
    fs.symlinkSync(area.outside, area.at('sub'));
    fs.symlinkSync('../outside', area.at('up'));
    for (const parent of ['sub', 'up', 'sub/checkpoints']) {
      for (const [pre, post] of [
        [undefined, nothing],
        [nothing, { type: 'file', sha256: 'a'.repeat(64), size: 1, mode: 0o644, blob: 'post/0-x' }],
        [{ type: 'directory' }, nothing],
        [nothing, { type: 'directory' }],
        [{ type: 'symlink', target: 'x' }, nothing],
      ]) {
        for (const name of ['x', 'new', 'checkpoints', 'link', 'pipe', 'deep/new']) {
          area.plant(metaOf([entry(`${parent}/${name}`, pre, post)]));
          const { restored, deleted, skipped } = area.restore();
          assert.deepEqual([restored, deleted], [[], []]);
          assert.match(skipped[0]!.reason, /leads out of the workspace/);
        }
      }
    }
    area.verify();
  });

  it('as a link is replaced, removed or made as a link, and never followed', () => {
    const area = new Attacked();
    const target = path.join(area.outside, 'secret');
    fs.symlinkSync(target, area.at('write'));
    fs.symlinkSync(target, area.at('remove'));
    fs.symlinkSync(area.outside, area.at('folder'));
    const link = { type: 'symlink', target };
    area.plant(
      metaOf([
        entry('write', undefined, link),
        entry('remove', nothing, link),
        entry('folder', { type: 'directory' }, { type: 'symlink', target: area.outside }),
        entry('folder/made', nothing, nothing),
        entry('make', link, nothing),
        entry('make/x', undefined, nothing),
      ]),
    );
    area.restore();
    assert.equal(fs.readlinkSync(area.at('make')), target, 'its target may be anywhere: it is only text');
    assert.equal(fs.readFileSync(area.at('write'), 'utf8'), 'evil\n');
    assert.equal(fs.lstatSync(area.at('remove'), { throwIfNoEntry: false }), undefined);
    area.verify();
  });

  it('of a link has a target that a link can have, or only that path is refused', () => {
    const area = new Attacked();
    for (const target of ['', 'a\0b', 'x'.repeat(4096), '\ud800']) {
      area.plant(metaOf([entry('good'), entry('bad', { type: 'symlink', target })]));
      const { restored, skipped } = area.restore();
      assert.deepEqual(restored, ['good'], JSON.stringify(target).slice(0, 40));
      assert.match(skipped[0]!.reason, /no path/);
      fs.rmSync(area.at('good'));
    }
    area.verify();
  });

  it('reads no pipe, device or link to them where they are in its place', () => {
    const area = new Attacked();
    fs.linkSync(path.join(area.outside, 'pipe'), area.at('pipe'));
    fs.symlinkSync('/dev/zero', area.at('zero'));
    fs.symlinkSync(path.join(area.outside, 'pipe'), area.at('link'));
    for (const post of [nothing, { type: 'file', sha256: 'a'.repeat(64), size: 1, mode: 0o644, blob: 'post/0-x' }]) {
      area.plant(metaOf(['pipe', 'zero', 'link'].map((name) => entry(name, undefined, post))));
      const steps = planRestore(
        area.ports,
        area.root,
        { mode: 'checkpoint', id: evilId },
        { foreign: true, onConflict: 'merge' },
      ).steps;
      assert.equal(steps.find(({ path: name }) => name === 'pipe')!.action, 'refused');
    }
    area.verify();
  });

  it('is judged by the rules of Windows there, whoever recorded it', () => {
    for (const name of ['a:b', 'CON', 'a.', 'a\\b', 'x?', 'nul.txt', 'sub/com1']) {
      assert.notEqual(refusalOf(name, { windows: true, foreign: false }), undefined, name);
      assert.equal(refusalOf(name, { windows: false, foreign: false }), undefined, name);
    }
    assert.equal(protectedIn('a/.GIT /x'), '.git');
  });
});

describe('a path that an agent names', () => {
  it('is captured inside the root only, and a harmful one stops nobody', () => {
    const area = new Attacked();
    area.write('a.txt', 'one\n');
    fs.symlinkSync(area.outside, area.at('sub'));
    fs.symlinkSync(path.join(area.outside, 'secret'), area.at('link'));
    fs.linkSync(path.join(area.outside, 'pipe'), area.at('pipe'));
    fs.mkdirSync(area.at('.git'));
    const named = [
      ...['../outside/secret', 'sub/secret', 'sub/../secret', 'link', 'pipe', '.git/config', '.GIT/x', 'a\0b'],
      ...[
        '.system_generated/checkpoints/x',
        'x'.repeat(300),
        'x/'.repeat(3000),
        '\ud800',
        'new\nline',
        '\u001b[2J',
        '',
      ],
      ...['sub/checkpoints', '../outside', 'a.txt/below', '/etc/passwd', '/dev/zero', '/proc/self/environ', '/'],
    ];
    const kinds = [undefined, { type: 'absent' as const }, { type: 'directory' as const }];
    for (const [n, name] of named.entries()) {
      for (const expected of kinds.filter((_, i) => longAttacks || i === n % kinds.length)) {
        const write = { path: name.startsWith('/') ? name : `${area.root}/${name}`, ...(expected && { expected }) };
        const request = area.request([write, { path: area.at('a.txt') }]);
        const { checkpoints } = createObserver(area.ports).beforeWrite(request);
        createObserver(area.ports).afterWrite(request);
        assert.ok(
          checkpoints.some(({ root }) => root === area.root),
          JSON.stringify(name),
        );
        assert.ok(area.list().checkpoints[0]!.entries.some(({ path: each }) => each === 'a.txt'));
      }
    }
    for (const { entries } of area.list().checkpoints) {
      for (const { path: each } of entries)
        assert.equal(refusalOf(each, { windows: false, foreign: false }), undefined);
    }
    area.verify();
  });
});
