import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { rootStores } from '../../src/core/store/stores';
import { syncTwin, vanished } from '../../src/core/store/twin';
import { agentWrites, Answers, at, eventually, folder, read, reset, testing, turns, write } from './support/testing';

/** An agent wrote, and the store has its twin. */
async function worked(): Promise<() => number> {
  const { ports, dialogs } = await testing();
  dialogs.use(new Answers());
  write('a.txt', 'one\n');
  await agentWrites({ 'a.txt': 'two\n' });
  await turns();
  const stores = rootStores(ports, folder());
  syncTwin(ports, stores);
  return () => vanished(ports, stores).length;
}

const removeStore = () => fs.rmSync(at('.system_generated'), { recursive: true });

/** ms: where the file system tells nothing, the store is asked every now and then. */
const patience = 40_000;

describe('a store that was deleted', function () {
  this.timeout(90_000);

  beforeEach(async () => {
    // What earlier suites deleted is over.
    const { ports } = await testing();
    fs.rmSync(`${ports.stateDir}/twins`, { recursive: true, force: true });
    await reset();
  });
  after(reset);

  it('is told of once, put back on a click, and restores again', async () => {
    const gone = await worked();
    const { dialogs } = await testing();
    const answers = new Answers(['Restore']);
    answers.click = 'Put Back';
    dialogs.use(answers);
    removeStore();
    await eventually('it is put back', () => answers.told.some((text) => /1 checkpoint put back/.test(text)), patience);
    assert.equal(answers.told.filter((text) => /deleted from the folder/.test(text)).length, 1);
    assert.equal(gone(), 0);
    await vscode.commands.executeCommand('agentCheckpoints.restoreTurn', (await turns())[0]);
    assert.equal(read('a.txt'), 'one\n');
  });

  it('is not told of again when the person leaves it, and Verify Store still offers it', async () => {
    const gone = await worked();
    const { dialogs, vanished: offered } = await testing();
    const answers = new Answers();
    dialogs.use(answers);
    removeStore();
    await eventually('it is told', () => answers.told.some((text) => /deleted from the folder/.test(text)), patience);
    offered.checkAll();
    assert.equal(answers.told.length, 1);
    assert.equal(gone(), 1);
    answers.click = 'Put Back';
    await vscode.commands.executeCommand('agentCheckpoints.verifyStore');
    assert.match(answers.told[1]!, /1 checkpoint was deleted, but a second copy is still there/);
    assert.equal(gone(), 0);
  });

  it('is not told of where checkpoints were removed on purpose', async () => {
    await worked();
    const { ports, dialogs, vanished: offered } = await testing();
    const answers = new Answers();
    dialogs.use(answers);
    const { prune } = await import('../../src/core/store/retention');
    await agentWrites({ 'b.txt': 'b\n' });
    const limits = { maxCheckpoints: 1, maxBytes: 2 ** 30 };
    assert.equal(prune(ports, rootStores(ports, folder()), limits).removed.length, 1);
    offered.checkAll();
    assert.deepEqual(answers.told, []);
  });
});
