import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anthropicMessages, openAiMessages } from '../../src/core/context/dialects';
import { rebuiltMarkdown } from '../../src/core/context/markdown';
import { rebuild, type RebuildOptions } from '../../src/core/context/rebuild';
import { interrupted } from '../../src/core/context/repair';
import { strictMessages } from '../../src/core/context/strict';
import { summaryMarker } from '../../src/core/context/summaryMessage';
import type { ConversationNode, Message } from '../../src/core/conversation/model';
import { anthropicComplaints, chainComplaints, openAiComplaints } from '../support/strictRules';
import { deepFreeze } from '../support/talk';

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '   ',
      '\n',
      'half \ud83d',
      '\udc00 half',
      '``` fence\n````',
      '### User',
      '[compacted',
    ),
  },
  { weight: 1, arbitrary: fc.nat(4000).map((length) => 'word '.repeat(length / 5)) },
);
const id = fc.constantFrom('c1', 'c2', 'c3', 'call/4', 'c 5', '', 'x'.repeat(80));
const input = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('{"a":1}', 'no json', { key: '\ud800' }));
const call = fc.record({ id, name: fc.constantFrom('Bash', 'Write', 'mcp__a.b', '', 'TodoWrite'), arguments: input });
const block = fc.record(
  {
    type: fc.constantFrom('thinking', 'text', 'redacted_thinking'),
    text,
    signature: fc.constantFrom('sig', ''),
    data: text,
  },
  { requiredKeys: ['type'] },
);
const attachments = fc.array(fc.record({ type: fc.constantFrom('image', 'file', 'other') }), { maxLength: 2 });
const ownId = fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined });

const message = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constant('user'), content: text, id: ownId, attachments }) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        role: fc.constant('assistant'),
        content: text,
        id: ownId,
        tool_calls: fc.array(call, { maxLength: 4 }),
        reasoning: fc.record({ blocks: fc.array(block, { maxLength: 3 }) }),
      },
      { requiredKeys: ['role', 'content'] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({ role: fc.constant('tool'), content: text, tool_call_id: id, is_error: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ role: fc.constant('system'), content: text }) },
) as fc.Arbitrary<Message>;

const watermark = fc.record({
  id: fc.option(fc.constantFrom('m1', 'm2', 'n0:1', 'gone'), { nil: undefined }),
  index: fc.integer({ min: -2, max: 40 }),
});
const summary = fc.record(
  { text, by: fc.constantFrom('agent', 'model', 'digest'), watermark },
  { requiredKeys: ['text', 'by'] },
);
const usage = fc.record({ input: fc.nat(100_000), output: fc.nat(1000) });
const nodeOf = (replacing: boolean) =>
  fc.record(
    {
      messages: fc.array(message, { maxLength: 8 }),
      kind: fc.constantFrom('pass', 'other', ...(replacing ? ['compaction', 'rewind'] : [])),
      ...(replacing && { replaces: fc.boolean() }),
      summary,
      usage,
    },
    { requiredKeys: ['messages', 'kind'] },
  );
const pathOf = (replacing: boolean) =>
  fc
    .array(nodeOf(replacing), { maxLength: 7 })
    .map((nodes) =>
      nodes.map(
        (node, at) =>
          ({ id: `n${at}`, parentId: at === 0 ? null : `n${at - 1}`, files: [], ...node }) as ConversationNode,
      ),
    );
const options = fc.record(
  {
    keepTokens: fc.constantFrom(0, 1, 20, 100, 1e9),
    watermark,
    summary: fc.record({ text, by: fc.constant('model' as const) }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<RebuildOptions>;

/** Of each result the index of the call that it answers, found the slow way. */
function callIndex(messages: readonly Message[], at: number): number {
  const wanted = messages[at]!.tool_call_id;
  for (let before = at - 1; before >= 0; before--) {
    const made = messages[before]!.tool_calls?.filter((one) => one.id === wanted).length ?? 0;
    if (made === 0) continue;
    const earlier = messages
      .slice(before + 1, at)
      .filter((one) => one.role === 'tool' && one.tool_call_id === wanted).length;
    return earlier < made ? before : -1;
  }
  return -1;
}

const isValid = (messages: readonly Message[]) => {
  assert.deepEqual(chainComplaints(strictMessages(messages)), []);
  assert.deepEqual(openAiComplaints(openAiMessages(messages)), []);
  assert.deepEqual(anthropicComplaints(anthropicMessages(messages).messages), []);
};

describe('rebuild, of any conversation', () => {
  it('keeps every message from the watermark on, adds nothing but a summary and results that say they are none', () => {
    fc.assert(
      fc.property(pathOf(false), options, (path, asked) => {
        deepFreeze(path);
        const all = path.flatMap(({ messages }) => messages);
        const rebuilt = rebuild(path, asked);
        const { index } = rebuilt.watermark;
        const lead = all.findIndex(({ role }) => role !== 'system');
        assert.ok(index >= Math.max(0, lead) || lead < 0);
        const wanted = all.flatMap((one, at) => (one.role !== 'tool' || callIndex(all, at) >= 0 ? [{ one, at }] : []));
        for (const { one, at } of wanted) {
          if (one.role === 'tool')
            assert.equal(callIndex(all, at) < index, at < index, 'a call and its result are parted');
        }
        const kept = wanted.filter(({ at }) => at >= index).map(({ one }) => one);
        const made = new Set(all);
        const system = all.slice(0, lead < 0 ? all.length : lead);
        const added = rebuilt.messages.filter((one) => !made.has(one));
        for (const one of added) assert.ok(one.content.startsWith(summaryMarker) || one.content === interrupted);
        assert.ok(added.filter(({ role }) => role === 'user').length <= 1);
        const given = rebuilt.messages.filter((one) => made.has(one));
        // The very objects: not a byte of them can be another one.
        const sorted = (list: readonly Message[]) => list.filter(({ role }) => role !== 'tool');
        assert.deepEqual(sorted(given), sorted([...system, ...kept]));
        assert.deepEqual(new Set(given), new Set([...system, ...kept]));
        if (rebuilt.noOp) assert.deepEqual(rebuilt.messages, all);
        assert.equal(rebuilt.summarizedCount + system.length, index);
        isValid(rebuilt.messages);
      }),
      { numRuns: 7000 },
    );
  });

  it('is a valid list, also after compactions and rewinds, and the same each time', () => {
    fc.assert(
      fc.property(pathOf(true), options, (path, asked) => {
        deepFreeze(path);
        const rebuilt = rebuild(path, asked);
        isValid(rebuilt.messages);
        assert.deepEqual(rebuild(path, asked), rebuilt);
        assert.ok(rebuilt.summarizedCount >= 0 && rebuilt.keptCount >= 0);
        assert.ok(Number.isFinite(rebuilt.tokensBefore) && Number.isFinite(rebuilt.tokensAfter));
        assert.ok(rebuiltMarkdown(rebuilt, 'Any').isWellFormed());
      }),
      { numRuns: 3000 },
    );
  });
});
