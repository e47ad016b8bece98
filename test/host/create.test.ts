import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { agentWrites, Answers, read, reset, testing, turns, uriOf, write } from './support/testing';

class Naming extends Answers {
  prompt = '';

  constructor(private readonly name: string | undefined) {
    super();
  }

  override async ask(options?: vscode.InputBoxOptions): Promise<string | undefined> {
    this.prompt = options?.prompt ?? '';
    return this.name;
  }
}

async function create(name: string | undefined): Promise<Naming> {
  const { dialogs } = await testing();
  const naming = new Naming(name);
  dialogs.use(naming);
  await vscode.commands.executeCommand('agentCheckpoints.createCheckpoint');
  return naming;
}

describe('a checkpoint of one’s own', () => {
  beforeEach(reset);

  it('keeps what agents have changed and what is open, and gives it back', async () => {
    write('opened.txt', 'opened');
    await vscode.window.showTextDocument(uriOf('opened.txt'), { preview: false });
    await agentWrites({ 'a.txt': 'one' });
    await turns();
    const { prompt, told } = await create('Before the change');
    assert.match(prompt, /2 files/);
    assert.deepEqual(told, ['Kept 2 files in a checkpoint.']);
    await agentWrites({ 'a.txt': 'two' }, { turn: 't2' });
    const own = (await turns(3)).find(({ turn }) => turn.kind === 'manual')!;
    const { tree } = await testing();
    const item = tree.getTreeItem(own);
    assert.equal(item.label, 'Before the change');
    assert.equal((item.iconPath as vscode.ThemeIcon).id, 'bookmark');
    const { dialogs } = await testing();
    dialogs.use(new Answers(['Restore']));
    await vscode.commands.executeCommand('agentCheckpoints.restoreMark', own);
    assert.equal(read('a.txt'), 'one');
  });

  it('is not made without a name being asked for and given', async () => {
    await agentWrites({ 'a.txt': 'one' });
    await create(undefined);
    assert.equal((await turns()).length, 1);
  });

  it('says what to do where there is nothing to keep', async () => {
    const { told } = await create('x');
    assert.match(told[0]!, /^There is nothing to keep yet/);
  });
});
