// The real programs of agents, with our installed hooks, on a scripted model: what they wrote is on the timeline, and
// rewinding gives the first tree back byte for byte.
// AGENTS=name,name limits it to some. A program that cannot be had or driven is told by name.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { runCliProcess } from '../support/cliBundle';
import { temporaryRoot } from '../support/ports';
import { movingPatch, programs, turnsOf, type Program, type RunPlace } from './programs';
import { startScriptedModel, type ModelTurn, type ScriptedModel } from './scriptedModel';
import { run, setUpProgram, type StartLine } from './setUp';

/** ms for one prompt. */
const promptLimit = 150_000;
const wanted = process.env['AGENTS']?.split(',');

for (const program of programs.filter(({ name }) => wanted === undefined || wanted.includes(name))) {
  describe(`the real program of ${program.name}`, function () {
    this.timeout(420_000);
    let model: ScriptedModel;
    let start: StartLine;
    before(async function () {
      if (process.platform !== 'linux') return this.skip();
      model = await startScriptedModel();
      try {
        start = await setUpProgram(program);
      } catch (error) {
        console.log(`      ${program.name} is not driven: ${error instanceof Error ? error.message : String(error)}`);
        this.skip();
      }
      return undefined;
    });
    after(() => model?.close());

    it('has all its edits on the timeline, and rewinding gives the first tree back', async () => {
      const agent = await new AgentRun(program, start, model).begin();
      const { tools, newFolder = 'src/deep' } = program;
      const at = (name: string) => path.join(agent.place.root, name);
      await agent.prompt('Please make the changes', [
        ...turnsOf(
          tools.write(at(`${newFolder}/new.txt`), 'brand new\n'),
          tools.read?.(at('src/a.txt')),
          tools.edit(at('src/a.txt'), 'alpha two', 'alpha TWO'),
          tools.read?.(at('README.md')),
          tools.write(at('README.md'), '# Rewritten\n', '# First\n\nHello.\n'),
          tools.patch?.(movingPatch('src/b.txt', 'src/moved.txt', 'x one', 'y one')),
        ),
      ]);
      await agent.prompt(
        'Now the second change',
        turnsOf(tools.read?.(at('src/a.txt')), tools.edit(at('src/a.txt'), 'alpha three', 'alpha THREE')),
        true,
      );
      assert.equal(agent.read('README.md'), '# Rewritten\n');
      assert.equal(agent.read('src/a.txt'), 'alpha one\nalpha TWO\nalpha THREE\n');

      const checkpoints = await agent.list();
      const touched = checkpoints.flatMap(({ entries }) => entries.map(({ path: file }) => file));
      const expected = ['README.md', 'src/a.txt', 'src/a.txt', `${newFolder}/new.txt`];
      if (newFolder !== 'src') expected.push(newFolder);
      if (tools.patch) expected.push('src/b.txt', 'src/moved.txt');
      assert.deepEqual(touched.sort(), expected.sort());
      for (const checkpoint of checkpoints) {
        assert.equal(checkpoint.status, 'done');
        assert.deepEqual(checkpoint.notCovered, []);
        assert.equal(checkpoint.agent!.name, program.name);
        for (const { post } of checkpoint.entries)
          assert.equal(post!.type === 'file' && post!.inferred === true, false);
      }
      const turns = new Set(checkpoints.map((one) => one.agent!.turn));
      assert.equal(turns.size, 2);
      if (!program.silent) assert.equal(checkpoints.at(-1)!.prompt, 'Please make the changes');

      await agent.rewind();
      assert.deepEqual(agent.tree(), agent.first);
      assert.deepEqual((await agent.row()).installed, true);
      assert.ok((await agent.row()).lastSeen);
    });

    it('has what its shell changed, removed and moved on the timeline too', async () => {
      const agent = await new AgentRun(program, start, model).begin();
      const command = 'sed -i s/x/y/ src/b.txt && rm src/a.txt && mv README.md src/moved.md';
      await agent.prompt('Please run it', turnsOf(program.tools.shell(command)));
      assert.equal(agent.read('src/b.txt'), 'y one\ny two\n');
      const checkpoints = await agent.list();
      const touched = checkpoints.flatMap(({ entries }) => entries.map(({ path: file }) => file));
      assert.deepEqual(touched.sort(), ['README.md', 'src/a.txt', 'src/b.txt', 'src/moved.md']);
      assert.deepEqual(
        checkpoints.map(({ kind, agent: by }) => [kind, by!.name]),
        [['command', program.name]],
      );
      await agent.rewind();
      assert.deepEqual(agent.tree(), agent.first);
    });
  });
}

/** One person, one workspace, one agent that is set up by the shipped command line. */
class AgentRun {
  readonly place: RunPlace;
  first: Record<string, string> = {};
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    readonly program: Program,
    readonly start: StartLine,
    readonly model: ScriptedModel,
  ) {
    this.place = { home: temporaryRoot('home'), root: temporaryRoot('work'), url: model.url };
    this.#env = {
      PATH: [path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
      HOME: this.place.home,
      TERM: 'dumb',
      AGENT_CHECKPOINTS_HOME: temporaryRoot('state'),
    };
  }

  async begin(): Promise<this> {
    const { root } = this.place;
    for (const [name, text] of Object.entries({
      'README.md': '# First\n\nHello.\n',
      'src/a.txt': 'alpha one\nalpha two\nalpha three\n',
      'src/b.txt': 'x one\nx two\n',
      'src/other.bin': Buffer.from([0, 255, 13, 10]),
      '.gitignore': 'build/\n.system_generated/\n',
    })) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), text);
    }
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd: root,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    this.program.configure?.(this.place);
    const { code, stderr } = await this.#cli('install', this.program.name);
    assert.equal(code, 0, stderr);
    this.program.approve?.(this.place);
    if (this.program.first) await this.#run(this.program.first(this.place), 60_000);
    this.first = this.tree();
    return this;
  }

  /** Waits until the program has done all that the model said. */
  async prompt(text: string, turns: readonly ModelTurn[], again = false): Promise<void> {
    this.model.play(turns);
    const { code, output } = await this.#run(this.program.prompt(text, again), promptLimit);
    const told = `${this.program.name} ended with ${code}: ${output.slice(-2000)}`;
    assert.equal(this.model.left(), 0, told);
    assert.equal(code, 0, told);
  }

  #run(args: readonly string[], limit: number) {
    const { file, args: before } = this.start;
    const env = { ...this.#env, ...this.program.env(this.place) };
    return run(file, [...before, ...args], { cwd: this.place.root, env, limit });
  }

  async list(): Promise<ListedCheckpoint[]> {
    return JSON.parse((await this.#cli('list', '--json')).stdout).checkpoints;
  }

  async row(): Promise<{ installed: boolean; lastSeen?: string }> {
    const { agents } = JSON.parse((await this.#cli('agents', '--json')).stdout);
    return agents.find(({ name }: { name: string }) => name === this.program.name);
  }

  async rewind(): Promise<void> {
    const oldest = (await this.list()).at(-1)!;
    const { code, stdout, stderr } = await this.#cli('restore', oldest.id, '--mode', 'rewind', '--json');
    assert.equal(code, 0, stdout + stderr);
  }

  #cli(...argv: string[]) {
    return runCliProcess(argv, { cwd: this.place.root, env: this.#env });
  }

  read(name: string): string {
    return fs.readFileSync(path.join(this.place.root, name), 'utf8');
  }

  /** Bytes (base64) and mode of every file, without Git's own, our store, and what the agent keeps for itself. */
  tree(): Record<string, string> {
    const { root } = this.place;
    const files = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const [top] = name.split(path.sep);
      return !['.git', '.system_generated', '.opencode', '.gemini', '.qwen', '.cline'].includes(top!);
    });
    return Object.fromEntries(
      files.sort().map((name) => {
        const stat = fs.lstatSync(path.join(root, name));
        const bytes = stat.isFile() ? fs.readFileSync(path.join(root, name), 'base64') : '/';
        return [name, `${stat.mode.toString(8)} ${bytes}`];
      }),
    );
  }
}
