import assert from 'node:assert/strict';
import { canonical, derive, matches, outcomes } from '../../src/core/capture/expected';
import { fingerprints, isOneOf, record } from '../../src/core/capture/recorded';
import type { Expected } from '../../src/core/capture/request';

const edits = (...pairs: [string, string, boolean?][]): Expected => ({
  type: 'edits',
  edits: pairs.map(([oldText, newText, all]) => ({ oldText, newText, ...(all !== undefined && { all }) })),
});
const patch = (...lines: string[]): Expected => ({ type: 'patch', lines });
const after = (pre: string | undefined, expected: Expected) =>
  derive(pre === undefined ? undefined : Buffer.from(pre), expected)?.toString();

describe('the bytes a tool call leaves', () => {
  it('are the content that is written', () => {
    assert.equal(after('old', { type: 'content', text: 'new\r\n' }), 'new\n');
    assert.equal(derive(undefined, { type: 'absent' }), 'absent');
    assert.equal(derive(undefined, { type: 'directory' }), 'directory');
  });

  it('are each edit on the result of the one before, one place or all', () => {
    assert.equal(after('a b a', edits(['a', 'b'], ['b b', 'c'])), 'c a');
    assert.equal(after('a b a', edits(['a', '$&$1', true])), '$&$1 b $&$1');
  });

  it('are not derivable where the text to replace is not there', () => {
    assert.equal(after('abc', edits(['x', 'y'])), undefined);
    assert.equal(after('abc', edits(['', 'y'])), undefined);
    assert.equal(after(undefined, edits(['', 'new'])), 'new');
  });

  it('may lose a line with the text removed, as some tools do', () => {
    const possible = outcomes(Buffer.from('a\nb\nc\n'), edits(['b', '']));
    assert.deepEqual(possible.map(String), ['a\n\nc\n', 'a\nc\n']);
  });

  it('follow a patch, found as leniently as the tools do', () => {
    assert.equal(after('one\ntwo\nthree\n', patch('@@', ' one', '-two', '+2', ' three')), 'one\n2\nthree\n');
    assert.equal(after('f()\n  x\ng()\n  x\n', patch('@@ g()', '-  x', '+  y')), 'f()\n  x\ng()\n  y\n');
    assert.equal(after('a  \nb\n', patch(' a', '-b', '+c')), 'a\nc\n');
    assert.equal(after('x\ny\nx\n', patch('@@', '-x', '+z', '*** End of File')), 'x\ny\nz\n');
    assert.equal(after('a\nb\nc\nd\n', patch('@@', '-a', '+A', '@@', '-d', '+D')), 'A\nb\nc\nD\n');
    assert.equal(after(undefined, patch('+one', '+two')), 'one\ntwo');
  });

  it('are not derivable from a patch without a certain place', () => {
    assert.equal(after('a\n', patch('@@', '-zzz', '+b')), undefined);
    assert.equal(after('a\n', patch('@@', '+b')), undefined);
    assert.equal(after('a\n', patch('no prefix')), undefined);
  });

  it('are recognised through line ends, byte order marks, UTF-16 and an added final newline', () => {
    const derived = derive(Buffer.from('\ufeffa\r\nb\r\n'), edits(['a', 'x']))!;
    assert.ok(matches(Buffer.from('\ufeffx\r\nb\r\n'), derived));
    assert.ok(matches(Buffer.from('x\nb\n'), derived));
    assert.ok(matches(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('x\r\nb\r\n', 'utf16le')]), derived));
    const bigEndian = Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('x\nb\n', 'utf16le').swap16()]);
    assert.ok(matches(bigEndian, derived));
    assert.ok(!matches(Buffer.from('x\nb'), derived), 'a newline that is gone was a person');
    assert.ok(!matches(Buffer.from('x\nb\n\n'), derived));
    assert.ok(matches(Buffer.from('x\n'), derive(undefined, { type: 'content', text: 'x' })!));
    assert.ok(!matches('absent', derived));
    assert.ok(matches('absent', 'absent'));
  });

  it('are found in files of an unknown encoding', () => {
    const pre = Buffer.from([0xc4, 0xe3, 0x0a, 0x61, 0x0a]);
    const derived = derive(pre, edits(['a', 'b']))!;
    assert.ok(matches(Buffer.from([0xc4, 0xe3, 0x0a, 0x62, 0x0a]), derived));
  });

  it('keep a lone carriage return and an odd UTF-16 file as they are', () => {
    assert.equal(canonical(Buffer.from('a\rb')).toString(), 'a\rb');
    const odd = Buffer.from([0xff, 0xfe, 0x61]);
    assert.deepEqual(canonical(odd), odd);
  });

  it('are remembered by hash, with the same answers', () => {
    const never = () => assert.fail('the bytes before are not needed');
    const recorded = record({ type: 'content', text: 'x\n'.repeat(300_000) }, never);
    assert.ok(JSON.stringify(recorded).length < 300);
    assert.ok(isOneOf(Buffer.from('x\r\n'.repeat(300_000)), fingerprints(recorded, never)));
    assert.ok(!isOneOf(Buffer.from('x\r\n'.repeat(300_001)), fingerprints(recorded, never)));
    const big = record(edits(['a'.repeat(300_000), 'b']), () => Buffer.from('a'.repeat(300_000)));
    assert.equal(big?.type, 'prints');
    assert.ok(isOneOf(Buffer.from('b'), fingerprints(big, never)));
    assert.ok(isOneOf(Buffer.from('b\n'), fingerprints(big, never)));
    assert.ok(!isOneOf(Buffer.from('c\n'), fingerprints(big, never)));
  });
});
