// Transcripts as crashes, other programs and ill will leave them: what is good in them is read, and nothing throws.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReaders } from '../../src/agents/transcripts';
import { parseLine } from '../../src/core/conversation/transcriptJson';
import { temporaryRoot, testPorts } from '../support/ports';
import { countsOf, fixtureDir, outline, readBytes, readTranscript } from '../support/transcriptKit';

const say = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  type: 'user',
  uuid,
  parentUuid,
  cwd: '/w',
  message: { role: 'user', content },
  ...more,
});
const line = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('');
const lines = (...values: unknown[]) => values.map((value) => `${line(value)}\n`).join('');
const a = say('a', null, 'one');
const b = say('b', 'a', 'two');
const c = say('c', 'b', 'three');

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

describe('following a transcript', () => {
  const follow = () => {
    const file = path.join(temporaryRoot('follow'), 's.jsonl');
    fs.writeFileSync(file, lines(a));
    const read = (previous?: ReturnType<typeof readTranscript>) => readTranscript('claude-code', file, 's', previous);
    return { file, read };
  };
  const ids = ({ tree }: ReturnType<typeof readTranscript>) => tree.nodes.map(({ id }) => id).join(' ');

  it('takes only what is new, and gives the same back without news', () => {
    const { file, read } = follow();
    const first = read();
    assert.equal(read(first), first);
    fs.appendFileSync(file, lines(b));
    const second = read(first);
    assert.deepEqual([ids(first), ids(second)], ['a', 'a b']);
    const reads: number[] = [];
    const ports = testPorts({
      fs: {
        ...fs,
        readSync: ((...args: Parameters<typeof fs.readSync>) => {
          reads.push((args as unknown as number[])[4]!);
          return fs.readSync(...args);
        }) as typeof fs.readSync,
      },
    });
    fs.appendFileSync(file, lines(c));
    const reader = transcriptReaders.find(({ agent }) => agent === 'claude-code')!;
    assert.equal(ids(reader.read(ports, { file, session: 's' }, second)), 'a b c');
    // Both ends are compared; only the new part is read.
    assert.ok(reads.includes(Buffer.byteLength(lines(a, b))));
  });

  it('waits for the end of a line, and uses it once', () => {
    const { file, read } = follow();
    const text = lines(b);
    fs.appendFileSync(file, text.slice(0, 20));
    const torn = read();
    assert.deepEqual([ids(torn), torn.tree.damaged.length], ['a', 1]);
    fs.appendFileSync(file, text.slice(20, -1));
    const whole = read(torn);
    assert.deepEqual([ids(whole), whole.tree.damaged], ['a b', []]);
    fs.appendFileSync(file, `\n${lines(c)}`);
    assert.deepEqual([ids(read(whole)), read().tree.nodes.length], ['a b c', 3]);
  });

  it('uses a whole record before a torn one once', () => {
    const file = path.join(temporaryRoot('follow'), 'x.jsonl');
    const message = (content: string) => line({ role: 'user', message: { content } });
    fs.writeFileSync(file, message('1') + message('2').slice(0, 12));
    const first = readTranscript('cursor', file);
    assert.equal(first.tree.nodes.length, 1);
    fs.appendFileSync(file, message('2').slice(12) + '\n');
    const second = readTranscript('cursor', file, undefined, first);
    assert.deepEqual(
      second.tree.nodes.map(({ messages }) => messages[0]!.content),
      ['1', '2'],
    );
    assert.deepEqual(second.tree.damaged, []);
  });

  it('reads again from the start what shrank, was replaced, or was written anew in place', () => {
    for (const change of [
      (file: string) => fs.writeFileSync(file, lines(say('z', null, 'new'))),
      (file: string) => {
        fs.writeFileSync(`${file}.new`, lines(say('z', null, 'another and longer one'), b, c));
        fs.renameSync(`${file}.new`, file);
      },
      (file: string) => fs.writeFileSync(file, lines(say('z', null, 'another one, in place, and longer'), b, c, a)),
      (file: string) => fs.truncateSync(file, 10),
    ]) {
      const { file, read } = follow();
      fs.appendFileSync(file, lines(b));
      const first = read();
      change(file);
      assert.deepEqual(read(first).tree, read().tree);
    }
  });

  it('keeps what it has when the file goes away', () => {
    const { file, read } = follow();
    const first = read();
    fs.rmSync(file);
    assert.equal(ids(read(first)), 'a');
  });

  it('an earlier reading can be gone on from twice', () => {
    const { file, read } = follow();
    const first = read();
    fs.appendFileSync(file, lines(b, c));
    assert.deepEqual([ids(read(first)), ids(read(first))], ['a b c', 'a b c']);
    assert.equal(ids(first), 'a');
  });

  it('piece by piece is the same as at once, for each fixture of lines', () => {
    for (const [agent, name] of [
      ['claude-code', 'garden.jsonl'],
      ['codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl'],
      ['gemini', 'session-2026-03-01T09-00-aaaa.jsonl'],
      ['qwen', 's-q.jsonl'],
      ['pi', 'v3.jsonl'],
      ['copilot-cli', 'e1/events.jsonl'],
      ['vscode', 'chatSessions/log.jsonl'],
      ['cursor', 'c1.jsonl'],
      ['windsurf', 'w1.jsonl'],
    ] as const) {
      const whole = fs.readFileSync(path.join(fixtureDir, agent, name));
      const file = path.join(temporaryRoot('pieces'), path.basename(name));
      let followed: ReturnType<typeof readTranscript> | undefined;
      for (let end = 0; end < whole.length; end += 97) {
        fs.appendFileSync(file, whole.subarray(end, end + 97));
        followed = readTranscript(agent, file, 's', followed);
      }
      assert.deepEqual(followed!.tree, readTranscript(agent, file, 's').tree, agent);
    }
  });

  it('a document that is half written, or emptied, does not take away what it held', () => {
    const file = path.join(temporaryRoot('cline'), '9_x.messages.json');
    const text = fs.readFileSync(path.join(fixtureDir, 'cline/sessions/9_x/9_x.messages.json'), 'utf8');
    fs.writeFileSync(file, text);
    const first = readTranscript('cline', file);
    for (const broken of [text.slice(0, 300), '{"messages":[]}', '', '[]']) {
      fs.writeFileSync(file, broken);
      const second = readTranscript('cline', file, undefined, first);
      assert.equal(second.tree.nodes.length, 4, JSON.stringify(broken.slice(0, 20)));
      assert.equal(second.tree.damaged.length, 1);
    }
    fs.writeFileSync(file, `${text} `);
    assert.deepEqual(readTranscript('cline', file, undefined, first).tree, first.tree);
  });
});

describe('opencode’s database', () => {
  const copy = (change: (bytes: Buffer) => Buffer = (bytes) => bytes, withLog = true) => {
    const file = path.join(temporaryRoot('db'), 'opencode.db');
    fs.writeFileSync(file, change(fs.readFileSync(path.join(fixtureDir, 'opencode/rows.db'))));
    if (withLog) fs.copyFileSync(path.join(fixtureDir, 'opencode/rows.db-wal'), `${file}-wal`);
    return file;
  };

  it('is read with what was committed to its log, also values over many pages', () => {
    const { tree } = readTranscript('opencode', copy(), 'ses_3');
    assert.deepEqual(
      tree.nodes.map(({ id }) => id),
      ['msg_1', 'msg_2'],
    );
    assert.equal(tree.nodes[1]!.messages[0]!.content, 'bean '.repeat(1000));
    assert.equal(readTranscript('opencode', copy(undefined, false), 'ses_3').tree.nodes.length, 1);
  });

  it('lists its sessions', () => {
    const home = temporaryRoot('home');
    const dir = path.join(home, '.local/share/opencode');
    fs.mkdirSync(dir, { recursive: true });
    fs.copyFileSync(copy(), path.join(dir, 'opencode.db'));
    const reader = transcriptReaders.find(({ agent }) => agent === 'opencode')!;
    const locate = () => reader.locate(testPorts(), { env: {}, home, roots: ['/w/garden'] });
    assert.deepEqual(
      locate().map(({ session, title }) => [session, title]),
      [['ses_3', 'Garden rows']],
    );
    fs.writeFileSync(path.join(dir, 'opencode.db'), 'SQLite format 3\0 and no more');
    assert.match(reader.locate(testPorts(), { env: {}, home })[0]!.unreadable!, /opencode export/);
  });

  it('a damaged one is told, and never hangs', () => {
    const whole = fs.readFileSync(path.join(fixtureDir, 'opencode/rows.db'));
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
    for (let i = 0; i < 300; i++) {
      const { tree } = readTranscript(
        'opencode',
        copy(
          (bytes) => {
            const changed = Buffer.from(bytes);
            for (let n = 0; n < 1 + random(20); n++) changed[random(changed.length)] = random(256);
            return random(3) === 0 ? changed.subarray(0, random(whole.length)) : changed;
          },
          random(2) === 0,
        ),
        'ses_3',
      );
      assert.ok(Array.isArray(tree.nodes));
    }
  });
});
