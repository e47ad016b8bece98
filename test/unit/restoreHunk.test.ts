import assert from 'node:assert/strict';
import { CheckpointError } from '../../src/core/errors';
import { listHunks } from '../../src/core/restore/restore';
import type { HunkTarget, RestoreTarget } from '../../src/core/restore/types';
import type { CheckpointId } from '../../src/core/store/ids';
import { AgentWorkspace } from '../support/agentWorkspace';

const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
const after = 'ONE\ntwo\nthree\nfour\nnew\nfive\nsix\n';

describe('taking back one change of a file', () => {
  let work: AgentWorkspace;
  let id: CheckpointId;
  beforeEach(() => {
    work = new AgentWorkspace();
    work.write('a', before);
    id = work.agent({ a: after }, { turn: '1' });
  });

  const target = (
    index: number,
    more: Partial<HunkTarget> & { id?: CheckpointId; file?: string } = {},
  ): RestoreTarget => {
    const { id: of = id, file = 'a', ...hunk } = more;
    return { mode: 'hunk', id: of, files: [file], hunk: { of: 'turn', index, ...hunk } };
  };
  const hunks = (more?: Parameters<typeof target>[1]) => {
    const list = listHunks(work.ports, work.root, target(1, more));
    assert.ok(typeof list !== 'string', String(list));
    return list.parts.flatMap((part) => part.hunks);
  };
  const undoHunk = (index: number, more?: Parameters<typeof target>[1]) => {
    const { mode, id: of, ...rest } = target(index, more);
    return work.restore(of, mode, rest);
  };
  const fails = (reason: CheckpointError['reason'], call: () => unknown) =>
    assert.throws(call, (error) => CheckpointError.is(error, reason));

  it('names each changed region, with the lines before and after', () => {
    assert.deepEqual(
      hunks().map(({ index, oldLines, lines }) => [index, oldLines, lines]),
      [
        [1, ['one\n'], ['ONE\n']],
        [2, [], ['new\n']],
        [3, ['seven\n'], []],
      ],
    );
  });

  it('leaves the others, in any order, and comes to the state before', () => {
    assert.deepEqual(undoHunk(2).restored, ['a']);
    assert.equal(work.read('a'), 'ONE\ntwo\nthree\nfour\nfive\nsix\n');
    undoHunk(3);
    assert.equal(work.read('a'), 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n');
    undoHunk(1);
    assert.equal(work.read('a'), before);
    assert.deepEqual(undoHunk(1).unchanged, ['a']);
  });

  it('keeps what a person and other agents wrote around it', () => {
    work.agent({ a: after.replace('six\n', 'six\nagent\n') }, { turn: '2', session: 'other' });
    work.write('a', `mine\n${work.read('a')}my own\n`);
    undoHunk(2);
    assert.equal(work.read('a'), 'mine\nONE\ntwo\nthree\nfour\nfive\nsix\nagent\nmy own\n');
    undoHunk(1);
    assert.equal(work.read('a'), 'mine\none\ntwo\nthree\nfour\nfive\nsix\nagent\nmy own\n');
  });

  it('takes lines that were written right beside it for no part of it', () => {
    work.write('a', after.replace('new\n', 'mine\nnew\nmine\n'));
    undoHunk(2);
    assert.equal(work.read('a'), 'ONE\ntwo\nthree\nfour\nmine\nmine\nfive\nsix\n');
  });

  it('is a conflict where its lines were changed since, and writes nothing', () => {
    work.write('a', after.replace('new', 'newer'));
    const { conflicts, guard } = undoHunk(2);
    assert.deepEqual([conflicts.length, guard], [1, null]);
    assert.equal(work.read('a'), after.replace('new', 'newer'));
    work.write('a', undefined);
    assert.equal(undoHunk(2).conflicts.length, 1);
  });

  it('does not know where removed lines were if both neighbours are gone or something stands there', () => {
    work.write('a', `${after}more\n`);
    assert.equal(undoHunk(3).conflicts.length, 1);
  });

  it('can be redone, and then undone again', () => {
    undoHunk(1);
    undoHunk(2);
    work.redo();
    assert.equal(work.read('a'), after.replace('ONE', 'one'));
    work.redo();
    assert.equal(work.read('a'), after);
    undoHunk(2);
    assert.equal(work.read('a'), after.replace('new\n', ''));
  });

  it('can be redone out of order', () => {
    const first = undoHunk(1).guard!;
    undoHunk(2);
    work.restore(first);
    assert.equal(work.read('a'), after.replace('new\n', ''));
  });

  it('leaves the turn standing: undo takes back the rest, and redo gives that back', () => {
    undoHunk(2);
    const left = work.read('a');
    const { conflicts, restored } = work.undo();
    assert.deepEqual([conflicts, restored], [[], ['a']]);
    assert.equal(work.read('a'), before);
    work.redo();
    assert.equal(work.read('a'), left);
    work.redo();
    assert.equal(work.read('a'), after);
    work.undo();
    assert.equal(work.read('a'), before);
  });

  it('is followed by the undo of its turn also where another turn came in between', () => {
    work.agent({ a: after.replace('three', 'THREE') }, { turn: '2' });
    undoHunk(1);
    work.restore(id, 'turn');
    assert.equal(work.read('a'), before.replace('three', 'THREE'));
  });

  it('goes with a rewind to before its turn, and is gone by one to after it', () => {
    const second = work.agent({ b: 'b\n' }, { turn: '2' });
    undoHunk(1);
    work.restore(second, 'rewind');
    assert.deepEqual([work.read('a'), work.read('b')], [after, undefined]);
    work.redo();
    work.restore(id, 'rewind');
    assert.equal(work.read('a'), before);
  });

  it('takes a turn of several edits as one change, and one edit by itself', () => {
    const second = work.agent({ a: after.replace('ONE', 'Won') }, { turn: '1' });
    assert.deepEqual(
      hunks({ id: second }).map(({ lines }) => lines),
      [['Won\n'], ['new\n'], []],
    );
    assert.deepEqual(
      hunks({ id: second, of: 'checkpoint' }).map(({ oldLines }) => oldLines),
      [['ONE\n']],
    );
    undoHunk(1, { id: second, of: 'checkpoint' });
    assert.equal(work.read('a'), after);
  });

  it('sees no change of a person who wrote between two edits of the turn', () => {
    work.write('a', after.replace('three', 'mine'));
    work.agent({ a: after.replace('three', 'mine').replace('six', 'SIX') }, { turn: '1' });
    assert.deepEqual(
      hunks().map(({ index, lines }) => [index, lines]),
      [
        [1, ['ONE\n']],
        [2, ['new\n']],
        [3, []],
        [4, ['SIX\n']],
      ],
    );
    undoHunk(4);
    undoHunk(1);
    assert.equal(work.read('a'), after.replace('three', 'mine').replace('ONE', 'one'));
  });

  it('is refused where it is not what was seen any more', () => {
    const { hash } = hunks()[0]!;
    const second = work.agent({ a: 'other\n' }, { turn: '1' });
    fails('changed-meanwhile', () => undoHunk(1, { id: second, hash }));
    assert.equal(work.read('a'), 'other\n');
  });

  it('has to exist', () => {
    fails('bad-argument', () => undoHunk(4));
    fails('bad-argument', () => undoHunk(0));
    fails('not-found', () => undoHunk(1, { file: 'b' }));
    fails('bad-argument', () => undoHunk(1, { id: work.mark('a') }));
    fails('bad-argument', () => work.restore(id, 'hunk', { files: ['a'] }));
  });

  it('keeps line endings, byte order mark, mode, and a last line without its end', () => {
    for (const [name, pre, post, first, second] of [
      ['crlf', 'a\r\nb\r\nc\r\n', 'A\r\nb\r\nC\r\n', 'a\r\nb\r\nC\r\n', 'A\r\nb\r\nc\r\n'],
      ['bom', '\ufeffa\nb\nc', '\ufeffA\nb\nC', '\ufeffa\nb\nC', '\ufeffA\nb\nc'],
      ['end', 'a\nb\nc', 'A\nb\nc\nd\n', 'a\nb\nc\nd\n', 'A\nb\nc'],
      ['mixed', 'a\r\nb\nc\r\n', 'a\nb\nc\n', 'a\r\nb\nc\n', 'a\nb\nc\r\n'],
    ] as const) {
      for (const [index, wanted] of [
        [1, first],
        [2, second],
      ] as const) {
        work.write(name, { text: pre, mode: 0o751 });
        const made = work.agent({ [name]: post }, { turn: `${name}${index}` });
        undoHunk(index, { id: made, file: name });
        assert.equal(work.read(name), wanted);
        assert.match(work.tree()[name]!, /^751 /);
      }
    }
  });

  it('ends a line that was the last one once and is not now', () => {
    work.write('end', 'a\nb');
    const made = work.agent({ end: 'a\nB\nc\n' }, { turn: 'end' });
    work.write('end', 'a\nB\nc\nmine\n');
    undoHunk(1, { id: made, file: 'end' });
    assert.equal(work.read('end'), 'a\nb\nmine\n');
  });

  it('refuses what has no lines, and what was made or removed as a whole', () => {
    const cases: [string, string | Uint8Array | undefined, string | Uint8Array | undefined, RegExp][] = [
      ['bin', Uint8Array.of(1, 0, 2), Uint8Array.of(1, 0, 3), /binary/],
      ['utf16', Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('\ufeffa\nc\n', 'utf16le'), /UTF-16/],
      ['made', undefined, 'x\n', /created as a whole/],
      ['removed', 'x\n', undefined, /deleted as a whole/],
    ];
    for (const [name, pre, post, reason] of cases) {
      if (pre !== undefined) work.write(name, pre);
      const made = work.agent({ [name]: post }, { turn: name });
      const { skipped, guard } = undoHunk(1, { id: made, file: name });
      assert.match(skipped[0]!.reason, reason);
      assert.equal(guard, null);
      assert.match(String(listHunks(work.ports, work.root, target(1, { id: made, file: name }))), reason);
    }
  });

  it('goes into an editor with unsaved text, and is a record on the timeline then too', () => {
    const unsaved = new Map([['a', Buffer.from(`${after}typed\n`)]]);
    const plan = work.plan(target(1), { unsaved });
    assert.equal(plan.steps[0]!.inEditor, true);
    assert.equal(Buffer.from(plan.steps[0]!.merged!).toString(), `${after}typed\n`.replace('ONE', 'one'));
  });

  it('says on its record which entries it took a part of, and takes none back', () => {
    const guard = undoHunk(1).guard!;
    const meta = work.metas().find((each) => each.id === guard)!;
    assert.deepEqual([meta.restores, meta.restoresPart], [[], [{ id, entry: 0 }]]);
    assert.equal(work.bytesBefore(guard, 'a'), after);
  });

  it('is there for the changes of a restore as well', () => {
    const guard = work.undo().guard! as CheckpointId;
    undoHunk(1, { id: guard });
    assert.equal(work.read('a'), before.replace('one', 'ONE'));
  });
});
