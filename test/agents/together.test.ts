// Two agents at once in one folder: each has its own sessions and turns, and undoing one leaves the other's writes.
import assert from 'node:assert/strict';
import { AgentRun, Workspace } from './agentRun';
import { programs, turnsOf } from './programs';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';
import { setUpOrSkip } from './setUp';

const names = ['claude-code', 'codex'] as const;
const wanted = process.env['AGENTS']?.split(',');

describe('two agents at once in one folder', function () {
  this.timeout(420_000);
  const models: ScriptedModel[] = [];
  const runs: AgentRun[] = [];
  const space = new Workspace();

  before(async function () {
    if (process.platform !== 'linux' || names.some((name) => wanted?.includes(name) === false)) return this.skip();
    space.write('shared.txt', 'first\n\n\n\nmiddle\n\n\n\nlast\n');
    space.write('of-claude-code.txt', 'x\n');
    space.write('of-codex.txt', 'x\n');
    space.git('init', '-q');
    space.git('add', '.');
    space.git('commit', '-qm', 'first');
    for (const name of names) {
      const program = programs.find((each) => each.name === name)!;
      const model = await startScriptedModel();
      models.push(model);
      runs.push(await new AgentRun(program, await setUpOrSkip(program, this), model, space).setUp());
    }
    return undefined;
  });
  after(() => Promise.all(models.map((model) => model.close())));

  it('has each one’s writes under its own name, and undoing a turn of one leaves those of the other', async () => {
    const [claude, codex] = runs as [AgentRun, AgentRun];
    const shared = space.at('shared.txt');
    const ofClaude = 'of-claude-code.txt';
    const ofCodex = 'of-codex.txt';
    // A command waits for a file that the other one writes meanwhile, so that they are at work at the same time; but
    // not two commands, which could not be told apart.
    let commandIsOver = () => {};
    const afterCommand = new Promise<void>((resolve) => (commandIsOver = resolve));
    const until = (name: string) => `until [ -e ${name} ]; do sleep 0.1; done`;
    const made = (name: string) => space.at(`made-by-${name}.txt`);
    await Promise.all([
      claude.prompt('Please work on it', [
        ...turnsOf(
          claude.program.tools.read!(shared),
          claude.program.tools.edit(shared, 'first', 'first of claude-code'),
          claude.program.tools.write(made('claude-code'), 'one\n'),
        ),
        async () => {
          await afterCommand;
          return [claude.program.tools.shell(`${until('made-by-codex.txt')}; sed -i s/x/y/ ${ofClaude}`)];
        },
      ]),
      codex.prompt('Please work on it too', [
        ...turnsOf(codex.program.tools.shell(`${until('made-by-claude-code.txt')}; sed -i s/x/z/ ${ofCodex}`)),
        () => {
          commandIsOver();
          return [codex.program.tools.edit(shared, 'last', 'last of codex')];
        },
        ...turnsOf(codex.program.tools.write(made('codex'), 'two\n')),
      ]),
    ]);
    const both = 'first of claude-code\n\n\n\nmiddle\n\n\n\nlast of codex\n';
    assert.equal(space.read('shared.txt'), both);

    const writtenBy = async (name: string) =>
      (await space.list())
        .filter(({ agent, kind }) => kind !== 'restore' && agent?.name === name)
        .flatMap(({ entries }) => entries.map((entry) => String(entry.path)))
        .sort();
    assert.deepEqual(await writtenBy('claude-code'), ['made-by-claude-code.txt', ofClaude, 'shared.txt']);
    assert.deepEqual(await writtenBy('codex'), ['made-by-codex.txt', ofCodex, 'shared.txt']);
    const all = await space.list();
    assert.equal(all.length, 6);
    for (const { status, notCovered } of all) assert.deepEqual([status, notCovered], ['done', []]);
    assert.equal(new Set(all.map(({ agent }) => `${agent!.session} ${agent!.turn}`)).size, 2);

    const full = space.tree();
    const undoes = async (name: (typeof names)[number], other: (typeof names)[number], left: string) => {
      const [own] = all.filter(({ agent }) => agent!.name === name);
      const outcome = await space.restore(own!.id, '--mode', 'turn');
      assert.deepEqual(outcome, { conflicts: [], skipped: [] });
      assert.equal(space.read('shared.txt'), left);
      assert.equal(space.read(`of-${name}.txt`), 'x\n');
      const { [`made-by-${other}.txt`]: file, [`of-${other}.txt`]: sed, ...rest } = space.tree();
      assert.deepEqual([file, sed], [full[`made-by-${other}.txt`], full[`of-${other}.txt`]]);
      assert.deepEqual(Object.keys(rest).sort(), [`of-${name}.txt`, 'shared.txt']);
      const { code, stderr } = await space.cli('redo');
      assert.equal(code, 0, stderr);
      assert.deepEqual(space.tree(), full);
    };
    await undoes('claude-code', 'codex', 'first\n\n\n\nmiddle\n\n\n\nlast of codex\n');
    await undoes('codex', 'claude-code', 'first of claude-code\n\n\n\nmiddle\n\n\n\nlast\n');
  });
});
