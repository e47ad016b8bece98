import assert from 'node:assert/strict';
import { hunksBetween } from '../../src/core/restore/hunks';
import { hunkAt, standingIn, textPart, type TextPart } from '../../src/host/peek/hunkText';

const utf8 = (lines: readonly string[]) =>
  Buffer.from(lines.join(''), 'latin1')
    .toString('utf8')
    .replace(/^\ufeff/, '');

function partOf(before: string, after: string): TextPart {
  const found = hunksBetween(Buffer.from(before), Buffer.from(after));
  assert.ok(typeof found !== 'string');
  const old = found.hunks.map(({ oldLines }) => utf8(oldLines));
  const part = textPart(0, found, { post: utf8(found.post), old });
  assert.ok(part);
  return part;
}

const places = (part: TextPart, text: string) =>
  standingIn([part], text)!.map(({ index, line, count }) => [index, line, count]);

describe('the changes of an agent in the text of an editor', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\n';
  const after = 'ONE\ntwo\nthree\nfour\nmore\nfive\n';
  const part = partOf(before, after);

  it('are at their lines, with the lines from before', () => {
    assert.deepEqual(places(part, after), [
      [1, 0, 1],
      [2, 4, 1],
    ]);
    assert.deepEqual(
      part.hunks.map(({ oldLines }) => oldLines),
      [['one'], []],
    );
  });

  it('move with what is typed above and between them', () => {
    assert.deepEqual(places(part, `typed\n${after.replace('three\n', '')}`), [
      [1, 1, 1],
      [2, 4, 1],
    ]);
  });

  it('are gone where their lines are changed or put back', () => {
    assert.deepEqual(places(part, after.replace('ONE', 'one')), [[2, 4, 1]]);
    assert.deepEqual(places(part, after.replace('more', 'less')), [[1, 0, 1]]);
    assert.deepEqual(places(part, before), []);
  });

  it('are found whatever the line endings of the editor and the file', () => {
    const crlf = partOf(before.replaceAll('\n', '\r\n'), after.replaceAll('\n', '\r\n'));
    assert.deepEqual(places(crlf, after), places(part, after));
    assert.deepEqual(places(part, after.replaceAll('\n', '\r\n')), places(part, after));
    const lone = partOf('a\rb\nc\n', 'a\rb\nC\n');
    assert.deepEqual(places(lone, 'a\nb\nC\n'), [[1, 2, 1]]);
  });

  it('know the byte order mark, letters of several bytes and a last line without an end', () => {
    const marked = partOf('\ufeffä\nö\nü', '\ufeffÄ\nö\nÜ');
    assert.deepEqual(places(marked, 'Ä\nö\nÜ'), [
      [1, 0, 1],
      [2, 2, 1],
    ]);
    assert.deepEqual(
      marked.hunks.map(({ oldLines }) => oldLines),
      [['ä'], ['ü']],
    );
  });

  it('that removed lines are before the line that follows, also at the end', () => {
    assert.deepEqual(places(partOf(before, 'one\nfour\nfive\n'), 'one\nfour\nfive\n'), [[1, 1, 0]]);
    assert.deepEqual(places(partOf(before, 'one\n'), 'one\n'), [[1, 1, 0]]);
  });

  it('are not told where the text is not what was taken apart', () => {
    const found = hunksBetween(Buffer.from('a\n'), Buffer.from('b\n'));
    assert.ok(typeof found !== 'string');
    assert.equal(textPart(0, found, { post: 'b', old: ['a'] }), undefined);
  });

  it('are met by the cursor, else the nearest one is', () => {
    const hunks = standingIn([part], after)!;
    assert.deepEqual(
      [0, 1, 3, 4, 9].map((line) => hunkAt(hunks, line)?.index),
      [1, 1, 2, 2, 2],
    );
    assert.equal(hunkAt([], 0), undefined);
  });
});
