import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runHook } from '../../src/agents/runHook';
import { leaveForNextStart, takeForStart } from '../../src/core/state/nextStart';
import { temporaryRoot, testPorts } from '../support/ports';

function place() {
  const ports = testPorts();
  const root = temporaryRoot('start');
  const context = { env: {}, cwd: root, home: root };
  const start = (cwd = root, agent = 'claude-code', more: object = {}) =>
    runHook(
      ports,
      agent,
      JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', source: 'startup', cwd, ...more }),
      context,
    );
  return { ports, root, start };
}

describe('an agent that starts', () => {
  it('is given what was left for it, once', () => {
    const { ports, root, start } = place();
    assert.equal(start(), '');
    leaveForNextStart(ports, { agent: 'claude-code', root }, 'Go on. \ud83d');
    const { hookSpecificOutput } = JSON.parse(start());
    assert.deepEqual(hookSpecificOutput, { hookEventName: 'SessionStart', additionalContext: 'Go on. \ufffd' });
    assert.equal(start(), '');
    assert.deepEqual(readdirSync(path.join(ports.stateDir, 'next-start')), []);
  });

  it('is given it also in a folder of the root, and nowhere else', () => {
    const { ports, root, start } = place();
    mkdirSync(path.join(root, 'deep', 'er'), { recursive: true });
    leaveForNextStart(ports, { agent: 'claude-code', root }, 'Go on.');
    assert.equal(start(path.dirname(root)), '');
    assert.equal(start(root, 'codex'), '');
    assert.match(start(path.join(root, 'deep', 'er')), /Go on\./);
  });

  it('is not given what nobody took for a day, nor what is no such file', () => {
    const { ports, root, start } = place();
    const own = { agent: 'claude-code', root };
    leaveForNextStart({ ...ports, now: () => ports.now() - 25 * 3_600_000 }, own, 'Old.');
    assert.equal(start(), '');
    leaveForNextStart(ports, own, 'x');
    const folder = path.join(ports.stateDir, 'next-start');
    const [file] = readdirSync(folder);
    for (const text of [
      '',
      '{',
      '[]',
      'null',
      '{"agent":"claude-code","text":"stolen","at":1e99}',
      JSON.stringify({ ...own, root: '/elsewhere', text: 'x', at: ports.now() }),
    ]) {
      writeFileSync(path.join(folder, file!), text);
      assert.equal(takeForStart(ports, own), undefined, text);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('keeps it in user state, for the person alone', () => {
    const { ports, root } = place();
    leaveForNextStart(ports, { agent: 'claude-code', root }, 'Secret');
    const [file] = readdirSync(path.join(ports.stateDir, 'next-start'));
    const { mode } = statSync(path.join(ports.stateDir, 'next-start', file!));
    assert.equal(process.platform === 'win32' ? 0o600 : mode & 0o777, 0o600);
  });
});
