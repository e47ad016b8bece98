import assert from 'node:assert/strict';
import fc from 'fast-check';
import { explain, placesIn } from '../../src/core/restore/hunkPlaces';
import { hunksBetween, regionsBetween } from '../../src/core/restore/hunks';
import { linesOf } from '../../src/core/restore/merge';
import { listHunks } from '../../src/core/restore/restore';
import type { RestoreTarget } from '../../src/core/restore/types';
import { AgentWorkspace } from '../support/agentWorkspace';

// Few different lines, so that many are equal; the last one may have no end.
const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'x y\n');
const file = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('', 'end', 'a', '\r'))
  .map(([lines, end]) => lines.join('') + end);
const edited = fc.tuple(file, file, fc.array(fc.nat(30), { maxLength: 6 })).map(([pre, other, cuts]) => {
  // Parts of the file as it was, with parts of another one in between.
  const [mine, theirs] = [linesOf(Buffer.from(pre)), linesOf(Buffer.from(other))];
  const mixed = mine.flatMap((each, i) => (cuts.includes(i) ? theirs.slice(i % 3, (i % 3) + 2) : [each]));
  return { pre, post: mixed.join('') };
});

describe('changes of a file, one by one', () => {
  it('give the state before, undone in any order, and redone the state after', function () {
    this.timeout(300_000);
    fc.assert(
      fc.property(edited, fc.infiniteStream(fc.nat()), ({ pre, post }, order) => {
        if (pre === post) return;
        const work = new AgentWorkspace();
        work.write('f', pre);
        const id = work.agent({ f: post }, { turn: '1' });
        const target = (index: number): RestoreTarget => ({
          mode: 'hunk',
          id,
          files: ['f'],
          hunk: { of: 'turn', index },
        });
        const list = listHunks(work.ports, work.root, target(1));
        assert.ok(typeof list !== 'string');
        const left = list.parts.flatMap(({ hunks }) => hunks.map(({ index }) => index));
        const states = [post];
        while (left.length > 0) {
          const [index] = left.splice(order.next().value! % left.length, 1);
          const { mode, ...rest } = target(index!);
          assert.deepEqual(work.restore(id, mode, rest).restored, ['f']);
          states.push(work.read('f')!);
        }
        assert.equal(work.read('f'), pre);
        for (const state of states.slice(0, -1).reverse()) {
          assert.deepEqual(work.redo().conflicts, []);
          assert.equal(work.read('f'), state);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('leave a turn that is undone as a whole afterwards, and redone', function () {
    this.timeout(300_000);
    fc.assert(
      fc.property(edited, fc.array(fc.nat(), { maxLength: 3 }), ({ pre, post }, picks) => {
        if (pre === post) return;
        const work = new AgentWorkspace();
        work.write('f', pre);
        const id = work.agent({ f: post }, { turn: '1' });
        const list = listHunks(work.ports, work.root, {
          mode: 'hunk',
          id,
          files: ['f'],
          hunk: { of: 'turn', index: 1 },
        });
        assert.ok(typeof list !== 'string');
        const count = list.parts.flatMap(({ hunks }) => hunks).length;
        for (const pick of picks) {
          work.restore(id, 'hunk', { files: ['f'], hunk: { of: 'turn', index: 1 + (pick % count) } });
        }
        const partly = work.read('f');
        assert.deepEqual(work.undo().conflicts, []);
        assert.equal(work.read('f'), pre);
        if (partly !== pre) {
          work.redo();
          assert.equal(work.read('f'), partly);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are found where they are: exactly their lines, in any file', () => {
    fc.assert(
      fc.property(edited, file, ({ pre, post }, current) => {
        const found = hunksBetween(Buffer.from(pre), Buffer.from(post));
        assert.ok(typeof found !== 'string');
        const now = linesOf(Buffer.from(current));
        const places = placesIn(found, now)!;
        assert.equal(places.length, found.hunks.length);
        let last = -1;
        places.forEach((place, i) => {
          if (place.type === 'changed') return;
          const { lines, oldLines } = found.hunks[i]!;
          const there = place.type === 'stands' ? lines : oldLines;
          assert.deepEqual(now.slice(place.at, place.at + there.length), there);
          assert.ok(place.at >= last);
          last = place.at;
        });
      }),
      { numRuns: 3000 },
    );
  });

  it('all stand in the state after, and none in the state before', () => {
    fc.assert(
      fc.property(edited, ({ pre, post }) => {
        const found = hunksBetween(Buffer.from(pre), Buffer.from(post));
        assert.ok(typeof found !== 'string');
        const types = (text: string) => new Set(explain(found, linesOf(Buffer.from(text)))!.map(({ type }) => type));
        const some = found.hunks.length > 0;
        assert.deepEqual(types(post), new Set(some ? ['stands'] : []));
        assert.deepEqual(types(pre), new Set(some ? ['undone'] : []));
      }),
      { numRuns: 3000 },
    );
  });

  it('and what is between them are the two files', () => {
    fc.assert(
      fc.property(edited, ({ pre, post }) => {
        const [before, after] = [linesOf(Buffer.from(pre)), linesOf(Buffer.from(post))];
        const regions = regionsBetween(before, after)!;
        let [from, to] = [0, 0];
        for (const { oldStart, oldEnd, start, end } of regions) {
          assert.deepEqual(before.slice(from, oldStart), after.slice(to, start));
          assert.ok(oldEnd > oldStart || end > start);
          [from, to] = [oldEnd, end];
        }
        assert.deepEqual(before.slice(from), after.slice(to));
      }),
      { numRuns: 3000 },
    );
  });
});
