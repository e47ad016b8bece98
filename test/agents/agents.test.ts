// The real programs of agents, with our installed hooks, on a scripted model: what they wrote is on the timeline, and
// rewinding gives the first tree back byte for byte.
// AGENTS=name,name limits it to some. A program that cannot be had or driven is told by name.
import assert from 'node:assert/strict';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { AgentRun, Workspace } from './agentRun';
import { programs } from './programs';
import { byPerson, editedFirst, firstPrompt, firstTurn, prepare, secondTurn } from './scenario';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';
import { setUpOrSkip, type StartLine } from './setUp';
import { unaccounted, type Tree } from './tree';

const wanted = process.env['AGENTS']?.split(',');

for (const program of programs.filter(({ name }) => wanted === undefined || wanted.includes(name))) {
  describe(`the real program of ${program.name}`, function () {
    this.timeout(420_000);
    let model: ScriptedModel;
    let start: StartLine;
    before(async function () {
      if (process.platform !== 'linux') return this.skip();
      model = await startScriptedModel();
      start = await setUpOrSkip(program, this);
      return undefined;
    });
    let agent: AgentRun | undefined;
    after(async () => {
      await agent?.end();
      await model?.close();
    });

    it('has all that it wrote on the timeline, and rewinding gives the first tree back', async () => {
      const space = new Workspace();
      prepare(space);
      agent = await new AgentRun(program, start, model, space).setUp();
      const first = space.tree();
      await firstTurn(agent);
      const between = space.tree();
      byPerson(space);
      const byHand = space.tree();
      const earlier = await space.list();
      await secondTurn(agent);
      await agent.end();
      const last = space.tree();
      assert.equal(space.read('src/a.txt'), 'alpha ONE\nalpha TWO\nalpha THREE\nalpha four, by a person\n');
      assert.equal(space.read('docs/added.md'), 'only here\n');
      assert.deepEqual([last['todo.txt'], last['.env'], last['cache/kept.bin']], [undefined, undefined, undefined]);

      // The store was deleted with all that Git does not hold.
      await space.cli('doctor', '--put-back');
      const checkpoints = await space.list();
      checkWhose(agent, checkpoints);
      assert.deepEqual(unaccounted(first, earlier, between), []);
      const { turn } = checkpoints[0]!.agent!;
      assert.deepEqual(unaccounted(first, checkpoints, last, { before: turn!, tree: byHand }), []);
      // Named, with the reason, and nothing else is.
      const told = checkpoints.flatMap(({ notCovered }) => notCovered.filter((each) => each.path !== undefined));
      assert.deepEqual(
        told.map((each) => each.path),
        ['cache'],
      );
      assert.match(told[0]!.reason, /Git ignores it/);

      const oldest = checkpoints.at(-1)!.id;
      const skipped = ['cache'];
      const refused = await space.restore(oldest, '--mode', 'rewind');
      assert.deepEqual(refused, { conflicts: ['src/a.txt'], skipped });
      const merged = await space.restore(oldest, '--mode', 'rewind', '--on-conflict', 'merge');
      assert.deepEqual(merged, { conflicts: [], skipped });
      // What the person wrote stays; the rest is as it was.
      const a = 'alpha one\nalpha two\nalpha three\nalpha four, by a person\n';
      assert.equal(space.read('src/a.txt'), a);
      assert.equal(space.read('todo.txt'), 'of a person\n');
      const own = (tree: Tree) =>
        Object.entries(tree).filter(([name]) => !['src/a.txt', 'todo.txt'].includes(name) && !name.startsWith('cache'));
      assert.deepEqual(own(space.tree()), own(first));
      const row = await agent.row();
      assert.deepEqual([row.installed, typeof row.lastSeen], [true, 'string']);
    });
  });
}

/** Each call is there once, under the name of its agent, in its turn. */
function checkWhose(agent: AgentRun, checkpoints: readonly ListedCheckpoint[]): void {
  const { name, tools, silent, oneVoice } = agent.program;
  const oldestFirst = checkpoints.toReversed();
  assert.deepEqual(new Set(oldestFirst.map((one) => one.agent!.name)), new Set([name]));
  assert.deepEqual(new Set(oldestFirst.map(({ status }) => status)), new Set(['done']));
  const edits = oldestFirst.filter(({ kind }) => kind === 'edit');
  assert.deepEqual(
    edits.map(({ entries }) => entries.map((each) => each.path).sort()),
    [...editedFirst(agent), ['src/a.txt'], ...(tools.subagent ? [['src/sub.txt']] : []), ['src/last.txt']],
  );
  for (const { entries } of edits) {
    for (const { post } of entries) assert.equal(post!.type === 'file' && post!.inferred === true, false);
  }
  const commands = oldestFirst.filter(({ kind }) => kind === 'command');
  assert.equal(commands.length, 5);
  const turns = [...new Set(oldestFirst.map((one) => one.agent!.turn))];
  assert.equal(turns.length, 2);
  const ofFirst = oldestFirst.filter((one) => one.agent!.turn === turns[0]);
  assert.equal(ofFirst.length, editedFirst(agent).length + 3);
  // opencode puts a prompt of several words in quotes.
  const prompts = new Set(ofFirst.map(({ prompt }) => prompt?.replace(/^"(.*)"$/, '$1')));
  if (!silent) assert.deepEqual(prompts, new Set([firstPrompt]));
  if (tools.subagent && !oneVoice) {
    const [sub] = edits.filter(({ entries }) => entries[0]!.path === 'src/sub.txt');
    assert.ok(sub!.agent!.subagent);
    assert.equal(edits.filter((one) => one.agent!.subagent !== undefined).length, 1);
  }
}
