import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { append, appendToChain, forkInPlace } from '../../src/core/conversation/append';
import { openChain, withHistory } from '../../src/core/conversation/chain';
import { findConversations, forksOf } from '../../src/core/conversation/conversations';
import { parseConversationName } from '../../src/core/conversation/names';
import { CheckpointError } from '../../src/core/errors';
import { assistant, bruteLine, chainPlace, user, type ChainPlace } from '../support/chains';
import { testPorts } from '../support/ports';

const c = parseConversationName('c');
const reason = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof CheckpointError ? error.reason : `no CheckpointError: ${String(error)}`;
  }
  return 'nothing thrown';
};

describe('a chain that Brute wrote', () => {
  // One run of three passes, then a resume from the first with another two.
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'tc1', name: 'shell', arguments: { command: 'ls' } }],
  };
  const result = { role: 'tool', content: 'a.txt', tool_call_id: 'tc1' };
  const lists: Record<string, readonly object[]> = {
    aaaaaaaaaaa1: [user('go'), call, result],
    aaaaaaaaaaa2: [user('go'), call, result, assistant('there is a.txt')],
    aaaaaaaaaaa3: [user('go'), call, result, assistant('there is a.txt'), user('more')],
    bbbbbbbbbbb1: [
      user('go'),
      call,
      result,
      user('other'),
      { ...assistant('ok'), reasoning: { blocks: [{ type: 'text', signature: 's' }] } },
    ],
    bbbbbbbbbbb2: [user('go'), call, result, user('other'), assistant('short')],
  };
  const parents = {
    aaaaaaaaaaa1: null,
    aaaaaaaaaaa2: 'aaaaaaaaaaa1',
    aaaaaaaaaaa3: 'aaaaaaaaaaa2',
    bbbbbbbbbbb1: 'aaaaaaaaaaa1',
    bbbbbbbbbbb2: 'bbbbbbbbbbb1',
  };
  let place: ChainPlace;
  beforeEach(() => {
    place = chainPlace();
    place.write(
      'c.jsonl',
      Object.entries(parents)
        .map(([id, parent], i) => bruteLine(id, parent, i + 1, lists[id]!))
        .join('\n'),
    );
  });

  it('is listed as it is', () => {
    const chain = place.open('c');
    assert.deepEqual(Object.fromEntries(chain.nodes.map(({ id, parentId }) => [id, parentId])), parents);
    assert.deepEqual(
      chain.nodes.map(({ iteration }) => iteration),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(
      chain.nodes.map(({ total }) => total),
      [3, 4, 5, 5, 5],
    );
    assert.deepEqual(forksOf(chain), ['aaaaaaaaaaa1']);
    assert.deepEqual(chain.index.damaged, []);
    assert.deepEqual(chain.path('bbbbbbbbbbb2'), ['aaaaaaaaaaa1', 'bbbbbbbbbbb1', 'bbbbbbbbbbb2']);
  });

  it('is resumed at each id, and latest is the last line', () => {
    const chain = place.open('c');
    for (const [id, messages] of Object.entries(lists)) assert.deepEqual(chain.resume(id), { id, messages });
    assert.equal(chain.resume('latest').id, 'bbbbbbbbbbb2');
    assert.equal(
      reason(() => chain.resume('nope')),
      'not-found',
    );
  });

  it('is forked in place, without a change of what is there', () => {
    const before = place.read('c.jsonl');
    forkInPlace(place.ports, place.stores, place.open('c'), 'aaaaaaaaaaa2');
    const { id, messages } = place.open('c').resume('latest');
    assert.deepEqual([id, messages], ['aaaaaaaaaaa2', lists['aaaaaaaaaaa2']]);
    const [made] = appendToChain(place.ports, place.stores, c, [
      { parentId: id, messages: [...messages, user('fork')] as never },
    ]);
    assert.ok(place.read('c.jsonl').startsWith(before));
    const chain = place.open('c');
    assert.deepEqual(chain.nodes.at(-1)!.parentId, 'aaaaaaaaaaa2');
    assert.deepEqual(forksOf(chain), ['aaaaaaaaaaa1', 'aaaaaaaaaaa2']);
    assert.equal(chain.leaf, made);
    assert.deepEqual(chain.resume(made!).messages, [...lists['aaaaaaaaaaa2']!, user('fork')]);
    assert.deepEqual(chain.resume('bbbbbbbbbbb1').messages, lists['bbbbbbbbbbb1']);
  });
});

describe('writing a chain', () => {
  it('writes deltas, and leaves system messages out', () => {
    const place = chainPlace();
    const first = [{ role: 'system', content: 'rules' } as const, user('one')];
    const [a] = appendToChain(place.ports, place.stores, c, [{ parentId: null, messages: first, iteration: 1 }]);
    const [b] = appendToChain(place.ports, place.stores, c, [{ parentId: a!, messages: [...first, assistant('two')] }]);
    const records = place
      .read('c.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      records.map(({ messages }) => messages),
      [[user('one')], [assistant('two')]],
    );
    assert.deepEqual(
      records.map(({ v, delta }) => [v, delta]),
      [
        [1, undefined],
        [1, true],
      ],
    );
    assert.match(a!, /^[0-9a-f]{12}$/);
    assert.deepEqual(place.open('c').resume('latest'), { id: b, messages: [user('one'), assistant('two')] });
    assert.equal(fs.statSync(place.path('c.jsonl')).mode & 0o777, 0o600);
    assert.equal(place.read('c.head'), `${b}\n`);
  });

  it('puts a history behind the leading system messages and before the input', () => {
    const roles = (list: readonly { role: string; content?: string }[]) =>
      list.map(({ role, content }) => `${role} ${content}`);
    const system = { role: 'system', content: 'rules' };
    assert.deepEqual(roles(withHistory([system, user('new')], [user('old'), assistant('a')])), [
      'system rules',
      'user old',
      'assistant a',
      'user new',
    ]);
    assert.deepEqual(roles(withHistory([user('new')], [user('old')])), ['user old', 'user new']);
    assert.deepEqual(roles(withHistory([system], [user('old')])), ['system rules', 'user old']);
  });

  it("writes a full record where the parent's list is not its beginning", () => {
    const place = chainPlace();
    const [a] = appendToChain(place.ports, place.stores, c, [
      { parentId: null, messages: [user('one'), assistant('two')] },
    ]);
    const compacted = [user('summary of one and two'), user('three')];
    const [b] = appendToChain(place.ports, place.stores, c, [
      { parentId: a!, messages: compacted, kind: 'compaction' },
    ]);
    const [d] = appendToChain(place.ports, place.stores, c, [
      { parentId: b!, messages: [user('summary of one and two')], kind: 'rewind' },
    ]);
    const chain = place.open('c');
    assert.deepEqual(
      chain.nodes.map(({ delta, replaces, kind }) => [delta, replaces, kind]),
      [
        [false, false, 'pass'],
        [false, true, 'compaction'],
        [false, true, 'rewind'],
      ],
    );
    assert.deepEqual(chain.messages(b!), compacted);
    assert.deepEqual(chain.messages(d!), compacted.slice(0, 1));
  });

  it('writes a full record whenever the deltas outweigh the last one twice, and takes little room', () => {
    const place = chainPlace();
    const chain = openChain(place.ports, place.stores, c);
    const list: { role: 'assistant'; content: string }[] = [];
    let parent: string | null = null;
    let log = 0;
    let full = 0;
    for (let i = 0; i < 500; i++) {
      list.push(assistant(`${i} `.padEnd(8192, 'text ')));
      log += Buffer.byteLength(JSON.stringify(list[i])) + 1;
      full += log;
      [parent = null] = append(place.ports, place.stores, chain, [{ parentId: parent, messages: [...list] }]);
    }
    assert.ok(
      full / fs.statSync(place.path('c.jsonl')).size >= 50,
      `only ${full / fs.statSync(place.path('c.jsonl')).size} times`,
    );
    const again = place.open('c');
    const fulls = again.nodes.flatMap(({ delta }, i) => (delta ? [] : [i]));
    assert.ok(fulls.length >= 5 && fulls.length <= 8, `${fulls.length} full records`);
    for (const node of again.nodes) {
      const record = again.record(node.id);
      if (record.delta) assert.ok(node.deltaBytes <= 2 * node.fullBytes);
    }
    assert.deepEqual(again.messages(parent!), list);
    assert.deepEqual(again.messages(again.nodes[250]!.id), list.slice(0, 251));
  });

  it('takes several entries in one write, with additions and parents among themselves', () => {
    const place = chainPlace();
    const ids = appendToChain(
      place.ports,
      place.stores,
      c,
      [
        { id: 'r', parentId: null, messages: [user('1')], only: 'added' },
        { id: 'x', parentId: 'r', messages: [assistant('2')], only: 'added' },
        { id: 'y', parentId: 'r', messages: [assistant('3')], only: 'added' },
        { id: 'z', parentId: 'x', messages: [user('4')], only: 'added' },
      ],
      { leaf: 'y' },
    );
    assert.deepEqual(ids, ['r', 'x', 'y', 'z']);
    const chain = place.open('c');
    assert.equal(chain.leaf, 'y');
    assert.deepEqual(chain.messages('z'), [user('1'), assistant('2'), user('4')]);
    assert.deepEqual(chain.messages('y'), [user('1'), assistant('3')]);
    assert.equal(
      reason(() => appendToChain(place.ports, place.stores, c, [{ id: 'x', parentId: null, messages: [] }])),
      'bad-argument',
    );
    assert.equal(
      reason(() => appendToChain(place.ports, place.stores, c, [{ parentId: 'nope', messages: [] }])),
      'not-found',
    );
  });

  it('keeps halves of characters, and separators that other readers split at', () => {
    const place = chainPlace();
    const odd = user('half \ud800, \u2028 and \u2029, NUL \u0000, \ufeff');
    const [id] = appendToChain(place.ports, place.stores, c, [{ parentId: null, messages: [odd] }]);
    assert.deepEqual(place.open('c').messages(id!), [odd]);
  });

  it('sees what another writer added to a chain that is open', () => {
    const place = chainPlace();
    const one = openChain(place.ports, place.stores, c);
    const other = openChain(place.ports, place.stores, c);
    const [a] = append(place.ports, place.stores, one, [{ parentId: null, messages: [user('1')] }]);
    const [b] = append(place.ports, place.stores, other, [{ parentId: a!, messages: [user('1'), user('2')] }]);
    const [d] = append(place.ports, place.stores, one, [{ parentId: b!, messages: [user('1'), user('2'), user('3')] }]);
    assert.deepEqual(place.open('c').messages(d!), [user('1'), user('2'), user('3')]);
  });

  it('goes to user state where the store cannot be written', function () {
    if (process.getuid?.() === 0 && process.platform !== 'linux') this.skip();
    const real = testPorts();
    const refusing = {
      ...fs,
      mkdirSync: ((file: string, ...rest: never[]) => {
        if (String(file).endsWith('.system_generated')) throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
        return fs.mkdirSync(file, ...rest);
      }) as typeof fs.mkdirSync,
    };
    const place = chainPlace({ ...real, fs: refusing });
    const [id] = appendToChain(place.ports, place.stores, c, [{ parentId: null, messages: [user('1')] }]);
    const chain = place.open('c');
    assert.equal(path.dirname(chain.file), place.stores.fallback.conversations);
    assert.deepEqual(chain.messages(id!), [user('1')]);
    assert.deepEqual(
      findConversations(place.ports, place.stores).map(({ chain: { name } }) => name),
      ['c'],
    );
  });
});
