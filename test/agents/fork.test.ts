// Forks that the real programs go on from, on a scripted model: what the model gets is what the fork is to hold.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReader } from '../../src/agents/transcripts';
import { summaryMarker } from '../../src/core/context/summaryMessage';
import { followTree } from '../../src/core/conversation/follow';
import type { ConversationNode } from '../../src/core/conversation/model';
import { leaveForNextStart } from '../../src/core/state/nextStart';
import { rootStores } from '../../src/core/store/stores';
import { testPorts } from '../support/ports';
import { AgentRun, Workspace } from './agentRun';
import { programs, type Program } from './programs';
import { heardIn } from './heard';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';
import { setUpOrSkip, type StartLine } from './setUp';

const wanted = process.env['AGENTS']?.split(',');
/** How the command line of a person becomes one that ends by itself. */
const headless: Partial<Record<Program['name'], (args: readonly string[], prompt: string) => string[]>> = {
  'claude-code': (args, prompt) => [...args, '-p', prompt],
  codex: (args, prompt) => ['exec', '--dangerously-bypass-approvals-and-sandbox', ...args, prompt],
  pi: (args, prompt) => ['--provider', 'scripted', '--model', 'scripted-1', ...args, '-p', prompt],
  opencode: (args, prompt) => ['run', ...args, prompt],
};

for (const program of programs.filter(({ name }) => headless[name] && (wanted ?? [name]).includes(name))) {
  describe(`a fork that the real program of ${program.name} goes on from`, function () {
    this.timeout(420_000);
    let model: ScriptedModel;
    let start: StartLine;
    let talk: Talk;
    before(async function () {
      if (process.platform !== 'linux') return this.skip();
      model = await startScriptedModel();
      start = await setUpOrSkip(program, this);
      talk = await Talk.hold(await setUp(program, start, model), program);
      return undefined;
    });
    after(() => model?.close());

    it('holds exactly what was said up to the point, then what is asked now; the old session is as it was', async () => {
      const old = fs.readFileSync(talk.file);
      const { json, heard } = await talk.goOn('Third thing');
      assert.deepEqual(heard, [
        { role: 'user', text: 'First thing' },
        { role: 'assistant', text: 'Working on it.', calls: 2 },
        { role: 'tool', text: talk.results[0] },
        { role: 'tool', text: talk.results[1] },
        { role: 'assistant', text: 'Done.' },
        { role: 'user', text: 'Third thing' },
      ]);
      assert.notEqual(json.session, talk.session);
      if (program.name === 'opencode') assert.deepEqual(talk.read(), talk.nodes, 'the old session');
      else assert.ok(fs.readFileSync(talk.file).equals(old), 'the old session');
    });

    it('may carry a rebuilt context: the summary, then the kept messages word for word', async () => {
      const { heard } = await talk.goOn('Fourth thing', '--rebuilt', '--keep-tokens', '1');
      const [summary, ...rest] = heard;
      assert.ok(summary!.text.startsWith(summaryMarker), summary!.text.slice(0, 100));
      assert.match(summary!.text, /## Requests\n[^]*First thing/);
      assert.match(summary!.text, /## Files\n[^]*src\/one\.txt/);
      assert.deepEqual(rest, [
        { role: 'assistant', text: 'Done.' },
        { role: 'user', text: 'Fourth thing' },
      ]);
    });

    if (program.name === 'claude-code') {
      it('takes a context that was left for its next start', async () => {
        const { agent } = talk;
        const ports = testPorts({ stateDir: agent.space.env['AGENT_CHECKPOINTS_HOME']! });
        const text = `${summaryMarker}\nThe shop is nearly done.`;
        leaveForNextStart(ports, { agent: program.name, root: agent.place.root }, text);
        for (const isFirst of [true, false]) {
          const seen = model.requests.length;
          await agent.prompt('Begin anew', []);
          assert.equal(model.requests.slice(seen).join('\n').includes('The shop is nearly done.'), isFirst);
        }
      });
    }
  });
}

function setUp(program: Program, start: StartLine, model: ScriptedModel): Promise<AgentRun> {
  const space = new Workspace();
  space.write('README.md', '# First\n');
  return new AgentRun(program, start, model, space).setUp();
}

/** Two turns with an agent, kept as a chain. */
class Talk {
  private constructor(
    readonly agent: AgentRun,
    readonly program: Program,
    readonly file: string,
    readonly session: string,
    readonly conversation: string,
    readonly nodes: readonly ConversationNode[],
  ) {}

  static async hold(agent: AgentRun, program: Program): Promise<Talk> {
    const { tools } = program;
    const at = (name: string) => path.join(agent.place.root, name);
    const ports = testPorts({ stateDir: agent.space.env['AGENT_CHECKPOINTS_HOME']! });
    // Two calls at once: their results have to come along.
    const both = [tools.write(at('src/one.txt'), 'one\n'), tools.shell('echo said by the shell')];
    await agent.prompt('First thing', [both]);
    await agent.prompt('Second thing', [[tools.shell('echo again')]], { again: true });
    const reader = transcriptReader(program.name)!;
    const [found] = reader.locate(ports, { env: agent.space.env, home: agent.place.home, roots: [agent.place.root] });
    const { tree } = reader.read(ports, found!);
    const source = { agent: program.name, session: found!.session };
    const { conversation } = followTree(ports, rootStores(ports, agent.place.root), source, tree, { isOver: true });
    return new Talk(agent, program, found!.file, found!.session, conversation, tree.nodes);
  }

  /** The nodes of the old session as they are now. */
  read(): readonly ConversationNode[] {
    const { file, session } = this;
    return transcriptReader(this.program.name)!.read(testPorts(), { file, session }).tree.nodes;
  }

  /** Where the first turn ends. */
  get #point(): string {
    const second = this.nodes.find(({ messages }) => /^"?Second thing"?$/.test(messages[0]?.content ?? ''))!;
    return second.parentId!;
  }

  get results(): string[] {
    const calls = this.nodes.find(({ messages }) => (messages[0]?.tool_calls ?? []).length === 2)!;
    return calls.messages.filter(({ role }) => role === 'tool').map(({ content }) => content.trim());
  }

  /** Forks there by the command line, and has the program go on. */
  async goOn(prompt: string, ...options: string[]) {
    const { agent, program } = this;
    const args = ['fork', this.conversation, '--at', this.#point, '--agent-session', ...options, '--json'];
    const { code, stdout, stderr } = await agent.space.cli(...args);
    assert.equal(code, 0, stderr);
    const json = JSON.parse(stdout);
    if (json.before !== undefined) {
      const before = await agent.run(json.before.slice(1));
      assert.equal(before.code, 0, before.output);
    }
    agent.model.play([]);
    const seen = agent.model.requests.length;
    const result = await agent.run(headless[program.name]!(json.command.slice(1), prompt));
    assert.equal(result.code, 0, result.output);
    const request = agent.model.requests.slice(seen).find((text) => text.includes(prompt) && text.includes('"tools"'));
    assert.ok(request !== undefined, result.output);
    return { json, heard: heardIn(request) };
  }
}
