import assert from 'node:assert/strict';
import { newCheckpointId } from '../../src/core/store/ids';
import type { Entry, State } from '../../src/core/store/meta';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { groupTurns } from '../../src/host/timeline/turns';
import { oneLine, relativeTime, statusOf, turnOrigin, turnTitle } from '../../src/host/timeline/words';

let now = Date.UTC(2026, 0, 1);
const absent: State = { type: 'absent' };
const file = (name: string): State => ({
  type: 'file',
  sha256: Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64),
  size: 1,
  mode: 0o644,
  blob: 'pre/0-x',
});
const entry = (path: string, pre: State = file('1'), post: State | undefined = file('2')): Entry => ({
  path,
  pre,
  ...(post && { post }),
  provenance: 'before-write',
});

function checkpoint(parts: Partial<ListedCheckpoint>): ListedCheckpoint {
  now += 1000;
  return {
    version: 1,
    id: newCheckpointId(now),
    createdAt: new Date(now).toISOString(),
    kind: 'edit',
    status: 'done',
    entries: [],
    notCovered: [],
    mac: '',
    root: '/work',
    pinned: false,
    bytes: 0,
    foreign: false,
    fallback: false,
    ...parts,
  };
}

const by = (turn: string, session = 's') => ({ name: 'claude-code', session, turn });
const group = (...oldestFirst: ListedCheckpoint[]) => groupTurns([...oldestFirst].reverse());

describe('turns of the view', () => {
  it('hold the checkpoints of one turn, newest activity first', () => {
    const turns = group(
      checkpoint({ agent: by('t1'), prompt: 'First\nmore', entries: [entry('a')] }),
      checkpoint({ agent: by('t2'), prompt: 'Second', entries: [entry('b')] }),
      checkpoint({ agent: by('t1'), prompt: 'First\nmore', entries: [entry('a'), entry('c')] }),
    );
    assert.deepEqual(turns.map(turnTitle), ['First', 'Second']);
    assert.deepEqual(
      turns[0]!.files.map(({ path, edits }) => [path, edits.length]),
      [
        ['a', 2],
        ['c', 1],
      ],
    );
  });

  it('leave out what changed nothing, unless it hides something', () => {
    const quiet = checkpoint({ status: 'unchanged', entries: [entry('a')] });
    const honest = checkpoint({ status: 'unchanged', notCovered: [{ path: 'big', reason: 'it is too large' }] });
    assert.equal(group(quiet, checkpoint({ status: 'abandoned' })).length, 0);
    assert.equal(group(honest).length, 1);
  });

  it('are taken back, and stand again, as restores say', () => {
    const edit = checkpoint({ agent: by('t1'), prompt: 'Work', entries: [entry('a')] });
    const undo = checkpoint({ kind: 'restore', restores: [{ id: edit.id, entry: 0 }], entries: [entry('a')] });
    const redo = checkpoint({ kind: 'restore', restores: [{ id: undo.id, entry: 0 }], entries: [entry('a')] });
    const undone = group(edit, undo);
    assert.deepEqual(
      undone.map(({ takenBack }) => takenBack),
      [false, true],
    );
    assert.deepEqual([turnTitle(undone[0]!), turnOrigin(undone[0]!)], ['Restored 1 file', 'undid “Work”']);
    const redone = group(edit, undo, redo);
    assert.deepEqual(
      redone.map(({ takenBack }) => takenBack),
      [false, true, false],
    );
    assert.equal(turnOrigin(redone[0]!), 'redid “Work”');
  });

  it('are not taken back by a stranger’s restore', () => {
    const edit = checkpoint({ agent: by('t1'), entries: [entry('a')] });
    const undo = checkpoint({
      kind: 'restore',
      foreign: true,
      restores: [{ id: edit.id, entry: 0 }],
      entries: [entry('a')],
    });
    assert.equal(group(edit, undo).at(-1)!.takenBack, false);
  });

  it('show folders only where no file says the same', () => {
    const folder: State = { type: 'directory' };
    const [turn] = group(
      checkpoint({
        entries: [entry('src', absent, folder), entry('src/a.ts', absent), entry('empty', absent, folder)],
      }),
    );
    assert.deepEqual(
      turn!.files.map(({ path }) => path),
      ['empty', 'src/a.ts'],
    );
  });

  it('of a folder around the workspace folder hold only its paths', () => {
    const turns = groupTurns(
      [checkpoint({ entries: [entry('other/b')] }), checkpoint({ entries: [entry('app/a'), entry('other/c')] })],
      'app/',
    );
    assert.deepEqual(
      turns.map(({ files }) => files.map(({ path }) => path)),
      [['app/a']],
    );
  });

  it('say what became of each file', () => {
    const status = (...entries: Entry[]) => statusOf(group(checkpoint({ entries: [entries[0]!] }))[0]!.files[0]!);
    assert.equal(status(entry('a', absent)), 'A');
    assert.equal(status(entry('a', file('1'), absent)), 'D');
    assert.equal(status({ ...entry('a', absent), renamedFrom: 'b' }), 'R');
    assert.equal(status(entry('a')), 'M');
    // Not known yet: nothing is claimed.
    assert.equal(status(entry('a', file('1'), undefined)), 'M');
  });
});

describe('words of the view', () => {
  it('are one clean line, whatever a prompt holds', () => {
    assert.equal(oneLine('\n  a\u0000b\u202e\tc\r\nd'), 'a b  c');
    assert.equal(oneLine('x'.repeat(300), 10), `${'x'.repeat(10)}…`);
  });

  it('tell times in short', () => {
    const at = Date.UTC(2026, 5, 15, 12);
    const ago = (ms: number) => relativeTime(at - ms, at);
    assert.deepEqual([ago(0), ago(90_000), ago(3 * 3_600_000), ago(2 * 86_400_000)], ['now', '1 min', '3 h', '2 d']);
    assert.equal(relativeTime(Date.UTC(2025, 0, 3, 12), at), 'Jan 3, 2025');
  });
});
