import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { appendToChain } from '../../src/core/conversation/append';
import { findConversations, summarise } from '../../src/core/conversation/conversations';
import { parseConversationName, sessionConversation, type ConversationName } from '../../src/core/conversation/names';
import { CheckpointError } from '../../src/core/errors';
import { bruteLine, chainPlace, user } from '../support/chains';

describe('conversations', () => {
  it('are found newest first and summarised', () => {
    const place = chainPlace();
    place.write('old.jsonl', bruteLine('a', null, 1, [user('x')]));
    fs.utimesSync(place.path('old.jsonl'), 1000, 1000);
    place.write('notes.txt', 'no conversation');
    place.write('.hidden.jsonl', bruteLine('a', null, 1, []));
    const source = { agent: 'claude-code', session: 's-1', entry: 'e' };
    appendToChain(place.ports, place.stores, sessionConversation('claude-code', 's-1'), [
      { id: 'n', parentId: null, messages: [user('hi')], source, ts: '2026-11-30T10:00:00.000Z' },
    ]);
    const found = findConversations(place.ports, place.stores);
    assert.deepEqual(
      found.map(({ chain }) => chain.name),
      ['claude-code-s-1', 'old'],
    );
    const chain = found[0]!.chain;
    chain.refresh();
    assert.deepEqual(summarise(chain, found[0]!.changedAt), {
      id: 'claude-code-s-1',
      agent: 'claude-code',
      session: 's-1',
      nodes: 1,
      forks: 0,
      leaf: 'n',
      damaged: 0,
      updatedAt: '2026-11-30T10:00:00.000Z',
    });
  });

  it('have names that are checked before any file call', () => {
    for (const bad of ['', '.', '..', '.x', '../c', 'a/b', 'a\\b', 'a b', 'ä', 'x'.repeat(129), 'a\0']) {
      assert.throws(
        () => parseConversationName(bad),
        (error) => CheckpointError.is(error, 'bad-id'),
        bad,
      );
    }
    assert.equal(parseConversationName('a.b-C_9'), 'a.b-C_9');
    const names = ['s', '../s', 's/1', 's\\1', 'ä'.repeat(300), ''].map((session) =>
      sessionConversation('pi', session),
    );
    assert.equal(new Set(names).size, names.length);
    names.forEach((name: ConversationName) => parseConversationName(name));
  });
});
