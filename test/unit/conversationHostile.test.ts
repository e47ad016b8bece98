import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { appendToChain } from '../../src/core/conversation/append';
import { parseConversationName } from '../../src/core/conversation/names';
import { CheckpointError } from '../../src/core/errors';
import { assistant, bruteLine, chainPlace, deltaLine, user } from '../support/chains';

const c = parseConversationName('c');
const one = bruteLine('a', null, 1, [user('one')]);
const two = deltaLine('b', 'a', [assistant('two')]);

/** Ids and damage of a chain with this content. */
function opened(content: string | Uint8Array) {
  const place = chainPlace();
  place.write('c.jsonl', content);
  const chain = place.open('c');
  return { place, chain, ids: chain.nodes.map(({ id }) => id), damaged: chain.index.damaged };
}

const reason = (run: () => unknown) => {
  try {
    run();
    return 'nothing thrown';
  } catch (error) {
    return error instanceof CheckpointError ? error.reason : `no CheckpointError: ${String(error)}`;
  }
};

describe('a damaged chain', () => {
  it('is empty where the file is missing or empty', () => {
    assert.deepEqual(opened('').ids, []);
    assert.deepEqual(chainPlace().open('c').resume('latest'), { id: null, messages: [] });
  });

  it('ignores a torn last line, and cuts it at the next append', () => {
    const torn = deltaLine('x', 'b', [user('torn')]).slice(0, -9);
    const { place, chain, ids, damaged } = opened(one + two + torn);
    assert.deepEqual([ids, damaged, chain.leaf], [['a', 'b'], [], 'b']);
    const [id] = appendToChain(place.ports, place.stores, c, [
      { parentId: 'b', messages: [user('three')], only: 'added' },
    ]);
    assert.ok(place.read('c.jsonl').startsWith(one + two + '{"id":"' + id));
    assert.deepEqual(place.open('c').index.damaged, []);
  });

  it('reads a last line that only lacks its LF, also when the file goes on', () => {
    const { place, chain, ids } = opened(one + two.trimEnd());
    assert.deepEqual(ids, ['a', 'b']);
    const [id] = appendToChain(place.ports, place.stores, c, [
      { parentId: 'b', messages: [user('three')], only: 'added' },
    ]);
    chain.refresh();
    assert.deepEqual(
      chain.nodes.map((node) => node.id),
      ['a', 'b', id],
    );
    assert.deepEqual(chain.messages(id!), [user('one'), assistant('two'), user('three')]);
    assert.equal(place.read('c.jsonl').split('\n').length, 4);
  });

  it('reads on where a torn line is completed', () => {
    const { place, chain, ids } = opened(one + two.slice(0, 20));
    assert.deepEqual(ids, ['a']);
    fs.appendFileSync(place.path('c.jsonl'), two.slice(20));
    chain.refresh();
    assert.deepEqual(
      chain.nodes.map(({ id, line }) => [id, line]),
      [
        ['a', 1],
        ['b', 2],
      ],
    );
  });

  it('skips, counts and shows any other bad line', () => {
    const { ids, damaged } = opened(
      `${one}{"id": "x", "mess\n[1]\n"text"\n42\n{"messages":[]}\n{"id":7,"messages":[]}\n{"id":"y"}\n\n  \n${two}`,
    );
    assert.deepEqual(ids, ['a', 'b']);
    assert.deepEqual(
      damaged.map(({ line }) => line),
      [2, 3, 4, 5, 6, 7, 8],
    );
    damaged.forEach((each) => assert.ok(each.reason.length > 5));
  });

  it('survives a BOM, CR, NUL runs, U+2028 and invalid UTF-8', () => {
    const separators = `${JSON.stringify({ id: 's', parent_id: 'b', messages: [user('x\u2028y\u2029z')] })}\n`;
    const content = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(one.replace('\n', '\r\n')),
      Buffer.alloc(100_000),
      Buffer.from(`\n${two}`),
      Buffer.from(separators),
      Buffer.from('{"id":"u","parent_id":"s","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}]}\n'),
      Buffer.alloc(5000),
    ]);
    const { chain, ids, damaged } = opened(content);
    assert.deepEqual([ids, damaged], [['a', 'b', 's', 'u'], []]);
    assert.deepEqual(chain.messages('s'), [user('x\u2028y\u2029z')]);
    assert.equal(chain.messages('u').length, 1);
  });

  it('takes glued objects apart, also behind a torn one or a run of NUL', () => {
    const glued = one.trim() + two.trim();
    assert.deepEqual(opened(`${glued}\n`).ids, ['a', 'b']);
    assert.deepEqual(opened(`${glued}\n`).damaged, []);
    const torn = '{"id":"t","parent_id":null,"messages":[{"role":"user","content":"to';
    const behind = opened(`${torn}${one.trim()}\0\0\0${two}`);
    assert.deepEqual([behind.ids, behind.damaged.length], [['a', 'b'], 1]);
    assert.deepEqual(behind.chain.messages('b'), [user('one'), assistant('two')]);
    // The torn one ends in a string that the next one's quotes seem to close.
    assert.deepEqual(opened(`{"id":"t","x":"${one}${two}`).ids, ['a', 'b']);
  });

  it('keeps the good part of a last line that is glued and torn', () => {
    const { place, ids } = opened(`${one}${two.trim()}{"id":"t","mess`);
    assert.deepEqual(ids, ['a', 'b']);
    appendToChain(place.ports, place.stores, c, [{ id: 'n', parentId: 'b', messages: [user('n')], only: 'added' }]);
    assert.deepEqual(
      place.open('c').nodes.map(({ id }) => id),
      ['a', 'b', 'n'],
    );
  });

  it('lets the first of two records of an id win', () => {
    const { chain, ids, damaged } = opened(one + two + bruteLine('a', 'b', 9, [user('other')]));
    assert.deepEqual(ids, ['a', 'b']);
    assert.deepEqual(chain.messages('a'), [user('one')]);
    assert.equal(damaged[0]!.line, 3);
  });

  it('makes roots of what has no parent, and of one in each cycle', () => {
    const { chain } = opened(
      [
        bruteLine('o', 'missing', 1, [user('full')]),
        deltaLine('d', 'missing', [user('delta')]),
        deltaLine('e', 'd', [user('more')]),
        bruteLine('f', 'd', 1, [user('full again')]),
        deltaLine('self', 'self', []),
        deltaLine('p', 'q', []),
        deltaLine('q', 'r', []),
        deltaLine('r', 'p', []),
        deltaLine('late', 'later', [user('2')]),
        bruteLine('later', null, 1, [user('1')]),
        `${JSON.stringify({ id: 'wrong', parent_id: 7, messages: [] })}\n`,
      ].join(''),
    );
    const get = (id: string) => chain.nodes[chain.indexOf(id)]!;
    const roots = chain.nodes.filter(({ parent }) => parent < 0).map(({ id }) => id);
    assert.deepEqual(roots, ['o', 'd', 'self', 'p', 'later', 'wrong']);
    assert.deepEqual(
      ['o', 'd', 'e', 'f', 'self', 'r', 'late'].map((id) => get(id).incomplete),
      [false, true, true, false, true, true, false],
    );
    assert.deepEqual(chain.messages('late'), [user('1'), user('2')]);
    assert.equal(
      reason(() => chain.messages('e')),
      'damaged',
    );
    assert.deepEqual(chain.messages('e', { partial: true }), [user('delta'), user('more')]);
    assert.deepEqual(chain.messages('f'), [user('full again')]);
  });

  it('leaves out what is no message, and says so', () => {
    const { chain, damaged } = opened(
      `{"id":"a","messages":[{"role":"user","content":"x"},7,null,{"content":"y"},[],{"role":5}]}\n${two}`,
    );
    assert.equal(damaged.length, 1);
    assert.deepEqual(
      chain.nodes.map(({ incomplete }) => incomplete),
      [true, true],
    );
    assert.deepEqual(chain.messages('b', { partial: true }), [user('x'), assistant('two')]);
  });

  it('survives wrong types everywhere', () => {
    const values = ['null', 'true', '-1', '1e999', '"x"', '[]', '{}', '[[]]', '{"a":1}'];
    const keys = [
      'id',
      'parent_id',
      'ts',
      'iteration',
      'v',
      'delta',
      'source',
      'files',
      'summary',
      'kind',
      'usage',
      'model',
      'messages',
    ];
    const lines = keys.flatMap((key) =>
      values.map((value, i) => {
        const rest = { id: `${key}${i}`, messages: [user('x')], [key]: '@' };
        return JSON.stringify(rest).replace('"@"', value);
      }),
    );
    const { chain, ids } = opened(`${lines.join('\n')}\n${one}`);
    assert.ok(ids.includes('a'));
    for (const id of ids) chain.messages(id, { partial: true });
  });

  it('refuses nesting that would break whoever prints it', () => {
    const deep = `{"id":"x","messages":[{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}\n`;
    const { ids, damaged } = opened(one + deep + two);
    assert.deepEqual(ids, ['a', 'b']);
    assert.match(damaged[0]!.reason, /deep/);
  });

  it('keeps a line that is too long, without reading it', () => {
    const place = chainPlace();
    place.write('c.jsonl', one);
    const fd = fs.openSync(place.path('c.jsonl'), 'a');
    fs.writeSync(
      fd,
      '{"id":"long","parent_id":"a","ts":"2026-01-01T00:00:00Z","delta":true,"messages":[{"role":"user","content":"',
    );
    for (let i = 0; i < 200; i++) fs.writeSync(fd, 'x'.repeat(2 ** 20));
    fs.writeSync(fd, `"}]}\n${deltaLine('after', 'long', [user('y')])}${bruteLine('full', 'long', 1, [user('z')])}`);
    fs.closeSync(fd);
    const before = process.memoryUsage().rss;
    const chain = place.open('c');
    assert.ok(process.memoryUsage().rss - before < 150 * 2 ** 20);
    assert.deepEqual(
      chain.nodes.map(({ id, incomplete }) => [id, incomplete]),
      [
        ['a', false],
        ['long', true],
        ['after', true],
        ['full', false],
      ],
    );
    assert.match(chain.index.damaged[0]!.reason, /too long to show \(2\d{8} bytes\)/);
    assert.deepEqual(chain.record('long').messages, []);
    assert.deepEqual(chain.messages('full'), [user('z')]);
    assert.equal(
      reason(() => chain.messages('after')),
      'damaged',
    );
    const { size } = fs.statSync(place.path('c.jsonl'));
    appendToChain(place.ports, place.stores, c, [{ id: 'n', parentId: 'full', messages: [user('n')], only: 'added' }]);
    assert.ok(fs.statSync(place.path('c.jsonl')).size > size);
  });

  it('reads a file again that shrank or was replaced', () => {
    const { place, chain } = opened(one + two);
    fs.writeFileSync(place.path('c.jsonl'), bruteLine('new', null, 1, []));
    chain.refresh();
    assert.deepEqual(
      chain.nodes.map(({ id }) => id),
      ['new'],
    );
    fs.rmSync(place.path('c.jsonl'));
    chain.refresh();
    assert.deepEqual(chain.nodes, []);
    place.write('c.jsonl', one);
    chain.refresh();
    fs.writeFileSync(place.path('c.jsonl'), one.replace('one', 'two'));
    assert.deepEqual(chain.messages('a'), [user('two')]);
    fs.writeFileSync(place.path('c.jsonl'), one.replace('"a"', '"z"'));
    assert.equal(
      reason(() => chain.record('a')),
      'changed-meanwhile',
    );
  });

  it('a head that names nothing good is as if it were not there', () => {
    for (const head of ['', 'nope\n', '\0', 'x'.repeat(10_000)]) {
      const { place, chain } = opened(one + two);
      place.write('c.head', head);
      assert.equal(chain.leaf, 'b', JSON.stringify(head.slice(0, 9)));
    }
    const { place, chain } = opened(one + two);
    place.write('c.head', '\ufeffa\r\n');
    assert.equal(chain.leaf, 'a');
  });
});
