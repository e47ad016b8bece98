// Transcripts as crashes, other programs and ill will leave them: what is good in them is read, and nothing throws.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReaders } from '../../src/agents/transcripts';
import { parseLine } from '../../src/core/conversation/transcriptJson';
import { a, b, c, line, lines, say } from '../support/claudeLines';
import { temporaryRoot } from '../support/ports';
import { countsOf, outline, readBytes, readTranscript } from '../support/transcriptKit';

describe('damaged transcripts', () => {
  const good = (bytes: string | Uint8Array) => {
    const tree = readBytes('claude-code', bytes);
    return [tree.nodes.map(({ id }) => id).join(' '), tree.damaged];
  };

  it('a torn last line', () => {
    assert.deepEqual(good(lines(a, b) + line(c).slice(0, -5)), [
      'a b',
      [{ line: 3, reason: 'the last line is not finished' }],
    ]);
  });

  it('a last line without its line feed', () => assert.deepEqual(good(lines(a, b) + line(c)), ['a b c', []]));

  it('a tail of NUL, and NUL within', () => {
    assert.deepEqual(good(lines(a) + '\0'.repeat(5000) + lines(b)), ['a b', []]);
    const [ids, damaged] = good(lines(a, b) + '\0'.repeat(150_000));
    assert.deepEqual([ids, (damaged as unknown[]).length], ['a b', 1]);
  });

  it('records that stand in one line', () => {
    assert.deepEqual(good(lines(line(a, b), c)), ['a b c', []]);
    assert.deepEqual(good(lines(line(a, ' \0 ', b, ',', c))), ['a b c', []]);
  });

  it('a torn record with a whole one behind it', () => {
    for (const cut of [30, 60, line(a).length - 1]) {
      const [ids, damaged] = good(lines(line(line(a).slice(0, cut), b), c));
      assert.equal((damaged as unknown[]).length, 1, String(cut));
      assert.equal(ids, 'b c', String(cut));
    }
  });

  it('a byte order mark, carriage returns, blank lines', () => {
    assert.deepEqual(good(`\ufeff${line(a)}\r\n\r\n   \n${line(b)}\r\n`), ['a b', []]);
  });

  it('U+2028 in a text is no end of a line, lone surrogates stay', () => {
    const tree = readBytes(
      'claude-code',
      `${line(say('a', null, 'x\u2028y\u2029z'))}\n${line(a).replace('one', '\\ud800!')}\n`,
    );
    assert.equal(tree.nodes.length, 1);
    assert.equal(tree.nodes[0]!.messages[0]!.content, '\ud800!');
    assert.equal(
      readBytes('claude-code', lines(say('a', null, 'x\u2028y'))).nodes[0]!.messages[0]!.content,
      'x\u2028y',
    );
  });

  it('bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(lines(a)), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(lines(b))]);
    assert.deepEqual(good(bytes), ['a b', [{ line: 2, reason: 'not JSON' }]]);
  });

  it('a line feed within a text costs that record only', () => {
    const [ids, damaged] = good(`${line(a)}\n${line(b).replace('two', 'tw\no')}\n${line(c)}\n`);
    assert.deepEqual([ids, (damaged as unknown[]).length], ['a c', 2]);
  });

  it('values that are no objects', () =>
    assert.deepEqual((good(lines('"x"', '42', '[1]', 'null', a))[1] as unknown[]).length, 4));

  it('rings of parents, parents that are not there, a record that is its own parent', () => {
    const ring = readBytes(
      'claude-code',
      lines(say('x', 'z', '1'), say('y', 'x', '2'), say('z', 'y', '3'), say('w', 'w', '4'), say('v', 'gone', '5')),
    );
    assert.deepEqual(outline(ring), [
      'x < null (pass orphan) user:1',
      'y < x (pass) user:2',
      'z < y (pass) user:3',
      'w < null (pass orphan) user:4',
      'v < null (pass orphan) user:5',
    ]);
    const led = readBytes('claude-code', lines(say('in', 'y', '0'), say('x', 'y', '1'), say('y', 'x', '2')));
    assert.deepEqual(
      led.nodes.map(({ id, parentId }) => [id, parentId]),
      [
        ['in', 'y'],
        ['x', null],
        ['y', 'x'],
      ],
    );
  });

  it('a parent that comes later', () => {
    assert.deepEqual(outline(readBytes('claude-code', lines(b, a))), [
      'b < a (pass) user:two',
      'a < null (pass) user:one',
    ]);
  });

  it('wrong types everywhere', () => {
    const odd: unknown[] = [
      1,
      null,
      true,
      [],
      {},
      '',
      'x',
      [[]],
      [{ type: 'text' }],
      [{ type: 'tool_use' }],
      [null, 1],
      { toString: 1 },
    ];
    for (const value of odd) {
      for (const agent of [
        'claude-code',
        'codex',
        'gemini',
        'qwen',
        'pi',
        'copilot-cli',
        'cursor',
        'windsurf',
        'vscode',
      ]) {
        const records = [
          'type',
          'uuid',
          'id',
          'parentUuid',
          'parentId',
          'message',
          'payload',
          'timestamp',
          'data',
          '$set',
          '$rewindTo',
          'kind',
          'k',
          'v',
          'role',
        ].map((field) => ({ ...say('q', null, value), id: 'q', [field]: value }));
        const tree = readBytes(agent, lines(...records, { ...a, role: 'user' }));
        assert.ok(Array.isArray(tree.nodes), agent);
      }
    }
  });

  it('nesting without end', () => {
    const deep = '{"x":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    const call = `{"type":"assistant","uuid":"d","parentUuid":"a","message":{"content":[{"type":"tool_use","id":"t","name":"n","input":${deep}}]}}`;
    const tree = readBytes('claude-code', lines(a, call, '['.repeat(200_000), '{"a":'.repeat(200_000), b));
    assert.deepEqual(
      tree.nodes.map(({ id }) => id),
      ['a', 'd', 'b'],
    );
    assert.ok(JSON.stringify(tree).length < 5000);
  });

  it('a key that means something to JavaScript is a key', () => {
    const entries = [
      { kind: 0, v: { requests: [] } },
      { kind: 1, k: ['__proto__', 'polluted'], v: 1 },
      { kind: 1, k: ['__proto__'], v: { polluted: 1 } },
      { kind: 1, k: ['constructor', 'prototype', 'polluted'], v: 1 },
      { kind: 2, k: ['requests'], v: [], i: 1e9 },
      { kind: 1, k: ['requests', 1e9], v: 1 },
    ];
    readBytes('vscode', lines(...entries));
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });

  it('a log of changes that lacks its beginning', () => {
    const tree = readBytes(
      'vscode',
      lines({ kind: 2, k: ['requests'], v: [{ requestId: 'r', message: { text: 'hello' } }] }),
    );
    assert.deepEqual(outline(tree), ['r < null (pass) user:hello']);
  });

  it('many damaged lines cost no more than their length', function () {
    this.timeout(60_000);
    const start = Date.now();
    for (const text of [
      '{'.repeat(2e6),
      '{"'.repeat(1e6),
      '{"a":"'.repeat(4e5),
      `{"a"${' '.repeat(2e6)}`,
      '}{'.repeat(1e6),
      '"'.repeat(2e6),
    ])
      parseLine(Buffer.from(text));
    const blank = `${' '.repeat(2e6)}x${' '.repeat(2e6)}`;
    parseLine(Buffer.from(blank));
    assert.ok(Date.now() - start < 20_000, `${Date.now() - start} ms`);
  });

  it('long chains of records that are no messages, and many duplicates', function () {
    this.timeout(60_000);
    const records: unknown[] = [a];
    for (let i = 0; i < 20_000; i++)
      records.push({ type: 'attachment', uuid: `n${i}`, parentUuid: i === 0 ? 'a' : `n${i - 1}` });
    for (let i = 0; i < 20_000; i++)
      records.push(say(`m${i}`, 'n19999', 'x'), say(`m${i}`, i === 0 ? 'a' : `m${i - 1}`, 'y'));
    const start = Date.now();
    assert.equal(countsOf(readBytes('claude-code', lines(...records))).nodes, 20_001);
    assert.ok(Date.now() - start < 20_000, `${Date.now() - start} ms`);
  });

  it('what is no file, or is not there', () => {
    const dir = temporaryRoot('odd');
    for (const { agent } of transcriptReaders) {
      for (const file of [
        dir,
        path.join(dir, 'none.jsonl'),
        path.join(dir, 'none.json'),
        path.join(dir, 'none.db'),
        '/dev/null',
        '',
      ]) {
        const { tree } = readTranscript(agent, file, 's');
        assert.deepEqual(tree.nodes, [], `${agent} ${file}`);
      }
    }
  });
});

describe('a line of 200 MB', () => {
  it('is told, keeps its place, and is not held', function () {
    this.timeout(120_000);
    const file = path.join(temporaryRoot('long'), 's.jsonl');
    const fd = fs.openSync(file, 'w');
    fs.writeSync(fd, lines(a));
    fs.writeSync(fd, '{"type":"user","uuid":"long","parentUuid":"a","message":{"role":"user","content":"');
    const piece = Buffer.alloc(10 * 2 ** 20, 'x');
    for (let i = 0; i < 20; i++) fs.writeSync(fd, piece);
    fs.writeSync(fd, '"}}\n');
    fs.writeSync(fd, lines(say('after', 'long', 'more')));
    fs.closeSync(fd);
    const before = process.memoryUsage().rss;
    const { tree } = readTranscript('claude-code', file);
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    assert.deepEqual(tree.damaged, [{ line: 2, reason: 'too long to show (200 MB; at most 32 MB are read)' }]);
    assert.deepEqual(tree.nodes.map(({ id, parentId }) => [id, parentId]).slice(-1), [['after', 'a']]);
    assert.match(tree.nodes[0]!.messages[1]!.content, /too long to show: 200 MB/);
    assert.ok(grown < 150, `${Math.round(grown)} MB`);
  });
});
