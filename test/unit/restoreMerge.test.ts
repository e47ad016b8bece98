import assert from 'node:assert/strict';
import { mergeBytes } from '../../src/core/restore/merge';

const merge = (base: string | Buffer, ours: string | Buffer, theirs: string | Buffer) => {
  const result = mergeBytes(Buffer.from(base), Buffer.from(ours), Buffer.from(theirs));
  return result.type === 'clean' ? result.bytes.toString('latin1') : result;
};

const conflict = (base: string | Buffer, ours: string | Buffer, theirs: string | Buffer) => {
  const result = merge(base, ours, theirs);
  assert.equal(typeof result, 'object');
  return (result as { reason: string }).reason;
};

describe('three-way merge', () => {
  it('takes changes of both sides that do not touch', () => {
    assert.equal(merge('a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n'), 'A\nb\nc\nd\nE\n');
    assert.equal(merge('a\nb\nc\nd\n', 'a\nx\nb\nc\nd\n', 'a\nb\nc\n'), 'a\nx\nb\nc\n');
  });

  it('takes a change that both made once', () => {
    assert.equal(merge('a\nb\nc\n', 'a\nX\nc\n', 'a\nX\nc\n'), 'a\nX\nc\n');
  });

  it('keeps line ends, missing final newlines and every byte as they are', () => {
    assert.equal(merge('a\r\nb\r\nc\r\nd', 'A\r\nb\r\nc\r\nd', 'a\r\nb\r\nc\r\nD'), 'A\r\nb\r\nc\r\nD');
    assert.equal(merge('a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nd\n'), 'A\nb\nc\nd\n');
    const bytes = (...lines: number[]) => Buffer.from(lines.flatMap((byte) => [byte, 0x0a]));
    const merged = mergeBytes(bytes(0xe9, 0x80, 0xff), bytes(0xe8, 0x80, 0xff), bytes(0xe9, 0x80, 0xfe));
    assert.deepEqual(merged.type === 'clean' && merged.bytes, bytes(0xe8, 0x80, 0xfe));
  });

  it('is a conflict where changes overlap or touch', () => {
    assert.match(conflict('a\nb\nc\n', 'a\nX\nc\n', 'a\nY\nc\n'), /same lines/);
    conflict('a\nb\nc\n', 'a\nX\nc\n', 'a\nb\nY\n');
    conflict('a\n', 'a\nx\n', 'a\ny\n');
    conflict('', 'x\n', 'y\n');
  });

  it('is a conflict for binary and UTF-16 files', () => {
    assert.match(conflict('a\0\nb\n', 'a\0\nb\nc\n', 'x\0\nb\n'), /binary/);
    const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
    assert.match(conflict(utf16('a\nb\nc\n'), utf16('A\nb\nc\n'), utf16('a\nb\nC\n')), /UTF-16/);
  });

  it('handles large files with small edits, names like object members, and gives up where it would take long', () => {
    const line = (_: unknown, i: number) => `line ${i}`;
    const base = Array.from({ length: 200_000 }, line);
    const [ours, theirs] = [[...base], [...base]];
    ours[10] = 'ours';
    theirs[199_000] = 'theirs';
    const text = (all: string[]) => `${all.join('\n')}\n`;
    const merged = merge(text(base), text(ours), text(theirs));
    const both = [...ours];
    both[199_000] = 'theirs';
    assert.equal(merged, text(both));
    assert.equal(merge('__proto__\nb\nconstructor\n', '__proto__\nb\nX\n', 'Y\nb\nconstructor\n'), 'Y\nb\nX\n');
    const noise = (seed: number) => text(base.map((_, i) => `${(i * seed) % 977}`));
    assert.match(conflict(noise(3), noise(5), noise(7)), /too large/);
  });
});
