// Every file call of an append fails once, or is the last one before the process ends.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { appendToChain, forkInPlace } from '../../src/core/conversation/append';
import { Chain } from '../../src/core/conversation/chain';
import { parseConversationName } from '../../src/core/conversation/names';
import { assistant, bruteLine, chainPlace, user } from '../support/chains';
import { faultyFs, type FaultOptions } from '../support/faultyFs';

const c = parseConversationName('c');
const starts: Record<string, string> = {
  'a new chain': '',
  'a chain': bruteLine('a', null, 1, [user('one')]),
  'a chain with a torn tail': `${bruteLine('a', null, 1, [user('one')])}{"id":"torn","mess`,
  'a chain without its last LF': bruteLine('a', null, 1, [user('one')]).trimEnd(),
};

/** One append in a fresh place; the number of calls, and whether it succeeded. */
function run(start: string, options: FaultOptions, head?: string) {
  const place = chainPlace();
  if (start !== '') place.write('c.jsonl', start);
  if (head !== undefined) place.write('c.head', `${head}\n`);
  const { fs: faulty, counts } = faultyFs({ unflushed: true, ...options });
  const ports = { ...place.ports, fs: faulty };
  const parentId = start === '' ? null : 'a';
  let done = true;
  try {
    appendToChain(ports, place.stores, c, [
      { id: 'b', parentId, messages: [assistant('two')], only: 'added' },
      { id: 'd', parentId: 'b', messages: [user('x'.repeat(5000))], only: 'added' },
    ]);
  } catch {
    done = false;
  }
  return { place, calls: counts.calls, done };
}

describe('an append that is interrupted', () => {
  for (const [what, start] of Object.entries(starts)) {
    for (const mode of ['error', 'kill'] as const) {
      it(`${what}: ${mode} at every call leaves a good chain, and the next append succeeds`, () => {
        const { calls, done } = run(start, {});
        assert.ok(done && calls > 10);
        for (let failAt = 1; failAt <= calls; failAt++) {
          const { place, done: succeeded } = run(start, { failAt, mode, code: failAt % 2 === 0 ? 'ENOSPC' : 'EIO' });
          const chain = place.open('c');
          const ids = chain.nodes.map(({ id }) => id);
          const at = `call ${failAt}`;
          const old = start === '' ? [] : ['a'];
          assert.deepEqual(ids.slice(0, old.length), old, at);
          if (succeeded) assert.deepEqual(ids, [...old, 'b', 'd'], at);
          for (const id of ids) chain.messages(id);
          const primary = new Chain(place.ports, place.stores.primary, c);
          primary.refresh();
          assert.deepEqual(primary.index.damaged, [], at);
          // The process that is gone would not be alive any more.
          fs.rmSync(path.join(place.ports.stateDir, 'locks'), { recursive: true, force: true });
          const [next] = appendToChain(
            place.ports,
            place.stores,
            c,
            [{ parentId: ids.at(-1) ?? null, messages: [user('next')], only: 'added' }],
            { waitMs: 0 },
          );
          assert.deepEqual(place.open('c').messages(next!).at(-1), user('next'), at);
          assert.ok(fs.readFileSync(place.open('c').file, 'utf8').startsWith(start.replace(/\{"id":"torn.*$/, '')), at);
        }
      });
    }
  }

  it('is where the conversation goes on from as soon as its lines are there, whether the head was written or not', () => {
    const start = bruteLine('a', null, 1, [user('one')]) + bruteLine('z', 'a', 2, [user('one'), assistant('aside')]);
    const { calls } = run(start, {}, 'a');
    let between = 0;
    for (let failAt = 1; failAt <= calls; failAt++) {
      const { place } = run(start, { failAt, mode: 'kill' }, 'a');
      const chain = place.open('c');
      const isThere = chain.index.byId.has('d');
      assert.equal(chain.leaf, isThere ? 'd' : 'a', `call ${failAt}`);
      if (isThere && place.read('c.head') === 'a\n') between++;
      fs.rmSync(path.join(place.ports.stateDir, 'locks'), { recursive: true, force: true });
      // Who then goes back to where it was means it.
      forkInPlace(place.ports, place.stores, place.open('c'), 'a');
      assert.equal(place.open('c').leaf, 'a', `call ${failAt}`);
      assert.deepEqual(
        fs.readdirSync(path.dirname(place.path('c.head'))).filter((name) => name.endsWith('.next')),
        [],
        `call ${failAt}`,
      );
    }
    assert.ok(between > 0);
  });
});
