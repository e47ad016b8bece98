import assert from 'node:assert/strict';
import { refusalOf, twinKey } from '../../src/core/restore/safePath';

const everywhere = { windows: false, foreign: false };
const onWindows = { windows: true, foreign: false };
const fromStranger = { windows: false, foreign: true };

const b64 = (...bytes: number[]) => ({ bytes: Buffer.from(bytes).toString('base64') });

describe('paths that a restore may touch', () => {
  it('are plain relative ones, with any name that the system allows', () => {
    for (const path of [
      'a',
      'a/b/c.txt',
      '.gitignore',
      '.github/x',
      'git',
      'a b',
      "it's",
      'a\nb',
      'é/日本',
      '…',
      '.a',
    ]) {
      for (const rules of [everywhere, onWindows, fromStranger]) {
        if (path === 'a\nb' && rules !== everywhere) continue;
        assert.equal(refusalOf(path, rules), undefined, path);
      }
    }
    for (const path of ['a:b', 'aux.c', 'NUL', 'a\\b', 'trailing.', 'trailing ', 'x?', 'a|b']) {
      assert.equal(refusalOf(path, everywhere), undefined, path);
    }
    assert.equal(refusalOf(b64(0x61, 0xff), everywhere), undefined);
  });

  const refused: [string, (string | { bytes: string })[]][] = [
    ['empty, or with empty components', ['', '/', 'a//b', 'a/', '/a']],
    ['absolute', ['/etc/passwd', '//server/share', 'C:/x', 'c:\\x', 'C:', '\\\\server\\share', '\\\\?\\C:\\x', '\\x']],
    ['with dots that lead elsewhere', ['..', '../x', 'a/../../x', 'a/..', '.', './a', 'a/./b']],
    ['with a NUL', ['a\0', 'a\0/../x', b64(0x61, 0)]],
    ['too long', ['x'.repeat(256), `${'a/'.repeat(2100)}b`, `a/${'é'.repeat(128)}`]],
    ['wrongly encoded', ['\ud800', b64(0x61, 0x62), { bytes: Buffer.from('../x').toString('base64') }]],
    [
      'in Git’s folder, in any spelling',
      [
        '.git',
        '.git/config',
        'sub/.git/hooks/post-checkout',
        '.GIT/config',
        '.gIt',
        '.git.',
        '.git ',
        '.git. . /x',
        'GIT~1/config',
        'git~1',
        '.git::$INDEX_ALLOCATION/config',
        '.git:x',
        '.g\u200cit/config',
        '.gi\u200et',
        '.gi\ufefft',
        '\u200d.git',
        '.git\u202e',
        '.git\u206f/x',
        '．ｇｉｔ/config',
        '.ｇit',
      ],
    ],
    [
      'in a store, in any spelling',
      [
        '.system_generated',
        '.system_generated/checkpoints/x/meta.json',
        'sub/.SYSTEM_Generated/x',
        '.system_generated.',
        '.system_generated ',
        'SYSTEM~1/x',
        'system~4',
        'SY1A2B~1/x',
        '.system\u200c_generated',
        '.system_generated:x',
      ],
    ],
  ];
  for (const [what, paths] of refused) {
    it(`are not ${what}`, () => {
      for (const path of paths) {
        for (const rules of [everywhere, onWindows, fromStranger]) {
          assert.notEqual(refusalOf(path, rules), undefined, JSON.stringify(path));
        }
      }
    });
  }

  it('are not what Windows takes for something else, there or from a stranger’s store', () => {
    const paths = [
      'a:b',
      'a/b:c/d',
      'a\\b',
      '..\\x',
      'CON',
      'con.txt',
      'a/NUL',
      'aux.tar.gz',
      'COM1',
      'com¹',
      'LPT9.x',
      'CONIN$',
      'prn .txt',
      'a.',
      'a ',
      'a./b',
      'x?',
      'x*',
      'a|b',
      'a<b',
      'a\tb',
    ];
    for (const path of paths) {
      for (const rules of [onWindows, fromStranger]) {
        assert.notEqual(refusalOf(path, rules), undefined, JSON.stringify(path));
      }
    }
    for (const path of ['console', 'com10', 'auxiliary.c', 'nul_', 'lpt']) {
      assert.equal(refusalOf(path, onWindows), undefined, path);
    }
  });

  it('are twins where only case, width or composition differ', () => {
    assert.equal(twinKey('README'), twinKey('readme'));
    assert.equal(twinKey('é'), twinKey('e\u0301'));
    assert.equal(twinKey('ﬁ'), twinKey('FI'));
    assert.equal(twinKey('straße'), twinKey('STRASSE'));
    assert.notEqual(twinKey('a'), twinKey('b'));
  });
});
