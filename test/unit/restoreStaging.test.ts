// Files that take their places are on the disk before the first of them does, all with one flush where there are many.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import type { FileSystem, Ports } from '../../src/core/ports';
import { planRestore, runPlan, RestoreFailed } from '../../src/core/restore/restore';
import { AgentWorkspace, unflushed } from '../support/agentWorkspace';

const count = 20;
const names = Array.from({ length: count }, (_, i) => `part-${i % 4}/file-${i}`);
const temporary = /\/\.checkpoint-[^/]+$/;

describe('restoring many files', () => {
  let work: AgentWorkspace;
  let before: Record<string, string>;
  /** What happened to the files, in order. */
  let calls: string[];
  beforeEach(() => {
    work = new AgentWorkspace();
    for (const name of names) work.write(name, 'before\n');
    before = work.tree();
    work.agent(Object.fromEntries(names.map((name) => [name, 'after\n'])), { turn: '1' });
    calls = [];
  });

  function noting(more: Partial<FileSystem> = {}): FileSystem {
    const open = new Set<number>();
    return {
      ...unflushed,
      openSync: (file, ...rest) => {
        const fd = fs.openSync(file, ...rest);
        if (temporary.test(String(file))) open.add(fd);
        return fd;
      },
      fsyncSync: (fd) => void (open.has(fd) && calls.push('flush')),
      closeSync: (fd) => {
        open.delete(fd);
        fs.closeSync(fd);
      },
      renameSync: (from, to) => {
        if (temporary.test(String(from))) calls.push('rename');
        fs.renameSync(from, to);
      },
      ...more,
    };
  }

  const restore = (ports: Partial<Ports>) => {
    const all: Ports = { ...work.ports, ...ports };
    const id = work.metas().find(({ kind }) => kind === 'edit')!.id;
    return runPlan(all, work.root, planRestore(all, work.root, { mode: 'checkpoint', id }));
  };

  it('flushes them all at once, and then puts them in place', () => {
    const flushFileSystem = (folder: string) => {
      assert.equal(folder, work.root);
      calls.push('flush all');
      return true;
    };
    assert.equal(restore({ fs: noting(), flushFileSystem }).restored.length, count);
    assert.deepEqual(calls, ['flush all', ...names.map(() => 'rename')]);
    assert.deepEqual(work.tree(), before);
  });

  for (const [how, flushFileSystem] of [
    ['the system has no such call', undefined],
    ['that fails', () => false],
  ] as const) {
    it(`flushes each where ${how}, and before the first takes its place`, () => {
      restore({ fs: noting(), ...(flushFileSystem && { flushFileSystem }) });
      assert.deepEqual(calls, [...names.map(() => 'flush'), ...names.map(() => 'rename')]);
      assert.deepEqual(work.tree(), before);
    });
  }

  it('touches no file where the disk is full, and leaves nothing beside them', () => {
    const after = work.tree();
    let made = 0;
    const openSync: FileSystem['openSync'] = (file, ...rest) => {
      if (temporary.test(String(file)) && ++made === count) {
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      }
      return fs.openSync(file, ...rest);
    };
    assert.throws(
      () => restore({ fs: noting({ openSync }), flushFileSystem: () => true }),
      (error) => error instanceof RestoreFailed && /part-3\/file-\d+: ENOSPC/.test(error.message),
    );
    assert.deepEqual(calls, []);
    assert.deepEqual(work.tree(), after);
  });

  it('makes a conflict of a path whose new file somebody removed', () => {
    const flushFileSystem = () => {
      const [name] = fs.readdirSync(work.at('part-0')).filter((each) => each.startsWith('.checkpoint-'));
      fs.unlinkSync(work.at(`part-0/${name}`));
      return true;
    };
    const outcome = restore({ fs: unflushed, flushFileSystem });
    assert.equal(outcome.restored.length, count - 1);
    assert.equal(outcome.conflicts.length, 1);
    assert.equal(work.read(outcome.conflicts[0]!.path), 'after\n');
  });
});
