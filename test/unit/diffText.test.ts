import assert from 'node:assert/strict';
import { applyPatch, formatPatch, structuredPatch } from 'diff';
import { unifiedPatch } from '../../src/core/diff/patch';
import { diffStats } from '../../src/core/diff/stats';
import { decodeText } from '../../src/core/diff/text';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const binary = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0, 1, 2, 3]);

describe('telling text from binary', () => {
  it('knows the encodings by mark and by form', () => {
    const cases: [Buffer, string | undefined, string?][] = [
      [Buffer.from(''), 'utf-8', ''],
      [Buffer.from('naïve\r\n'), 'utf-8', 'naïve\r\n'],
      [Buffer.from('\ufeffx'), 'utf-8-bom', 'x'],
      [Buffer.from('\ufeffhé', 'utf16le'), 'utf-16le', 'hé'],
      [utf16be('\ufeffhé'), 'utf-16be', 'hé'],
      [Buffer.from('no mark here', 'utf16le'), 'utf-16le', 'no mark here'],
      [utf16be('no mark here'), 'utf-16be', 'no mark here'],
      [Buffer.from('caf\xe9\n', 'latin1'), 'latin1', 'café\n'],
      [binary, undefined],
      [Buffer.from([0xff, 0xfe, 0x41]), undefined],
      [Buffer.from([1, 2, 3, 4, 0xff, 0xd8]), undefined],
    ];
    for (const [bytes, encoding, text] of cases) {
      const found = decodeText(bytes);
      assert.equal(found?.encoding, encoding, bytes.toString('hex'));
      if (text !== undefined) assert.equal(found?.text, text);
    }
  });
});

describe('counting changed lines', () => {
  const count = (pre: string | Buffer, post: string | Buffer) => {
    const { added, removed, binary: isBinary } = diffStats(Buffer.from(pre), Buffer.from(post));
    return isBinary ? 'binary' : `+${added} -${removed}`;
  };

  it('counts lines, created and deleted files and changed line ends', () => {
    assert.equal(count('a\nb\nc\n', 'a\nB\nc\nd\n'), '+2 -1');
    assert.equal(count('', 'a\nb'), '+2 -0');
    assert.equal(count('a\n', ''), '+0 -1');
    assert.equal(count('a\nb\n', 'a\r\nb\r\n'), '+2 -2');
    assert.equal(count('a\nb\n', 'a\nb\n'), '+0 -0');
    assert.equal(count(Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('\ufeffa\nc\n', 'utf16le')), '+1 -1');
    assert.equal(count(binary, 'a'), 'binary');
    assert.equal(count(binary, binary), '+0 -0');
  });

  it('ends in time for large files without a common line', () => {
    const lines = (seed: number) => Array.from({ length: 60_000 }, (_, i) => `${i * seed} ${seed}\n`).join('');
    const start = performance.now();
    assert.equal(count(lines(3), lines(7)), '+60000 -60000');
    assert(performance.now() - start < 10_000);
  });
});

describe('a small change of a large file', () => {
  const large = 'one line of many, and each is as long as this one\n'.repeat(420_000);

  it('is counted and shown in no more time than it takes to read the file', () => {
    const [pre, post] = [Buffer.from(large), Buffer.from(`${large}two\nmore\n`)];
    const start = performance.now();
    assert.deepEqual(diffStats(pre, post), { added: 2, removed: 0, binary: false });
    const patch = unifiedPatch('f', pre, post, { context: 1 })!;
    assert.match(patch, /\n@@ -420000,1 \+420000,3 @@\n one line[^\n]*\n\+two\n\+more\n$/);
    assert(performance.now() - start < 20_000);
  });
});

describe('leaving equal lines away', () => {
  it('leaves a patch that does the same, and is no longer, wherever the change is', () => {
    const lines = (text: string) => [...text].map((char) => `${char}\n`).join('');
    const cases = [
      '',
      'a',
      'abc',
      'abcdefghij',
      'abcdefghijj',
      'xabcdefghij',
      'abcdeefghij',
      'jihgfedcba',
      'aaaa',
      'aa',
    ];
    for (const from of cases) {
      for (const to of cases) {
        for (const end of ['', 'no line break']) {
          const [pre, post] = [lines(from) + end, `${lines(to)}${end && `${end}!`}`];
          if (pre === post) continue;
          for (const context of [0, 1, 3]) {
            const whole = formatPatch(structuredPatch('a/f', 'b/f', pre, post, undefined, undefined, { context }));
            const found = unifiedPatch('f', Buffer.from(pre), Buffer.from(post), { context });
            assert.equal(applyPatch(pre, found!), post, `${from} to ${to}: ${found}`);
            assert.ok(found!.split('\n').length <= whole.split('\n').length, `${whole}\n${found}`);
          }
        }
      }
    }
  });
});

describe('a patch', () => {
  it('shows the changed lines with context', () => {
    const pre = Buffer.from('1\n2\n3\n4\n5\n6\n7\n');
    const post = Buffer.from('1\n2\n3\nfour\n5\n6\n7\n');
    assert.equal(
      unifiedPatch('dir/f', pre, post, { context: 1 })?.replace(/^=+\n/, ''),
      '--- a/dir/f\n+++ b/dir/f\n@@ -3,3 +3,3 @@\n 3\n-4\n+four\n 5\n',
    );
  });

  it('names an absent side, and is not made for binary or too large content', () => {
    assert.match(unifiedPatch('f', undefined, Buffer.from('x\n'))!, /--- \/dev\/null\n\+\+\+ b\/f\n/);
    assert.match(unifiedPatch('f', Buffer.from('x'), undefined)!, /-x\n\\ No newline at end of file/);
    assert.equal(unifiedPatch('f', binary, Buffer.from('x')), undefined);
    assert.equal(unifiedPatch('f', Buffer.from('x'), Buffer.from('yy'), { maxBytes: 2 }), undefined);
  });
});
