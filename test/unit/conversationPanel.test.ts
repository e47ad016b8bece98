import assert from 'node:assert/strict';
import { childrenOf, layOut, maxLanes, pathOf, turnHeads, type GraphNode } from '../../src/core/conversation/graph';
import { labelOf, shownMessage } from '../../src/core/conversation/shown';
import { fromPanel, maxLabels, maxQuery } from '../../src/protocol/conversation';

const nodes = (...list: [parent: number, opensTurn?: boolean][]): GraphNode[] =>
  list.map(([parent, opensTurn = false]) => ({ parent, opensTurn }));
const none = () => false;

describe('the graph of a conversation', () => {
  //  0 - 1 - 3 - 5
  //   \   \- 4 - 7
  //    2       5 and 6 from 3
  const forks = nodes([-1, true], [0], [0], [1, true], [1, true], [3], [3], [4]);

  it('puts the active path into lane 0, and branches that exist at once into different lanes', () => {
    const { lanes, rows, segments } = layOut(forks, 5, none);
    assert.deepEqual([...rows], [0, 1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(
      [0, 1, 3, 5].map((i) => lanes[i]),
      [0, 0, 0, 0],
    );
    assert.notEqual(lanes[4], lanes[6]);
    assert.equal(lanes[4], lanes[7]);
    for (const i of [2, 4, 6, 7]) assert.ok(lanes[i]! > 0);
    for (const a of segments) {
      for (const b of segments) {
        const overlaps = a !== b && a.first <= b.last && b.first <= a.last;
        assert.ok(!overlaps || a.lane !== b.lane, JSON.stringify([a, b]));
      }
    }
  });

  it('gives a lane again when its branch has ended', () => {
    const { lanes } = layOut(nodes([-1], [0], [0], [2], [2], [4]), 5, none);
    assert.deepEqual([lanes[1], lanes[3]], [1, 1]);
  });

  it('folds a turn into its first row, and hangs what follows on that', () => {
    const list = nodes([-1, true], [0], [1], [2, true], [3]);
    const { rows, segments, rowOf } = layOut(list, 4, (head) => head === 0);
    assert.deepEqual([...rows], [0, 3, 4]);
    assert.deepEqual([rowOf[1], rowOf[2]], [-1, -1]);
    assert.deepEqual(
      segments.map(({ first, last }) => [first, last]),
      [[0, 2]],
    );
    assert.deepEqual([...turnHeads(list, childrenOf(list))], [0, 0, 0, 3, 3]);
  });

  it('survives several roots, late parents, parents that are none, and a wide fork', () => {
    const odd = layOut(nodes([2], [-1], [-1], [99], [-5]), 0, none);
    assert.equal(odd.rows.length, 5);
    const wide = nodes(
      [-1],
      ...Array.from({ length: 200 }, (): [number] => [0]),
      ...Array.from({ length: 200 }, (_, i): [number] => [i + 1]),
    );
    const { laneCount, lanes } = layOut(wide, 0, none);
    assert.ok(laneCount <= maxLanes && Math.max(...lanes) < maxLanes);
    assert.deepEqual(pathOf(wide, 201), [0, 1, 201]);
    assert.deepEqual([...layOut([], -1, none).rows], []);
  });

  it('lays out 100,000 checkpoints at once', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({
      parent: i % 50 === 7 ? i - 5 : i - 1,
      opensTurn: i % 10 === 0,
    }));
    const begun = performance.now();
    assert.equal(layOut(many, 99_999, none).rows.length, 100_000);
    assert.ok(performance.now() - begun < 5000);
  });
});

describe('what the panel sends', () => {
  it('is taken only as what it says it is', () => {
    assert.deepEqual(fromPanel({ type: 'ready', more: 1 }), { type: 'ready' });
    assert.deepEqual(fromPanel({ type: 'open', index: 3 }), { type: 'open', index: 3 });
    assert.deepEqual(fromPanel({ type: 'action', action: 'copyId', index: 0 }), {
      type: 'action',
      action: 'copyId',
      index: 0,
    });
    const bad = [
      null,
      7,
      'ready',
      [],
      {},
      { type: 'x' },
      { type: 'open' },
      { type: 'open', index: -1 },
      { type: 'open', index: 1.5 },
      { type: 'open', index: '1' },
      { type: 'labels', indices: 'x' },
      { type: 'labels', indices: [-1] },
      { type: 'labels', indices: Array(maxLabels + 1).fill(0) },
      { type: 'search', query: 7 },
      { type: 'search', query: 'x'.repeat(maxQuery + 1) },
      { type: 'action', action: 'rm', index: 0 },
      { type: 'action', action: '__proto__', index: 0 },
      { type: 'action', action: 'copyId', index: NaN },
    ];
    for (const each of bad) assert.equal(fromPanel(each), undefined, JSON.stringify(each));
  });
});

describe('what the panel shows of a message', () => {
  it('is bounded and of the right types, whatever is in the file', () => {
    const long = shownMessage({ role: 'user', content: 'x'.repeat(200_000) });
    assert.deepEqual([long.text.length, long.cut], [100_000, 100_000]);
    const odd = [
      { role: 'assistant' },
      { role: 'assistant', content: null },
      { role: 'assistant', content: { a: 1 } },
      { role: 'assistant', content: [{ type: 'text', text: 'a' }, null, 7] },
      { role: 'assistant', content: '', tool_calls: 'x' },
      { role: 'assistant', content: '', tool_calls: [null, { name: 7 }, { name: 'w', arguments: '{}' }] },
    ];
    for (const message of odd) {
      const { text, calls } = shownMessage(message as never);
      assert.equal(typeof text, 'string');
      for (const call of calls) assert.deepEqual([typeof call.name, typeof call.arguments], ['string', 'string']);
    }
    assert.equal(shownMessage(odd[3] as never).text, 'a\nnull\n7');
  });

  it('has one line for a row', () => {
    const label = (content: string) => labelOf([{ role: 'user', content }], 'pass', undefined).text;
    assert.equal(label('# Title\n\n**bold** and `code`\u202e\u0007\tx'), 'Title bold and code x');
    assert.equal(label(''), '(no text)');
    assert.ok(label('x'.repeat(10_000)).length <= 300);
    assert.deepEqual(labelOf([], 'pass', undefined), { text: '(no messages)', who: 'other', tools: [] });
    assert.equal(
      labelOf([{ role: 'assistant', content: '', tool_calls: [{ name: 'Write' }] }], 'pass', undefined).text,
      'Calls tools',
    );
  });
});
