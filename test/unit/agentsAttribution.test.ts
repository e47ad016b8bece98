// Whose a write is, told by payloads alone: subagents, calls at the same time, calls that came to nothing or were made
// again, sessions that go on, several terminals in one folder. Nothing is doubled, nothing is lost.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { describe, it } from 'mocha';
import { Folder, Session } from '../support/sessionKit';

describe('What a subagent does', () => {
  it('belongs to the turn that started it, though its own events name another', () => {
    const folder = new Folder();
    const main = new Session(folder, 's', 'codex');
    const child = { agent_id: 'child', agent_type: 'default' };
    main.send('UserPromptSubmit', { turn_id: 'turn-1', prompt: 'Do it' });
    const open = main.call('turn-1', 'c1', 'slow.txt', 'slow');
    open.before();
    main.send('UserPromptSubmit', { turn_id: 'turn-of-child', prompt: 'Help', ...child });
    assert.deepEqual(folder.told(), ['s turn-1: slow.txt pending']);
    main.writes('turn-of-child', 'c2', 'sub.txt', 'sub', child);
    open.write();
    open.after();
    main.send('SubagentStop', { turn_id: 'turn-of-child', ...child });
    main.writes('turn-1', 'c3', 'last.txt', 'last');
    assert.deepEqual(folder.told(), [
      's turn-1: slow.txt done',
      's turn-1 child: sub.txt done',
      's turn-1: last.txt done',
    ]);
    assert.deepEqual(new Set(folder.list().map(({ prompt }) => prompt)), new Set(['Do it']));
  });

  it('belongs to that turn also when the next one has begun', () => {
    const folder = new Folder();
    const main = new Session(folder, 's', 'codex');
    const child = { agent_id: 'child' };
    main.send('UserPromptSubmit', { turn_id: 'turn-1', prompt: 'Do it' });
    main.send('UserPromptSubmit', { turn_id: 'turn-of-child', prompt: 'Help', ...child });
    main.send('Stop', { turn_id: 'turn-1' });
    main.send('UserPromptSubmit', { turn_id: 'turn-2', prompt: 'And more' });
    main.writes('turn-of-child', 'c1', 'sub.txt', 'sub', child);
    main.writes('turn-2', 'c2', 'main.txt', 'main');
    assert.deepEqual(folder.told(), ['s turn-1 child: sub.txt done', 's turn-2: main.txt done']);
  });

  it('in a session of its own belongs to the one that asked, and its end ends nothing of that', () => {
    const folder = new Folder();
    const send = (event: string, payload: object) => folder.send('copilot-cli', payload, event);
    const create = (name: string) => ({
      toolName: 'create',
      toolArgs: { path: folder.at(name), file_text: `${name}\n` },
    });
    const main = { sessionId: 'main' };
    const child = { sessionId: 'child', agentId: 'child', parentAgentId: 'main' };
    send('userPromptSubmitted', { ...main, timestamp: 1, prompt: 'Do it' });
    send('preToolUse', { ...main, timestamp: 2, ...create('main.txt') });
    send('userPromptSubmitted', { ...child, timestamp: 3, prompt: 'Help' });
    send('preToolUse', { ...child, timestamp: 4, ...create('sub.txt') });
    folder.write('sub.txt', 'sub.txt\n');
    send('postToolUse', { ...child, timestamp: 5, ...create('sub.txt'), toolResult: { resultType: 'success' } });
    send('agentStop', { ...child, timestamp: 6 });
    folder.write('main.txt', 'main.txt\n');
    send('postToolUse', { ...main, timestamp: 7, ...create('main.txt'), toolResult: { resultType: 'success' } });
    const list = folder.list();
    assert.deepEqual(
      list.map(({ agent, entries, status }) => [agent!.session, agent!.subagent, entries[0]!.path, status]),
      [
        ['main', undefined, 'main.txt', 'done'],
        ['main', 'child', 'sub.txt', 'done'],
      ],
    );
    assert.equal(new Set(list.map(({ agent }) => agent!.turn)).size, 1);
    assert.equal(list[1]!.prompt, 'Do it');
  });
});

describe('Calls at the same time', () => {
  it('announced together and done in any order each have their own path', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t');
    const calls = ['x', 'y', 'z'].map((name) => session.call('t', `c-${name}`, `${name}.txt`, name));
    calls.forEach((call) => call.before());
    for (const call of calls.toReversed()) {
      call.write();
      call.after();
    }
    assert.deepEqual(folder.told(), ['s t: x.txt done', 's t: y.txt done', 's t: z.txt done']);
    for (const { entries } of folder.list()) {
      assert.deepEqual(
        [entries[0]!.pre.type, entries[0]!.post!.type === 'file' && entries[0]!.post!.inferred],
        ['absent', undefined],
      );
    }
  });

  it('that follow each other on one path lead from the first state to the last, and are undone together', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t');
    const [one, two] = [session.call('t', 'c1', 'a.txt', 'first'), session.call('t', 'c2', 'a.txt', 'second')];
    one.before();
    two.before();
    one.write();
    one.after();
    two.write();
    two.after();
    session.send('Stop', { prompt_id: 't' });
    assert.deepEqual(folder.told(), ['s t: a.txt done', 's t: a.txt done']);
    folder.undoTurn(folder.list()[0]!.id);
    assert.equal(folder.read('a.txt'), 'one\ntwo\nthree\n');
  });

  it('without ids, and alike in all, are two', () => {
    const folder = new Folder();
    const send = (event: string, timestamp: number, more: object = {}) =>
      folder.send('gemini', {
        session_id: 's',
        hook_event_name: event,
        timestamp: new Date(timestamp).toISOString(),
        tool_name: 'write_file',
        tool_input: { file_path: folder.at('a.txt'), content: 'same\n' },
        ...more,
      });
    folder.send('gemini', { session_id: 's', hook_event_name: 'BeforeAgent', prompt: 'Do it' });
    send('BeforeTool', 1000);
    folder.write('a.txt', 'same\n');
    send('AfterTool', 1001);
    folder.write('a.txt', 'by a person\n');
    send('BeforeTool', 2000);
    folder.write('a.txt', 'same\n');
    send('AfterTool', 2001);
    const states = folder.list().map(({ entries, status }) => {
      const { pre, post } = entries[0]!;
      return [status, pre.type === 'file' && pre.size, post?.type === 'file' && post.size];
    });
    assert.deepEqual(states, [
      ['done', 14, 5],
      ['done', 12, 5],
    ]);
  });
});

describe('A call', () => {
  it('that was denied or given up leaves nothing to undo', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t1');
    session.call('t1', 'denied', 'a.txt', 'no').before();
    const failed = session.call('t1', 'failed', 'a.txt', 'no');
    failed.before();
    failed.fails();
    const command = session.command('t1', 'denied-command', 'rm a.txt');
    command.before();
    session.send('Stop', { prompt_id: 't1' });
    session.prompt('t2');
    session.writes('t2', 'c', 'a.txt', 'yes');
    assert.deepEqual(folder.told(), ['s t1: a.txt unchanged', 's t1: a.txt abandoned', 's t2: a.txt done']);
    folder.undoTurn(folder.list().at(-1)!.id);
    assert.equal(folder.read('a.txt'), 'one\ntwo\nthree\n');
  });

  it('that was broken off half-way is booked at the next prompt, as possibly a person’s', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t1');
    session.call('t1', 'edit', 'a.txt', 'all of it').before();
    folder.write('a.txt', 'hal');
    const command = session.command('t1', 'command', 'echo half > made.txt; sleep 100');
    command.before();
    folder.write('made.txt', 'half\n');
    // The agent was killed: nobody tells the end.
    session.prompt('t2');
    assert.deepEqual(folder.told(), ['s t1: a.txt done', 's t1: made.txt done']);
    const { post } = folder.list()[0]!.entries[0]!;
    assert.equal(post!.type === 'file' && post!.inferred, true);
  });

  it('that is announced or reported twice is one', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t');
    const call = session.call('t', 'c', 'a.txt', 'new');
    call.before();
    call.before();
    call.write();
    call.after();
    call.after();
    const command = session.command('t', 'd', 'echo more > b.txt');
    command.before();
    command.before();
    command.run();
    command.after();
    command.after();
    assert.deepEqual(folder.told(), ['s t: a.txt done', 's t: b.txt done']);
  });

  it('that is made again after it failed is another one', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t');
    const first = session.call('t', 'c1', 'a.txt', 'new');
    first.before();
    first.fails();
    session.writes('t', 'c2', 'a.txt', 'new');
    assert.deepEqual(folder.told(), ['s t: a.txt abandoned', 's t: a.txt done']);
  });
});

describe('A session', () => {
  it('that goes on later has new turns in the same session', () => {
    const folder = new Folder();
    new Session(folder, 's').prompt('t1');
    new Session(folder, 's').writes('t1', 'call_1', 'a.txt', 'first');
    new Session(folder, 's').send('SessionEnd', { reason: 'other' });
    folder.ports.clock.now += 24 * 3600 * 1000;
    const again = new Session(folder, 's');
    again.send('SessionStart', { source: 'resume' });
    again.prompt('t2');
    // Some number their calls anew after a start.
    again.writes('t2', 'call_2', 'a.txt', 'second');
    assert.deepEqual(folder.told(), ['s t1: a.txt done', 's t2: a.txt done']);
    folder.undoTurn(folder.list()[1]!.id);
    assert.equal(folder.read('a.txt'), 'first\n');
  });

  it('that numbers its calls anew after it was resumed loses none', () => {
    const folder = new Folder();
    const session = new Session(folder, 's');
    session.prompt('t1');
    session.writes('t1', 'call_1', 'a.txt', 'first');
    session.send('SessionEnd', { reason: 'other' });
    session.prompt('t2');
    session.writes('t2', 'call_1', 'b.txt', 'second');
    folder.write('a.txt', 'by a person\n');
    session.writes('t2', 'call_2', 'a.txt', 'third');
    const last = new Map(
      folder.list().flatMap(({ entries, agent }) => entries.map((each) => [each.path, agent!.turn])),
    );
    assert.deepEqual([last.get('b.txt'), last.get('a.txt')], ['t2', 't2']);
    folder.undoTurn(folder.list().at(-1)!.id);
    assert.equal(folder.read('a.txt'), 'by a person\n');
    assert.equal(fs.existsSync(folder.at('b.txt')), false);
  });

  it('in another terminal of the same folder is not mixed up, though its calls have the same names', () => {
    const folder = new Folder({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' });
    const [left, right] = [new Session(folder, 'left'), new Session(folder, 'right')];
    left.prompt('t1');
    right.prompt('t1');
    const calls = [left.call('t1', 'c', 'left.txt', 'l'), right.call('t1', 'c', 'right.txt', 'r')] as const;
    calls.forEach((call) => call.before());
    // The end of one's turn closes nothing of the other's.
    left.send('Stop', { prompt_id: 't1' });
    assert.deepEqual(folder.told(), ['left t1: left.txt unchanged', 'right t1: right.txt pending']);
    calls[1].write();
    calls[1].after();
    left.prompt('t2');
    left.writes('t2', 'd', 'a.txt', 'one of left');
    right.writes('t1', 'd', 'b.txt', 'right');
    assert.deepEqual(folder.told().slice(1), [
      'right t1: right.txt done',
      'left t2: a.txt done',
      'right t1: b.txt done',
    ]);
    folder.undoTurn(folder.list()[2]!.id);
    assert.deepEqual([folder.read('a.txt'), folder.read('b.txt')], ['one\ntwo\nthree\n', 'right\n']);
  });

  it('in another terminal keeps what it edits during a command of this one', () => {
    const folder = new Folder();
    const [left, right] = [new Session(folder, 'left'), new Session(folder, 'right')];
    left.prompt('t1');
    right.prompt('t1');
    const command = left.command('t1', 'c', 'echo by-command > made.txt');
    command.before();
    right.writes('t1', 'c', 'a.txt', 'right');
    command.run();
    command.after();
    assert.deepEqual(folder.told().sort(), ['left t1: made.txt done', 'right t1: a.txt done']);
  });
});
