// Conversations whose rebuilt contexts are kept as texts in test/golden/rebuild.
import type { RebuildOptions } from '../../src/core/context/rebuild';
import type { ConversationNode } from '../../src/core/conversation/model';
import { assistant, call, calls, chain, long, node, result, summary, user } from './talk';

export interface GoldenTalk {
  readonly path: readonly ConversationNode[];
  readonly options?: RebuildOptions;
}

const work = () => [
  node('ask', [
    user('Make the cart add up.\n\nIt must not round before the end. Never touch src/tax.ts.'),
    calls('Let me look.', call('t1', 'Read', { file_path: '/w/src/cart.ts' })),
    result('t1', 'let sum = 0;\nfor (const item of items) sum += item.price;\n'),
  ]),
  node('edit', [
    calls(
      'The cause is the missing count. I will use reduce instead of the loop.',
      call('t2', 'Edit', { file_path: '/w/src/cart.ts', old_string: 'let', new_string: 'const' }),
      call('t3', 'Bash', { command: 'npm test' }),
    ),
    result('t2', 'ok'),
    result('t3', 'FAIL cart\nexit code 1', { is_error: true }),
  ]),
  node('fix', [
    calls('', call('t4', 'Bash', { command: 'npm test -- --fix' })),
    result('t4', '3 passing\n'),
    assistant('The cart adds up now.'),
  ]),
];
const more = () => node('more', [user('Now the receipt, please. Only whole cents.'), assistant('Which format?')]);
const batch = () => [
  user('Read all three'),
  calls(
    'Reading.',
    call('p1', 'Read', { path: 'a' }),
    call('p2', 'Read', { path: 'b' }),
    call('p3', 'Read', { path: 'c' }),
  ),
  result('p1', 'A'),
  result('p2', 'B'),
  result('p3', 'C'),
  assistant('Read.'),
];
const marked = (text: string, watermark: { id?: string; index: number }) =>
  node('mark', [], { kind: 'other', summary: summary(text, watermark, 'digest') });
const files: RebuildOptions['files'] = () => [
  { path: 'src/cart.ts', added: 4, removed: 7, edits: 2, now: 'as left' },
  { path: 'data/stock list.csv', added: 1, removed: 1, edits: 1, now: 'changed since' },
  { path: 'logo.png', edits: 1, now: 'not there' },
];

export const goldenTalks: Readonly<Record<string, GoldenTalk>> = {
  empty: { path: [] },
  'one-message': { path: chain(node('a', [user('Hello')])) },
  'one-message-summarised': { path: chain(node('a', [user('Hello')])), options: { keepTokens: 0 } },
  'only-results': { path: chain(node('a', [result('x', 'one'), result('y', 'two')])) },
  small: { path: chain(...work(), more()) },
  digest: { path: chain(...work(), more()), options: { keepTokens: 5 } },
  'digest-with-files': { path: chain(...work(), more()), options: { keepTokens: 5, files } },
  'all-summarised': { path: chain(...work(), more()), options: { keepTokens: 0 } },
  compaction: {
    path: chain(
      ...Array.from({ length: 12 }, (_, at) =>
        node(`n${at}`, [user(`Step ${at}. ${long(2000)}`), assistant(`Step ${at} is done.`)]),
      ),
    ),
    options: { keepTokens: 4500 },
  },
  'many-requests': {
    path: chain(
      ...Array.from({ length: 120 }, (_, at) =>
        node(`n${at}`, [user(`Please do part ${at}`), assistant(`I will use plan ${at}.`)]),
      ),
    ),
    options: { keepTokens: 10 },
  },
  'watermark-at-0': { path: chain(...work(), marked('Nothing happened before.', { index: 0 })) },
  'watermark-in-the-middle': {
    path: chain(...work(), more(), marked('The cart was fixed.', { id: 'more:9', index: 9 })),
  },
  'watermark-past-the-end': { path: chain(...work(), marked('All of it.', { index: 1000 })) },
  'watermark-grown-over': { path: chain(...work(), marked('The cart was fixed.', { index: 9 }), more()) },
  'watermark-on-another-branch': {
    path: chain(...work(), marked('Of another branch.', { id: 'gone:4', index: 4 }), more()),
  },
  'watermark-stale-falls-back': {
    path: chain(
      ...work(),
      node('s1', [], { summary: summary('Up to the fix.', { id: 'fix:6', index: 6 }) }),
      more(),
      marked('Of another branch.', { id: 'gone:1', index: 1 }),
    ),
  },
  'watermark-in-parallel-calls': { path: chain(node('a', batch()), marked('Something.', { index: 3 })) },
  'watermark-before-late-result': {
    path: chain(
      node('a', [
        user('Start'),
        calls('', call('bg', 'Task', { prompt: 'look' })),
        user('Meanwhile?'),
        assistant('Waiting.'),
        result('bg', 'Found.'),
      ]),
      marked('Started.', { index: 3 }),
    ),
  },
  'parallel-calls': {
    path: chain(node('a', [user(long(30)), assistant('Ready.')]), node('b', batch())),
    options: { keepTokens: 3 },
  },
  'interrupted-calls': {
    path: chain(
      node('a', [
        user('Go'),
        calls('', call('1', 'Bash', { command: 'make' }), call('2', 'Read', { path: 'x' })),
        result('2', 'text'),
      ]),
    ),
  },
  'interrupted-calls-summarised': {
    path: chain(
      node('a', [user('Go'), calls('', call('1', 'Bash', { command: 'make' }))]),
      node('b', [user('Again'), assistant('Yes.')]),
    ),
    options: { keepTokens: 2 },
  },
  'orphan-results': { path: chain(node('a', [result('lost', 'from nowhere'), user('Go on'), assistant('Gladly.')])) },
  'agent-compaction': {
    path: chain(
      ...work(),
      node('k', [user('This goes on from before. The cart was fixed.'), user('Carry on')], {
        kind: 'compaction',
        replaces: true,
        summary: summary('This goes on from before. The cart was fixed.'),
      }),
      more(),
    ),
  },
  'agent-compaction-keeping-the-tail': {
    path: chain(
      ...work(),
      node('k', [user('The cart is being fixed.'), ...work()[2]!.messages], {
        kind: 'compaction',
        replaces: true,
        summary: summary('The cart is being fixed.'),
      }),
      more(),
    ),
  },
  'agent-compaction-naming-its-tail': {
    path: chain(
      ...work(),
      node('k', [], { kind: 'compaction', summary: summary('The cart is being fixed.', { id: 'fix', index: 6 }) }),
      more(),
    ),
  },
  'two-compactions': {
    path: chain(
      ...work(),
      node('k1', [user('First summary.')], { kind: 'compaction', replaces: true, summary: summary('First summary.') }),
      more(),
      node('k2', [user('Second summary.')], {
        kind: 'compaction',
        replaces: true,
        summary: summary('Second summary.'),
      }),
      node('end', [user('And now?')]),
    ),
  },
  'digest-after-compaction': {
    path: chain(
      node('k', [user('The agent wrote this summary.')], {
        kind: 'compaction',
        replaces: true,
        summary: summary('The agent wrote this summary.'),
      }),
      ...work(),
      more(),
    ),
    options: { keepTokens: 5 },
  },
  'brute-compaction': {
    path: chain(
      node('a', [user('[compacted:summary] Earlier work on the cart.'), user('Go on'), assistant('Yes.')], {
        replaces: true,
      }),
    ),
  },
  'full-logs': {
    path: chain(
      node('a', [user('one'), assistant('two')], { replaces: true }),
      node('b', [user('one'), assistant('two'), user('three')], { replaces: true }),
      marked('Short.', { id: 'b:2', index: 2 }),
    ),
  },
  rewind: {
    path: chain(
      ...work(),
      more(),
      node('r', work()[0]!.messages, { kind: 'rewind', replaces: true }),
      node('other', [user('Another way, then.')]),
    ),
  },
  fork: {
    path: chain(...work().slice(0, 2), node('branch', [user('Try without reduce')])),
    options: { keepTokens: 4 },
  },
  'signed-reasoning': {
    path: chain(
      node('a', [user(long(40)), assistant('Hm.')]),
      node('b', [
        user('Think'),
        assistant('', { id: 'm1', reasoning: { blocks: [{ type: 'thinking', text: 'deep', signature: 'c2ln' }] } }),
        assistant('Thought.', { id: 'm1' }),
      ]),
    ),
    options: { keepTokens: 1 },
  },
  attachments: {
    path: chain(
      node('a', [
        user('', { attachments: [{ type: 'image', mediaType: 'image/png' }, { type: 'file' }] }),
        assistant('A cat.'),
      ]),
    ),
    options: { watermark: { index: 0 }, summary: { text: 'A picture follows.', by: 'model' } },
  },
  'half-characters-and-fences': {
    path: chain(
      node('a', [
        user('half \ud83d of it'),
        calls('', call('a b', 'Read', { '\udc00': '```' })),
        result('a b', 'text with\n````\nfences'),
      ]),
    ),
  },
  'repeated-call-ids': {
    path: chain(
      node('a', [
        user('Go'),
        calls('', call('c', 'Read', 1), call('c', 'Read', 2)),
        result('c', 'one'),
        result('c', 'two'),
        calls('', call('c', 'Read', 3)),
        result('c', 'three'),
      ]),
    ),
  },
  partial: {
    path: chain(
      node('a', [user('one')]),
      node('lost', [], { incomplete: true }),
      node('c', [assistant('three')], { incomplete: true }),
    ),
    options: { partial: true },
  },
  'given-summary': {
    path: chain(...work(), more()),
    options: { keepTokens: 5, summary: { text: 'Written by a person.', by: 'model' } },
  },
  'second-rebuild': {
    path: chain(
      node('a', [
        user(
          '[context summary: agent-checkpoints]\nThis stands for the earlier part of the conversation, which is not repeated here.\n\n## Requests\n- Make the cart add up.\n\n## Files\n- `src/cart.ts`: +1 −1, 1 edit; now as the agent left it\n\n## Open ends\n- To do: the receipt',
        ),
        ...more().messages,
      ]),
      ...work(),
    ),
    options: { keepTokens: 5, files },
  },
};
