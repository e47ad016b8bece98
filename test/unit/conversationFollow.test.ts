import assert from 'node:assert/strict';
import { forksOf } from '../../src/core/conversation/conversations';
import { fileLinks } from '../../src/core/conversation/fileLinks';
import { followTree } from '../../src/core/conversation/follow';
import type { ConversationNode, ConversationTree, Message } from '../../src/core/conversation/model';
import { rootStores } from '../../src/core/store/stores';
import { assistant, chainPlace, user, type ChainPlace } from '../support/chains';
import { cliWorkspace } from '../support/cliRunner';

const session = { agent: 'claude-code', session: 's' };
const node = (
  id: string,
  parentId: string | null,
  messages: readonly Message[],
  more: Partial<ConversationNode> = {},
): ConversationNode => ({
  id,
  parentId,
  messages,
  kind: 'pass',
  files: [],
  ...more,
});
const tree = (nodes: readonly ConversationNode[], leaf?: string): ConversationTree => ({ nodes, leaf, damaged: [] });
const call = (id: string): Message => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, name: 'Write', arguments: {} }],
});
const result = (id: string): Message => ({ role: 'tool', content: 'ok', tool_call_id: id });

describe('following a transcript', () => {
  let place: ChainPlace;
  beforeEach(() => (place = chainPlace()));
  const follow = (of: ConversationTree, options = {}) =>
    followTree(place.ports, place.stores, session, of, options).added;
  const open = () => place.open('claude-code-s');

  it('adds one checkpoint for each pass, once', () => {
    const nodes = [
      node('a', null, [user('1')]),
      node('b', 'a', [call('t'), result('t')]),
      node('c', 'a', [assistant('x')]),
    ];
    assert.deepEqual(follow(tree(nodes, 'b')), ['a', 'b', 'c']);
    assert.deepEqual(follow(tree(nodes, 'b')), []);
    assert.deepEqual(open().leaf, 'b');
    assert.deepEqual(forksOf(open()), ['a']);
    assert.deepEqual(open().nodes[1]!.source, { ...session, entry: 'b' });
    assert.deepEqual(follow(tree([...nodes, node('d', 'b', [assistant('done')])], 'd')), ['d']);
    assert.deepEqual(open().messages('d'), [user('1'), call('t'), result('t'), assistant('done')]);
    follow(tree(nodes, 'c'));
    assert.equal(open().leaf, 'c');
  });

  it('waits for the results of a pass, unless the agent has stopped; late ones are added behind it', () => {
    const first = node('a', null, [user('1')]);
    assert.deepEqual(follow(tree([first, node('b', 'a', [call('t')])], 'b')), ['a']);
    assert.deepEqual(follow(tree([first, node('b', 'a', [call('t')])], 'b'), { isOver: true }), ['b']);
    const whole = [first, node('b', 'a', [call('t'), result('t')]), node('c', 'b', [assistant('x')])];
    assert.deepEqual(follow(tree(whole, 'c')), ['b+1', 'c']);
    assert.deepEqual(follow(tree(whole, 'c')), []);
    assert.deepEqual(open().path('c'), ['a', 'b', 'b+1', 'c']);
    assert.deepEqual(open().messages('c'), [user('1'), call('t'), result('t'), assistant('x')]);
  });

  it('keeps compactions, and what the agent deletes', () => {
    const nodes = [
      node('a', null, [user('1'), assistant('2')]),
      node('k', 'a', [user('summary')], {
        kind: 'compaction',
        replaces: true,
        summary: { text: 'summary', by: 'agent' },
      }),
      node('b', 'k', [user('3')]),
    ];
    follow(tree(nodes, 'b'));
    assert.deepEqual(follow(tree([node('z', null, [user('new')])], 'z')), ['z']);
    assert.deepEqual(open().messages('b'), [user('summary'), user('3')]);
    assert.equal(open().nodes[1]!.kind, 'compaction');
    assert.equal(open().record('k').summary!.text, 'summary');
    assert.deepEqual(follow(tree(nodes, 'b')), []);
  });

  it('survives orphans, cycles, late parents and ids of any kind', () => {
    const long = 'x'.repeat(5000);
    const nodes = [
      node('late', 'p', [user('2')]),
      node('p', null, [user('1')]),
      node('o', 'missing', [user('o')]),
      node('q', 'r', [user('q')]),
      node('r', 'q', [user('r')]),
      node('', 'p', [user('no id')]),
      node(long, 'p', [user('long')]),
    ];
    assert.equal(follow(tree(nodes)).length, nodes.length);
    const chain = open();
    assert.deepEqual(chain.index.damaged, []);
    assert.deepEqual(chain.messages('late'), [user('1'), user('2')]);
    for (const { id } of chain.nodes) chain.messages(id);
  });

  it('names the file checkpoints of its tool calls', () => {
    const workspace = cliWorkspace();
    const first = workspace.agentWrites({ 'a.txt': 'x' }, { session: 's' });
    workspace.agentWrites({ 'a.txt': 'y' }, { session: 'other' });
    const filesOf = fileLinks(workspace.ports, rootStores(workspace.ports, workspace.root), 's');
    assert.deepEqual(filesOf(['call-1', 'call-2', 'nope']), [first]);
    assert.deepEqual(filesOf(['call-1__vscode-12']), [first]);
    follow(tree([node('a', null, [call('call-1'), result('call-1')])]), { filesOf });
    assert.deepEqual(open().nodes[0]!.files, [first]);
  });
});
