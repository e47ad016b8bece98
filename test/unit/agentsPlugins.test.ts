// The code that opencode and pi load, run as they run it: with events, against the installed program.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { refreshHookProgram } from '../../src/agents/hookProgram';
import { install } from '../../src/agents/registry';
import { listPage } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { builtCli } from '../support/cliBundle';
import { temporaryRoot, testPorts } from '../support/ports';

type Handler = (input: object, output?: object) => Promise<unknown>;

function workspace() {
  const root = fs.realpathSync(temporaryRoot('plugin'));
  fs.mkdirSync(path.join(root, '.git'));
  const ports = testPorts();
  const home = temporaryRoot('home');
  refreshHookProgram(ports, { cliSource: builtCli(), node: { path: process.execPath, runAsNode: false } });
  /** The installed file, loaded as a module. */
  const load = async (agent: string): Promise<Record<string, unknown>> => {
    const { changed } = install(ports, agent, { root, home, env: {}, scope: 'user' });
    const copy = path.join(home, 'plugin.mjs');
    fs.writeFileSync(copy, changed[0]!.after!);
    return (await import(pathToFileURL(copy).href)) as Record<string, unknown>;
  };
  const file = (name: string) => path.join(root, name);
  return {
    root,
    ports,
    home,
    load,
    file,
    list: () => listPage(ports, rootStores(ports, root), { limit: 10 }).checkpoints,
  };
}

describe('the plugin of opencode', function () {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  const start = async (space: ReturnType<typeof workspace>) => {
    const { AgentCheckpoints } = await space.load('opencode');
    const make = AgentCheckpoints as (place: object) => Promise<Record<string, Handler>>;
    return make({ directory: space.root, worktree: space.root });
  };

  it('reports prompts, calls and subagents of one session as one turn', async () => {
    const space = workspace();
    const plugin = await start(space);
    const message = { message: { id: 'msg_1', role: 'user' }, parts: [{ type: 'text', text: 'Write them' }] };
    await plugin['chat.message']!({ sessionID: 'ses_1' }, message);
    await plugin['event']!({
      event: { type: 'session.created', properties: { info: { id: 'ses_2', parentID: 'ses_1' } } },
    });
    await plugin['chat.message']!({ sessionID: 'ses_2' }, { ...message, message: { id: 'msg_2' } });
    for (const [sessionID, name] of [
      ['ses_1', 'a.txt'],
      ['ses_2', 'b.txt'],
    ] as const) {
      const input = { tool: 'write', sessionID, callID: `call_${name}` };
      const args = { filePath: space.file(name), content: 'x\n' };
      await plugin['tool.execute.before']!(input, { args });
      fs.writeFileSync(space.file(name), 'x\n');
      const output = { title: '', output: 'ok', metadata: {} };
      await plugin['tool.execute.after']!({ ...input, args }, output);
      assert.equal(output.output, 'ok');
    }
    await plugin['tool.execute.before']!(
      { tool: 'read', sessionID: 'ses_1', callID: 'r' },
      { args: { filePath: 'a' } },
    );
    await plugin['event']!({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
    assert.deepEqual(
      space.list().map(({ agent, prompt, status }) => [agent!.session, agent!.turn, agent!.subagent, prompt, status]),
      [
        ['ses_1', 'msg_1', 'ses_2', 'Write them', 'done'],
        ['ses_1', 'msg_1', undefined, 'Write them', 'done'],
      ],
    );
  });

  it('reports a call that failed', async () => {
    const space = workspace();
    const plugin = await start(space);
    const input = { tool: 'edit', sessionID: 'ses_1', callID: 'call_1' };
    await plugin['tool.execute.before']!(input, { args: { filePath: space.file('a'), oldString: '', newString: 'x' } });
    const part = { type: 'tool', callID: 'call_1', state: { status: 'error' } };
    await plugin['event']!({ event: { type: 'message.part.updated', properties: { part } } });
    assert.equal(space.list()[0]!.status, 'abandoned');
  });

  it('never throws: not for odd events, nor where the program is gone or does not answer', async () => {
    const space = workspace();
    const plugin = await start(space);
    fs.rmSync(path.join(space.ports.stateDir, 'bin'), { recursive: true });
    for (const handler of Object.values(plugin)) {
      for (const odd of [{}, { tool: 'write' }, { event: {} }, { event: { type: 'session.idle' } }])
        await handler(odd, {});
    }
    const input = { tool: 'write', sessionID: 's', callID: 'c' };
    await plugin['tool.execute.before']!(input, { args: { filePath: space.file('a'), content: '' } });
  });
});

describe('the extension of pi', function () {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('reports prompts and calls, and gives no answer of its own', async () => {
    const space = workspace();
    const handlers = new Map<string, Handler>();
    const { default: extension } = await space.load('pi');
    (extension as (pi: object) => void)({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
    const ctx = { cwd: space.root, sessionManager: { getSessionId: () => 'pi-1' } };
    const send = (name: string, event: object) => handlers.get(name)!(event, ctx);
    await send('before_agent_start', { prompt: 'Edit it' });
    fs.writeFileSync(space.file('a.txt'), 'one\n');
    const call = {
      toolName: 'edit',
      toolCallId: 'c1',
      input: { path: 'a.txt', edits: [{ oldText: 'one', newText: 'two' }] },
    };
    assert.equal(await send('tool_call', call), undefined);
    fs.writeFileSync(space.file('a.txt'), 'two\n');
    assert.equal(await send('tool_result', { ...call, content: [], isError: false }), undefined);
    await send('tool_call', { toolName: 'read', toolCallId: 'c2', input: { path: 'a.txt' } });
    await send('agent_end', {});
    await send('session_shutdown', {});
    const [only, ...others] = space.list();
    assert.equal(others.length, 0);
    assert.deepEqual([only!.agent!.session, only!.prompt, only!.status], ['pi-1', 'Edit it', 'done']);
    // Nothing that it is given may make pi fail.
    for (const name of handlers.keys()) await handlers.get(name)!({}, {});
  });
});
