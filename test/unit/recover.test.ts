// Recovering what happened before anything was captured, from records laid out as the agents do.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import { planRestore, runPlan } from '../../src/core/restore/restore';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores } from '../../src/core/store/stores';
import { claude, setUp, time } from '../support/recoverKit';

const edit = (file: string, from: string, to: string, originalFile: string | null, minute: number, use: string) => ({
  tool: 'Edit',
  input: { file_path: file, old_string: from, new_string: to },
  result: { filePath: file, oldString: from, newString: to, originalFile, replaceAll: false },
  minute,
  use,
});
const create = (file: string, content: string, minute: number, use: string) => ({
  tool: 'Write',
  input: { file_path: file, content },
  result: { type: 'create', filePath: file, content, originalFile: null },
  minute,
  use,
});
const slug = (root: string) => root.replace(/[^a-zA-Z0-9]/g, '-');

describe('recovering from past sessions', () => {
  it('makes checkpoints of the time when it happened, each with what was before and after', () => {
    const { ports, root, put, at, recover, list, write } = setUp();
    write('beans.txt', 'two\n');
    const changes = [create(at('new.txt'), 'fresh\n', 1, 't1'), edit(at('beans.txt'), 'one', 'two', 'one\n', 2, 't2')];
    put(`.claude/projects/${slug(root)}/s1.jsonl`, claude(root, 's1', changes));
    assert.equal(recover(true).length, 2);
    assert.equal(fs.existsSync(path.join(root, '.system_generated')), false, 'a look writes nothing');
    assert.equal(recover().length, 2);
    const [newest, oldest] = list();
    assert.match(newest!.id, /^20260301T090200000Z-/);
    assert.match(oldest!.id, /^20260301T090100000Z-/);
    assert.equal(newest!.createdAt, time(2));
    assert.deepEqual([newest!.kind, newest!.status, newest!.prompt], ['recovered', 'done', 'Plant the beans']);
    assert.deepEqual(newest!.agent, { name: 'claude-code', session: 's1', turn: 'p1', tool: 'Edit', toolUse: 't2' });
    const [entry] = newest!.entries;
    assert.deepEqual([entry!.path, entry!.provenance], ['beans.txt', 'transcript']);
    const { primary } = rootStores(ports, root);
    assert.ok(entry!.pre.type === 'file' && entry!.post?.type === 'file');
    assert.equal(readBlob(ports, primary, newest!.id, entry!.pre).toString(), 'one\n');
    assert.equal(readBlob(ports, primary, newest!.id, entry!.post).toString(), 'two\n');
    assert.equal(oldest!.entries[0]!.pre.type, 'absent');
  });

  it('adds nothing the second time, nor from a fork that repeats the calls', () => {
    const { root, put, at, recover, list } = setUp();
    const changes = [edit(at('a.txt'), 'one', 'two', 'one\n', 1, 't1')];
    put(`.claude/projects/${slug(root)}/s1.jsonl`, claude(root, 's1', changes));
    assert.equal(recover().length, 1);
    put(
      `.claude/projects/${slug(root)}/s2.jsonl`,
      claude(root, 's2', [...changes, edit(at('a.txt'), 'two', 'three', 'two\n', 2, 't2')]),
    );
    assert.equal(recover().length, 1);
    assert.equal(recover().length, 0);
    assert.equal(list().length, 2);
  });

  it('leaves out what was captured when it happened', () => {
    const { ports, root, put, at, recover, write } = setUp();
    write('a.txt', 'one\n');
    const agent = { name: 'claude-code', session: 's1', toolUse: 't1', tool: 'Edit' };
    createObserver(ports).beforeWrite({
      kind: 'edit',
      cwd: root,
      projectDir: root,
      agent,
      writes: [{ path: at('a.txt') }],
    });
    const changes = [
      edit(at('a.txt'), 'one', 'two', 'one\n', 1, 't1'),
      edit(at('a.txt'), 'two', 'three', 'two\n', 2, 't2'),
    ];
    put(`.claude/projects/${slug(root)}/s1.jsonl`, claude(root, 's1', changes));
    assert.deepEqual(
      recover().map(({ call }) => call.agent.toolUse),
      ['t2'],
    );
  });

  it('can be restored: one file back to what it was, and forward again', () => {
    const { ports, root, put, at, recover, write } = setUp();
    write('beans.txt', 'two\n');
    put(
      `.claude/projects/${slug(root)}/s1.jsonl`,
      claude(root, 's1', [edit(at('beans.txt'), 'one', 'two', 'one\n', 2, 't2')]),
    );
    const [planned] = recover();
    const plan = planRestore(ports, root, { mode: 'checkpoint', id: planned!.id }, { onConflict: 'refuse' });
    const outcome = runPlan(ports, root, plan, { dryRun: false });
    assert.deepEqual(outcome.restored, ['beans.txt'], JSON.stringify(outcome));
    assert.equal(fs.readFileSync(at('beans.txt'), 'utf8'), 'one\n');
  });

  it('has the very bytes where the agent kept a copy, and files that only the copy tells of', () => {
    const { root, put, at, told } = setUp();
    const snapshot = {
      type: 'file-history-snapshot',
      messageId: 'u',
      snapshot: {
        messageId: 'u',
        trackedFileBackups: {
          'beans.txt': { backupFileName: 'aa@v1', version: 1, backupTime: time(1) },
          'other.txt': { backupFileName: 'bb@v1', version: 1, backupTime: time(1) },
          'gone.txt': { backupFileName: 'cc@v1', version: 1, backupTime: time(1) },
          'evil.txt': { backupFileName: '../../x', version: 1, backupTime: time(1) },
        },
      },
    };
    put(
      `.claude/projects/${slug(root)}/s1.jsonl`,
      claude(root, 's1', [edit(at('beans.txt'), 'one', 'two', 'one\nx\n', 2, 't2')], [snapshot]),
    );
    put('.claude/file-history/s1/aa@v1', '\ufeffone\r\nx\r\n');
    put('.claude/file-history/s1/bb@v1', 'other\n');
    put('.claude/x', 'not to be read');
    assert.deepEqual(told('claude-code'), [
      ['other.txt', 'other\n', undefined, 'agent-backup'],
      ['beans.txt', '\ufeffone\r\nx\r\n', undefined, 'agent-backup'],
    ]);
  });

  it('takes no path out of the root, nor a protected one, nor one that is ignored', () => {
    const { root, put, at, recover, write } = setUp();
    write('.checkpointignore', 'secret*\n');
    const changes = [
      edit('/etc/passwd', 'a', 'b', 'a', 1, 't1'),
      edit(at('../other.txt'), 'a', 'b', 'a', 2, 't2'),
      edit(at('.git/config'), 'a', 'b', 'a', 3, 't3'),
      edit(at('secret.txt'), 'a', 'b', 'a', 4, 't4'),
      edit(at('.system_generated/x'), 'a', 'b', 'a', 5, 't5'),
      edit(at('fine.txt'), 'a', 'b', 'a', 6, 't6'),
    ];
    put(`.claude/projects/${slug(root)}/s1.jsonl`, claude(root, 's1', changes));
    assert.deepEqual(
      recover().flatMap(({ files }) => files.map(({ relative }) => relative)),
      ['fine.txt'],
    );
  });

  it('believes no time that is still to come, or is none', () => {
    const { ports, root, put, at, recover } = setUp();
    ports.clock.now = Date.parse(time(30));
    put(
      `.claude/projects/${slug(root)}/s1.jsonl`,
      claude(root, 's1', [edit(at('a.txt'), 'a', 'b', 'a', 31, 't1')]).replaceAll(time(31), '2999-01-01T00:00:00.000Z'),
    );
    put(
      `.claude/projects/${slug(root)}/s2.jsonl`,
      claude(root, 's2', [edit(at('a.txt'), 'a', 'b', 'a', 31, 't2')]).replaceAll(time(31), 'never'),
    );
    assert.deepEqual(recover(), []);
  });

  it('records of any other kind hold nothing, and do no harm', () => {
    const { root, put, recover } = setUp();
    const odd = [null, 1, 'x', [], {}, { filePath: 1 }, { filePath: '/x', originalFile: 5 }];
    const changes = odd.map((result, i) => ({
      tool: 'Edit',
      input: { file_path: 7 },
      result: result as object,
      minute: i,
      use: `t${i}`,
    }));
    put(`.claude/projects/${slug(root)}/s1.jsonl`, claude(root, 's1', changes));
    put('.copilot/session-state/s1/events.jsonl', '{}');
    put('.copilot/session-state/s1/rewind-file-snapshots/index.json', '[[[');
    assert.deepEqual(recover(), []);
  });
});
