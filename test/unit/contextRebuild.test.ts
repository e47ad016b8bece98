import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';
import { event, rebuild } from '../../src/core/context/rebuild';
import { summaryMarker, summaryMessage } from '../../src/core/context/summaryMessage';
import { interrupted } from '../../src/core/context/repair';
import { messageTokens } from '../../src/core/context/tokens';
import { assistant, call, calls, chain, long, node, result, summary, user } from '../support/talk';

const talk = () => [
  node('a', [user('one'), assistant('two')]),
  node('b', [user('three'), assistant('four')]),
  node('c', [user('five'), assistant('six')]),
];

describe('rebuild', () => {
  it('keeps everything from the watermark of the newest summary on, behind one summary', () => {
    const path = chain(
      ...talk(),
      node('s', [], { kind: 'other', summary: summary('What was', { id: 'b:2', index: 2 }) }),
    );
    const rebuilt = rebuild(path);
    assert.deepEqual(
      rebuilt.messages.slice(1),
      path.slice(1, 3).flatMap(({ messages }) => messages),
    );
    assert.equal(rebuilt.messages[0]!.role, 'user');
    assert.ok(rebuilt.messages[0]!.content.startsWith(summaryMarker));
    assert.ok(rebuilt.messages[0]!.content.endsWith('What was'));
    const { messages: _, summary: __, checkpoint, tokensBefore, tokensAfter, ...figures } = rebuilt;
    assert.deepEqual(figures, {
      fromCheckpoint: true,
      watermark: { id: 'b:2', index: 2 },
      summarizedCount: 2,
      keptCount: 4,
      noOp: false,
    });
    assert.equal(checkpoint, 's');
    assert.equal(tokensBefore, 7);
    assert.ok(tokensAfter > 0);
    assert.deepEqual(event(rebuilt), { reason: 'rebuild', ...figures, tokensBefore, tokensAfter });
  });

  it('is no no-op with a checkpoint at watermark 0', () => {
    const path = chain(...talk(), node('s', [], { summary: summary('Nothing yet', { index: 0 }) }));
    const { noOp, keptCount, summarizedCount, messages, fromCheckpoint } = rebuild(path);
    assert.deepEqual(
      { noOp, keptCount, summarizedCount, fromCheckpoint },
      { noOp: false, keptCount: 6, summarizedCount: 0, fromCheckpoint: true },
    );
    assert.equal(messages.length, 7);
  });

  it('keeps nothing where the watermark is past the end', () => {
    const path = chain(...talk(), node('s', [], { summary: summary('All', { index: 99 }) }));
    const { keptCount, summarizedCount, messages, watermark } = rebuild(path);
    assert.deepEqual(
      { keptCount, summarizedCount, watermark },
      { keptCount: 0, summarizedCount: 6, watermark: { id: null, index: 6 } },
    );
    assert.equal(messages.length, 1);
  });

  it('takes a watermark by its id, also where the index says something else', () => {
    const path = chain(
      node('a', [user('one', { id: 'm1' }), assistant('two', { id: 'm2' })]),
      node('b', [user('three', { id: 'm3' })]),
      node('s', [], { summary: summary('S', { id: 'm3', index: 0 }) }),
    );
    assert.deepEqual(rebuild(path).watermark, { id: 'm3', index: 2 });
  });

  it('passes over a summary whose watermark is on another branch, for the deepest that is on the path', () => {
    const path = chain(
      node('a', [user('one', { id: 'm1' }), assistant('two', { id: 'm2' })], {
        summary: summary('First', { id: 'm2', index: 1 }),
      }),
      node('b', [user('three', { id: 'm3' })]),
      node('s', [], { summary: summary('Elsewhere', { id: 'gone', index: 2 }) }),
    );
    const { checkpoint, watermark, summary: used } = rebuild(path);
    assert.deepEqual(
      { checkpoint, watermark, used },
      { checkpoint: 'a', watermark: { id: 'm2', index: 1 }, used: { text: 'First', by: 'agent' } },
    );
  });

  it('compacts where no summary is on the path', () => {
    const path = chain(...talk(), node('s', [], { summary: summary('Elsewhere', { id: 'gone', index: 2 }) }));
    assert.equal(rebuild(path).noOp, true);
    const { fromCheckpoint, summary: used } = rebuild(path, { keepTokens: 1 });
    assert.deepEqual([fromCheckpoint, used?.by], [false, 'digest']);
  });

  it('compacts to the newest 20,000 tokens by itself', () => {
    const path = chain(
      ...Array.from({ length: 30 }, (_, at) => node(`n${at}`, [user(long(500)), assistant(long(500))])),
    );
    const { keptCount, summarizedCount, messages, summary: used } = rebuild(path);
    assert.deepEqual({ keptCount, summarizedCount }, { keptCount: 40, summarizedCount: 20 });
    assert.equal(used?.by, 'digest');
    const tokens = messages.slice(1).reduce((sum, message) => sum + messageTokens(message), 0);
    assert.ok(tokens >= 20_000 && tokens < 21_000, String(tokens));
  });

  it('does nothing to what is small: the very messages', () => {
    const path = chain(...talk());
    const rebuilt = rebuild(path);
    const { noOp, messages, summarizedCount, keptCount, tokensBefore, tokensAfter, watermark } = rebuilt;
    assert.ok(noOp);
    messages.forEach((message, at) => assert.equal(message, path.flatMap((one) => one.messages)[at]));
    assert.deepEqual(
      { summarizedCount, keptCount, watermark },
      { summarizedCount: 0, keptCount: 6, watermark: { id: 'a:0', index: 0 } },
    );
    assert.equal(tokensBefore, tokensAfter);
    assert.deepEqual(rebuild([]).messages, []);
    assert.equal(rebuild([]).noOp, true);
  });

  it('moves the cut back to before parallel calls, so that all their results stay with them', () => {
    const batch = [
      calls('', call('1', 'read'), call('2', 'read'), call('3', 'read')),
      result('1', 'a'),
      result('2', 'b'),
      result('3', 'c'),
    ];
    for (const index of [2, 3, 4]) {
      const path = chain(
        node('a', [user('go'), ...batch, assistant('done')]),
        node('s', [], { summary: summary('S', { index }) }),
      );
      const { watermark, messages } = rebuild(path);
      assert.equal(watermark.index, 1);
      assert.deepEqual(messages.slice(1), [...batch, assistant('done')]);
    }
  });

  it('moves the cut back over results that come late', () => {
    const path = chain(
      node('a', [
        user('go'),
        calls('', call('1', 'task')),
        user('and?'),
        assistant('wait'),
        result('1', 'late'),
        assistant('done'),
      ]),
      node('s', [], { summary: summary('S', { index: 3 }) }),
    );
    const { watermark, messages } = rebuild(path);
    assert.equal(watermark.index, 1);
    assert.deepEqual(
      messages.slice(1).map(({ role }) => role),
      ['assistant', 'tool', 'user', 'assistant', 'assistant'],
    );
  });

  it('does not cut within one answer that was stored in several messages', () => {
    const path = chain(
      node('a', [
        user('go'),
        assistant('', { id: 'm', reasoning: { blocks: [{ type: 'thinking', text: 't', signature: 's' }] } }),
        assistant('said', { id: 'm' }),
      ]),
      node('s', [], { summary: summary('S', { index: 2 }) }),
    );
    assert.equal(rebuild(path).watermark.index, 1);
  });

  it('drops results that nobody called for, and answers calls that nobody answered', () => {
    const path = chain(
      node('a', [
        result('x', 'orphan'),
        user('go'),
        calls('', call('1', 'a'), call('2', 'b')),
        result('2', 'two'),
        result('2', 'again'),
      ]),
    );
    const { messages, noOp } = rebuild(path);
    assert.equal(noOp, false);
    assert.deepEqual(messages, [
      user('go'),
      calls('', call('1', 'a'), call('2', 'b')),
      result('2', 'two'),
      { role: 'tool', content: interrupted, tool_call_id: '1', is_error: true },
    ]);
  });

  it('replaces an earlier summary of its own and never nests it', () => {
    const first = rebuild(chain(node('a', [user('Build it'), assistant(long(100))])), { keepTokens: 10 });
    const path = chain(node('n', [...first.messages, user('More'), assistant(long(200))]));
    const { messages, summary: used } = rebuild(path, { keepTokens: 20 });
    const text = messages.map(({ content }) => content).join('\n');
    assert.equal(text.split(summaryMarker).length, 2);
    assert.equal(used!.text.split('## Requests').length, 2);
    assert.match(used!.text, /Build it[^]*More/);
  });

  it('uses the summary of an agent’s own compaction, and counts what it replaced', () => {
    const kept = [user('five'), assistant('six')];
    const path = chain(
      ...talk(),
      node('k', [user('Summary of one to four'), ...kept], {
        kind: 'compaction',
        replaces: true,
        summary: summary('Summary of one to four'),
      }),
      node('d', [user('seven')]),
    );
    const { messages, summarizedCount, keptCount, fromCheckpoint } = rebuild(path);
    assert.deepEqual(
      { summarizedCount, keptCount, fromCheckpoint },
      { summarizedCount: 4, keptCount: 3, fromCheckpoint: true },
    );
    assert.deepEqual(messages, [summaryMessage('Summary of one to four'), ...kept, user('seven')]);
    // What the compaction replaced is still there for who wants more of it.
    assert.equal(rebuild(path, { keepTokens: 1e6 }).messages.length, 7);
  });

  it('keeps what an agent chose to keep where that is no end of the conversation', () => {
    const path = chain(
      ...talk(),
      node('k', [user('one'), user('five'), user('S')], { kind: 'compaction', replaces: true, summary: summary('S') }),
    );
    assert.deepEqual(rebuild(path).messages, [summaryMessage('S'), user('one'), user('five')]);
  });

  it('forgets what was taken back, with the summaries that tell of it', () => {
    const path = chain(
      ...talk(),
      node('s', [], { summary: summary('Of all six', { index: 6 }) }),
      node('r', [user('one'), assistant('two')], { kind: 'rewind', replaces: true }),
      node('d', [user('instead')]),
    );
    const { messages, noOp } = rebuild(path);
    assert.ok(noOp);
    assert.deepEqual(messages, [user('one'), assistant('two'), user('instead')]);
  });

  it('reads a chain of full logs', () => {
    const [a, b, c] = talk().map(({ messages }) => messages);
    const path = chain(
      node('a', a!, { replaces: true }),
      node('b', [...a!, ...b!], { replaces: true }),
      node('c', [...a!, ...b!, ...c!], { replaces: true }),
    );
    const { messages, watermark } = rebuild(path, { watermark: { index: 2 } });
    assert.deepEqual(messages.slice(1), [...b!, ...c!]);
    assert.equal(watermark.id, 'b:2');
  });

  it('refuses a damaged path unless it is asked for what is left', () => {
    const path = chain(node('a', [user('one')]), node('b', [], { incomplete: true }), node('c', [user('three')]));
    assert.throws(
      () => rebuild(path),
      (error) => CheckpointError.is(error, 'damaged'),
    );
    assert.deepEqual(rebuild(path, { partial: true }).messages, [user('one'), user('three')]);
    const orphaned = chain(node('a', [user('one')], { orphan: true }));
    assert.throws(
      () => rebuild(orphaned),
      (error) => CheckpointError.is(error, 'damaged'),
    );
  });

  it('leaves system messages where they are: at the beginning', () => {
    const system = { role: 'system' as const, content: 'Be kind' };
    const path = chain(node('a', [system, user(long(50)), assistant(long(50))]));
    const { messages, summarizedCount } = rebuild(path, { keepTokens: 10 });
    assert.equal(messages[0], system);
    assert.ok(messages[1]!.content.startsWith(summaryMarker));
    assert.equal(summarizedCount, 1);
  });

  it('uses the summary it is given', () => {
    const { messages, summary: used } = rebuild(chain(...talk()), {
      keepTokens: 1,
      summary: { text: ' Mine ', by: 'model' },
    });
    assert.deepEqual(used, { text: 'Mine', by: 'model' });
    assert.equal(messages[0]!.content, summaryMessage('Mine').content);
  });
});
