// Random histories of two agents and a person, with every kind of restore in between, against what must hold:
// a rewind gives the bytes and modes of the point; a path that is not reported is not touched; each restore can be
// taken back exactly; and what a person wrote is never lost without an explicit overwrite, and is in a guard then.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CheckpointError } from '../../src/core/errors';
import type { RestoreOutcome } from '../../src/core/restore/types';
import type { Meta } from '../../src/core/store/meta';
import { AgentWorkspace, folder, type Content } from '../support/agentWorkspace';
import { anOp, type Edit, type Op } from '../support/restoreOps';
import * as fs from 'node:fs';
import path from 'node:path';

const runs = Number(process.env['RESTORE_RUNS'] ?? 150);

/** One history under way. */
class Story {
  readonly work = new AgentWorkspace();
  /** The tree before each agent's checkpoint, and when that was. */
  readonly points: { id: string; tree: Record<string, string>; at: number }[] = [];
  /** When a person last wrote to a path. */
  readonly person = new Map<string, number>();
  /** What a person wrote and has not agreed to lose. */
  readonly precious = new Set<string>();
  readonly turns = [0, 0];
  count = 0;

  constructor() {
    for (const path of ['a', 'b', 'd/x'])
      this.work.write(
        path,
        lines(() => 'start'),
      );
  }

  run(op: Op): void {
    this.count++;
    switch (op.type) {
      case 'agent':
        return this.agent(op);
      case 'person':
        return this.personWrites(op.edit);
      case 'mark':
        return void this.work.mark(op.path);
      case 'undo':
      case 'redo':
        return this.restore('refuse', false, () => this.work[op.type]());
      case 'restore':
        return this.anyRestore(op);
    }
  }

  agent({ session, newTurn, edits }: Op & { type: 'agent' }): void {
    if (newTurn) this.turns[session]!++;
    const writes: Record<string, Content> = {};
    edits.forEach((edit, i) => Object.assign(writes, this.writesOf(edit, `A${this.count}.${i}`)));
    if (Object.keys(writes).length === 0) return;
    const tree = this.work.tree();
    const id = this.work.agent(inOrder(writes), { session: `s${session}`, turn: `${this.turns[session]}` });
    this.points.push({ id, tree, at: this.count });
    // What an agent removed comes and goes with that change.
    const [was, is] = [tree, this.work.tree()].map((each) => Object.values(each).join());
    for (const token of this.precious) if (was!.includes(token) && !is!.includes(token)) this.precious.delete(token);
  }

  personWrites(edit: Edit): void {
    const token = `P${this.count}.`;
    for (const [path, content] of Object.entries(inOrder(this.writesOf(edit, token)))) {
      this.work.write(path, content);
      this.person.set(path, this.count);
    }
    this.precious.add(token);
  }

  writesOf(edit: Edit, token: string): Record<string, Content> {
    const now = this.work.tree();
    const isFile = (path: string) => /^\d/.test(now[path] ?? '');
    switch (edit.type) {
      case 'line': {
        if (now[edit.path] !== undefined && !isFile(edit.path)) return {};
        if (edit.path.startsWith('d/') && now['d'] !== undefined && now['d'] !== 'folder') return {};
        const old = isFile(edit.path) ? this.work.read(edit.path)!.split('\n') : [];
        const keep = isFile(edit.path) ? { mode: fs.statSync(this.work.at(edit.path)).mode & 0o7777 } : { mode: 0o644 };
        return { [edit.path]: { text: lines((i) => (i === edit.line ? token : (old[i] ?? 'new'))), ...keep } };
      }
      case 'whole':
        return now['d'] === undefined || now['d'] === 'folder' || !edit.path.startsWith('d/')
          ? { [edit.path]: `${token}\n` }
          : {};
      case 'delete':
        return now[edit.path] === undefined ? {} : { [edit.path]: undefined };
      case 'mode': {
        if (!isFile(edit.path)) return {};
        const mode = (fs.statSync(this.work.at(edit.path)).mode & 0o7777) === 0o644 ? 0o755 : 0o644;
        return { [edit.path]: { text: fs.readFileSync(this.work.at(edit.path)), mode } };
      }
      case 'link':
        return now['d'] !== 'folder' && edit.path.startsWith('d/') ? {} : { [edit.path]: { link: `to ${token}` } };
      case 'rename': {
        if (edit.path === edit.to || !isFile(edit.path) || now[edit.to] !== undefined) return {};
        if (edit.to.startsWith('d/') && now['d'] !== 'folder') return {};
        const mode = fs.statSync(this.work.at(edit.path)).mode & 0o7777;
        return { [edit.to]: { text: fs.readFileSync(this.work.at(edit.path)), mode }, [edit.path]: undefined };
      }
      case 'fileForFolder': {
        const inside = Object.keys(now).filter((path) => path.startsWith('d/'));
        if (now['d'] === 'folder') {
          return { ...Object.fromEntries(inside.map((path) => [path, undefined])), d: `${token} file\n` };
        }
        return now['d'] === undefined ? {} : { d: folder, 'd/x': `${token}\n` };
      }
    }
  }

  anyRestore({ mode, pick, onConflict, takeBack }: Op & { type: 'restore' }): void {
    const metas = this.work.metas();
    if (metas.length === 0) return;
    const meta = metas[pick % metas.length]!;
    if (mode === 'session') {
      const session = meta.agent?.session;
      if (session === undefined) return;
      return this.restore(onConflict, takeBack, () => this.work.restore(meta.id, 'rewind', { session, onConflict }));
    }
    this.restore(
      onConflict,
      takeBack,
      () => this.work.restore(meta.id, mode, { onConflict }),
      (outcome) => {
        if (mode === 'rewind' && meta.kind !== 'manual') this.isAsAt(meta, outcome);
      },
    );
  }

  /** Runs a restore and checks what always holds. */
  restore(
    onConflict: string,
    takeBack: boolean,
    call: () => RestoreOutcome,
    check: (outcome: RestoreOutcome) => void = () => {},
  ): void {
    const before = this.work.tree();
    let outcome: RestoreOutcome;
    try {
      outcome = call();
    } catch (error) {
      if (!CheckpointError.is(error, 'not-found')) throw error;
      assert.deepEqual(this.work.tree(), before);
      return;
    }
    this.onlyReported(before, outcome);
    this.keepsPrecious(onConflict, before, outcome);
    this.guardHolds(before, outcome);
    check(outcome);
    if (!takeBack || outcome.guard === null) return;
    const back = this.work.restore(outcome.guard);
    assert.deepEqual([back.conflicts, back.skipped], [[], []]);
    assert.deepEqual(this.work.tree(), before);
  }

  onlyReported(before: Record<string, string>, { restored, deleted }: RestoreOutcome): void {
    const after = this.work.tree();
    for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (before[path] === after[path] || restored.includes(path) || deleted.includes(path)) continue;
      // A folder that had to be made for what came back.
      const made = before[path] === undefined && after[path] === 'folder';
      assert.ok(made && restored.some((each) => each.startsWith(`${path}/`)), `${path} was changed and not reported`);
    }
  }

  keepsPrecious(onConflict: string, before: Record<string, string>, { guard }: RestoreOutcome): void {
    const [was, is] = [before, this.work.tree()].map((tree) => Object.values(tree).join());
    for (const token of this.precious) {
      if (!was!.includes(token) || is!.includes(token)) continue;
      assert.equal(onConflict, 'overwrite', `${token} was lost`);
      assert.ok(this.guardText(guard!).includes(token), `${token} is not in the guard`);
      this.precious.delete(token);
    }
  }

  guardHolds(before: Record<string, string>, { guard, restored, deleted }: RestoreOutcome): void {
    if (guard === null) return;
    const { entries } = this.work.metas().find(({ id }) => id === guard)!;
    for (const path of [...restored, ...deleted]) {
      const entry = entries.find((each) => each.path === path)!;
      if (entry.pre.type === 'file') {
        const bytes: string = fs.readFileSync(this.blob(guard, entry.pre.blob), 'latin1');
        assert.equal(`${entry.pre.mode.toString(8)} ${bytes}`, before[path]);
      } else assert.ok(!/^\d/.test(before[path] ?? ''));
    }
  }

  guardText(guard: string): string {
    const { entries } = this.work.metas().find(({ id }) => id === guard)!;
    return entries
      .map(({ pre }) =>
        pre.type === 'file'
          ? fs.readFileSync(this.blob(guard, pre.blob), 'utf8')
          : pre.type === 'symlink'
            ? pre.target
            : '',
      )
      .join();
  }

  blob = (id: string, blob: string) => path.join(this.work.stores.primary.checkpoints, id, blob);

  /** A rewind: what nobody but agents and restores touched since is as it was. */
  isAsAt(meta: Meta, { conflicts, skipped, unchanged }: RestoreOutcome): void {
    const point = this.points.find(({ id }) => id === meta.id);
    if (!point) return;
    const after = this.work.tree();
    const theirs = [...this.person].filter(([, at]) => at > point.at).map(([path]) => path);
    const kept = unchanged.filter((path) => after[path] === 'folder');
    const apart = [...theirs, ...conflicts.map(({ path }) => path), ...skipped.map(({ path }) => path), ...kept];
    const isApart = (path: string) =>
      apart.some((each) => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`));
    for (const path of new Set([...Object.keys(point.tree), ...Object.keys(after)])) {
      if (!isApart(path)) assert.equal(after[path], point.tree[path], `${path} is not as it was at ${meta.id}`);
    }
    if (theirs.length === 0) assert.deepEqual([conflicts, skipped], [[], []]);
  }

  end(): void {
    fs.rmSync(this.work.root, { recursive: true });
    fs.rmSync(this.work.ports.stateDir, { recursive: true, force: true });
  }
}

const lines = (line: (i: number) => string) => Array.from({ length: 12 }, (_, i) => `${line(i)}\n`).join('');

/** What is removed goes first, the deepest first. */
function inOrder(writes: Record<string, Content>): Record<string, Content> {
  const isFile = writes['d'] !== undefined && writes['d'] !== folder;
  const entries = Object.entries(writes).map(
    ([path, to]) => [path, isFile && path.startsWith('d/') ? undefined : to] as const,
  );
  const gone = entries.filter(([, content]) => content === undefined).sort(([a], [b]) => (a < b ? 1 : -1));
  const come = entries.filter(([, content]) => content !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries([...gone, ...come]);
}

describe('restore over random histories', function () {
  this.timeout(0);
  it('gives back any point and never loses what a person wrote', () => {
    fc.assert(
      fc.property(fc.array(anOp, { minLength: 2, maxLength: 14 }), (ops) => {
        const story = new Story();
        for (const op of ops) story.run(op);
        story.end();
      }),
      { numRuns: runs, ...(process.env['RESTORE_SEED'] && { seed: Number(process.env['RESTORE_SEED']) }) },
    );
  });
});
