import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { beginTurn, currentTurn, endTurn } from '../../src/core/capture/turns';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { content, workspace, type Workspace } from '../support/captureKit';
import { temporaryRoot } from '../support/ports';

const session = (space: Workspace, agent = {}) => ({
  agent: { name: 'vscode', session: 's1', ...agent },
  cwd: space.root,
});

describe('a turn', () => {
  it('has the agent’s own id and the prompt, which its checkpoints bear', () => {
    const space = workspace();
    beginTurn(space.ports, { ...session(space, { turn: 'p-1########0' }), prompt: `fix it${'!'.repeat(5000)}` });
    space.observer.beforeWrite(space.request(['a'], { turn: 'p-1########0' }));
    space.observer.beforeWrite(space.request(['b']));
    for (const { agent, prompt } of space.list()) {
      assert.equal(agent?.turn, 'p-1########0');
      assert.equal(prompt?.length, 2000);
    }
  });

  it('is named by us where the agent has no id', () => {
    const space = workspace();
    beginTurn(space.ports, { ...session(space), prompt: 'one' });
    const first = currentTurn(space.ports, session(space));
    beginTurn(space.ports, { ...session(space), prompt: 'one' });
    assert.deepEqual(currentTurn(space.ports, session(space)), first, 'a second hook reports the same prompt');
    space.ports.clock.now += 60_000;
    beginTurn(space.ports, { ...session(space), prompt: 'one' });
    assert.notEqual(currentTurn(space.ports, session(space))?.id, first?.id);
  });

  it('begun twice with one id is begun once', () => {
    const space = workspace();
    beginTurn(space.ports, { ...session(space, { turn: 't1' }), prompt: 'one' });
    space.observer.beforeWrite(space.request([{ path: space.file('a'), expected: content('2') }]));
    beginTurn(space.ports, { ...session(space, { turn: 't1' }), prompt: 'other' });
    assert.equal(currentTurn(space.ports, session(space))?.prompt, 'one');
    assert.equal(space.newest().status, 'pending');
  });

  it('gives no prompt to a checkpoint of another turn', () => {
    const space = workspace();
    beginTurn(space.ports, { ...session(space, { turn: 't1' }), prompt: 'one' });
    space.observer.beforeWrite(space.request(['a'], { turn: 't2' }));
    assert.deepEqual([space.newest().agent?.turn, space.newest().prompt], ['t2', undefined]);
  });

  it('is kept in the workspace where user state is out of reach', () => {
    const blocked = path.join(temporaryRoot('blocked'), 'file');
    fs.writeFileSync(blocked, '');
    const space = workspace({ stateDir: path.join(blocked, 'state') });
    beginTurn(space.ports, { ...session(space, { turn: 't1' }), prompt: 'sandboxed' });
    const request = space.request([{ path: space.file('a'), expected: content('2') }]);
    assert.equal(space.observer.beforeWrite(request).checkpoints[0]?.fallback, false);
    space.write('a', '2');
    assert.deepEqual(endTurn(space.ports, session(space)), [space.root]);
    const meta = space.newest();
    assert.deepEqual([meta.prompt, meta.status, meta.foreign], ['sandboxed', 'done', true]);
  });

  it('that ends brings the store back under its limits', () => {
    const space = workspace();
    const settings = readSettings(space.ports);
    writeSettings(space.ports, { ...settings, retention: { ...settings.retention, maxCheckpoints: 2 } });
    for (let i = 0; i < 4; i++) {
      const request = space.request([{ path: space.file('a'), expected: content(`${i}`) }]);
      space.observer.beforeWrite(request);
      space.write('a', `${i}`);
      space.observer.afterWrite(request);
    }
    assert.equal(space.list().length, 4);
    endTurn(space.ports, session(space));
    assert.equal(space.list().length, 2);
  });

  it('tells the roots that its session touched, also away from the current folder', () => {
    const space = workspace();
    const other = fs.realpathSync(fs.mkdtempSync(path.join(space.root, 'inner-')));
    fs.mkdirSync(path.join(other, '.git'));
    const request = { ...space.request([{ path: path.join(other, 'f') }]), projectDir: other, cwd: other };
    space.observer.beforeWrite(request);
    assert.deepEqual(endTurn(space.ports, session(space)), [other, space.root]);
  });
});
