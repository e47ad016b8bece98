import assert from 'node:assert/strict';
import { cut, safeJson, safeLine, safeLines, styleFor, textWidth } from '../../src/cli/verbs/screen';

describe('text of the command line', () => {
  it('writes out everything that acts on a terminal', () => {
    assert.equal(safeLine('a\u001b[2Jb\u009b31mc\u0007\r\n\t'), 'a\\u{1b}[2Jb\\u{9b}31mc\\u{7}\\r\\n\\t');
    assert.equal(safeLine('user\u202egpj.exe\u2066\u200b'), 'user\\u{202e}gpj.exe\\u{2066}\\u{200b}');
    assert.equal(safeLine('\ud800 lone'), '\ufffd lone');
    assert.equal(safeLine('naïve 日本 🎉'), 'naïve 日本 🎉');
  });

  it('keeps the line ends and tabs of longer texts', () => {
    assert.equal(safeLines('a\tb\n\u001bc\r\n'), 'a\tb\n\\u{1b}c\\r\n');
  });

  it('prints JSON that is safe and means the same', () => {
    const value = { text: '\u001b]0;x\u0007\u009b1m\u202e\u007f\ud800\u{e0041} ok' };
    const json = safeJson(value);
    assert.doesNotMatch(json, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.deepEqual(JSON.parse(json), value);
  });

  it('cuts by columns, wide characters included', () => {
    assert.equal(textWidth('日本'), 4);
    assert.equal(cut('日本語です', 6), '日本…');
    assert.equal(cut('short', 6), 'short');
    assert.equal(cut('a longer line', 9), 'a longer…');
  });

  it('colours only a terminal that wants it', () => {
    const terminal = { write: () => true, isTTY: true };
    assert.equal(styleFor(terminal, {})('red', 'x'), '\u001b[31mx\u001b[0m');
    assert.equal(styleFor(terminal, { NO_COLOR: '1' })('red', 'x'), 'x');
    assert.equal(styleFor(terminal, { TERM: 'dumb' })('red', 'x'), 'x');
    assert.equal(styleFor({ write: () => true }, {})('red', 'x'), 'x');
  });
});
