// Chains of random history against a model, and lines that somebody broke.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as fs from 'node:fs';
import { appendToChain } from '../../src/core/conversation/append';
import { Chain } from '../../src/core/conversation/chain';
import type { ChainIndex } from '../../src/core/conversation/chainIndex';
import { parseConversationName } from '../../src/core/conversation/names';
import { chainPlace, user } from '../support/chains';
import { testPorts } from '../support/ports';

const c = parseConversationName('c');
/** Cases of the fuzz run; the long one is FUZZ_CASES=100000. */
const fuzzCases = Number(process.env['FUZZ_CASES'] ?? 1000);

describe('a chain, whatever its history', () => {
  const step = fc.record({
    from: fc.nat(),
    drop: fc.option(fc.nat({ max: 5 }), { freq: 4 }),
    add: fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 4 }),
    only: fc.boolean(),
  });

  it('gives back the list of every checkpoint', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const place = chainPlace();
        const model: { id: string; list: readonly { role: 'user'; content: string }[] }[] = [];
        for (const { from, drop, add, only } of steps) {
          const parent = model.length === 0 ? undefined : model[from % model.length];
          const kept = (parent?.list ?? []).slice(0, only || drop === null ? undefined : drop);
          const list = [...kept, ...add.map(user)];
          const entry = only ? { messages: add.map(user), only: 'added' as const } : { messages: list };
          const [id] = appendToChain(place.ports, place.stores, c, [{ parentId: parent?.id ?? null, ...entry }]);
          model.push({ id: id!, list });
        }
        const chain = place.open('c');
        assert.deepEqual(chain.index.damaged, []);
        assert.equal(chain.nodes.length, model.length);
        for (const { id, list } of model) assert.deepEqual(chain.messages(id), list);
        assert.equal(chain.leaf, model.at(-1)?.id);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a chain that was broken', () => {
  const ports = testPorts();
  const good = (i: number) =>
    JSON.stringify({
      id: `g${i}`,
      parent_id: i === 0 ? null : `g${i - 1}`,
      delta: true,
      messages: [user(`m${i} "{}[]" \\ \u2028`)],
    });
  // What is put between good lines; never a part of one.
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array.filter((byte) => byte !== 10)));
  const odd = fc.constantFrom(
    '}{',
    '{',
    '[[[[',
    '"',
    '\0\0\0',
    '\ufeff',
    '\r',
    '{"id":"x"',
    '{"id":1,"messages":[]}',
    '{"id":"g1","parent_id":"g3","messages":[{"role":"user"}]}',
    '{"id":"y","parent_id":"y","delta":true,"messages":[1,[]]}',
    '\\',
    '{"id":"t","messages":[{"role":"user","content":"torn',
    'null',
  );
  const noise = fc.oneof(
    bytes,
    odd.map((text) => Buffer.from(text)),
  );

  it(`never throws, never hangs, and keeps every good line (${fuzzCases} cases)`, () => {
    const place = chainPlace(ports);
    place.write('c.jsonl', '');
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 8 }),
        fc.nat({ max: 6 }),
        fc.nat({ max: 200 }),
        fc.boolean(),
        (noises, count, cut, sliced) => {
          const lines: Buffer[] = [];
          for (let i = 0; i < Math.max(count, noises.length); i++) {
            if (noises[i] !== undefined) lines.push(noises[i]!);
            if (i < count) lines.push(Buffer.from(good(i)));
          }
          const whole = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
          // A torn tail behind all of it.
          const content = Buffer.concat([whole, Buffer.from(good(count)).subarray(0, cut % 30)]);
          fs.writeFileSync(place.path('c.jsonl'), content);
          const chain = new Chain(ports, place.stores.primary, c);
          if (sliced) for (let i = 0; !chain.refresh(64); i++) assert.ok(i < 1000);
          else chain.refresh();
          const taken = chain.nodes.some(({ id, parentId }) => id === 'g1' && parentId === 'g3');
          for (let i = 0; i < count; i++) {
            const node = chain.nodes[chain.indexOf(`g${i}`)]!;
            assert.ok(taken || !node.incomplete || i === 0);
            chain.messages(`g${i}`, { partial: true });
          }
          for (const { id } of chain.nodes) {
            chain.path(id);
            chain.record(id);
          }
          assert.ok(chain.index.size === content.length && chain.index.damageCount <= 3 * noises.length + 1);
        },
      ),
      { numRuns: fuzzCases },
    );
  });

  it('is the same in one go and in slices', () => {
    const place = chainPlace(ports);
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 6 }), fc.integer({ min: 1, max: 50 }), (noises, budget) => {
        place.write(
          'c.jsonl',
          Buffer.concat([...noises.flatMap((each, i) => [each, Buffer.from(`\n${good(i)}\n`)]), ...noises.slice(0, 1)]),
        );
        const [one, other] = [new Chain(ports, place.stores.primary, c), new Chain(ports, place.stores.primary, c)];
        one.refresh();
        while (!other.refresh(budget));
        const shape = ({ nodes, damaged, size, tornAt }: ChainIndex) => ({ nodes, damaged, size, tornAt });
        assert.deepEqual(shape(one.index), shape(other.index));
      }),
      { numRuns: 300 },
    );
  });
});
