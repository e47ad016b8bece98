import assert from 'node:assert/strict';
import { rebuild } from '../../src/core/context/rebuild';
import { messageTokens } from '../../src/core/context/tokens';
import { assistant, call, calls, chain, long, node, result, summary, user } from '../support/talk';

describe('the estimate of tokens', () => {
  it('is the model’s own figure and a quarter of the characters since', () => {
    const path = chain(
      node('a', [user(long(1000)), calls('', call('1', 'x')), result('1', 'x'.repeat(40))], {
        usage: { input: 5000, output: 100 },
      }),
      node('b', [user('y'.repeat(400))]),
    );
    assert.equal(rebuild(path).tokensBefore, 5100 + 10 + 100);
  });

  it('does not use a figure from before a compaction', () => {
    const path = chain(
      node('a', [user('one')], { usage: { input: 90_000, output: 1 } }),
      node('k', [user('S'.repeat(400))], { kind: 'compaction', replaces: true, summary: summary('S'.repeat(400)) }),
    );
    assert.equal(rebuild(path).tokensBefore, 100);
  });

  it('counts images, calls and reasoning', () => {
    assert.equal(messageTokens(user('', { attachments: [{ type: 'image' }, { type: 'image' }] })), 2400);
    assert.equal(
      messageTokens(calls('', call('1', 'read', { path: 'a' }))),
      Math.ceil(('read'.length + '{"path":"a"}'.length) / 4),
    );
    assert.equal(
      messageTokens(assistant('', { reasoning: { blocks: [{ type: 'thinking', text: 'x'.repeat(80) }] } })),
      20,
    );
  });
});
