import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import {
  agentWrites,
  Answers,
  at,
  eventually,
  filesOf,
  read,
  reset,
  testing,
  turns,
  uriOf,
  write,
} from './support/testing';

/** Runs a command with these answers to its questions. */
async function answering(answers: (string | undefined)[], command: string, ...args: unknown[]): Promise<Answers> {
  const { dialogs } = await testing();
  const given = new Answers(answers);
  dialogs.use(given);
  await vscode.commands.executeCommand(command, ...args);
  return given;
}

async function type(name: string, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uriOf(name));
  await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  const all = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  edit.replace(document.uri, all, text);
  assert.ok(await vscode.workspace.applyEdit(edit));
  return document;
}

describe('restoring', () => {
  beforeEach(reset);

  it('asks once in words, gives the bytes back, and says so', async () => {
    write('a.txt', 'one\r\n');
    write('gone.txt', 'still here');
    await agentWrites({ 'a.txt': 'two', 'new.txt': 'new', 'gone.txt': undefined });
    const [turn] = await turns();
    const { asked, told } = await answering(['Restore'], 'agentCheckpoints.restoreTurn', turn);
    assert.deepEqual([read('a.txt'), read('new.txt'), read('gone.txt')], ['one\r\n', undefined, 'still here']);
    assert.equal(asked.length, 1);
    assert.match(
      asked[0]!.detail,
      /^2 files are restored, 1 is removed:\n• a\.txt: restored\n• gone\.txt: put back\n• new\.txt: removed/,
    );
    assert.deepEqual(asked[0]!.actions, ['Restore', 'Preview and Choose…']);
    assert.deepEqual(told, ['Restored 2 files and removed 1 file. A guard checkpoint keeps what was there.']);
  });

  it('writes nothing without a yes', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' });
    const [turn] = await turns();
    await answering([undefined], 'agentCheckpoints.restoreTurn', turn);
    assert.equal(read('a.txt'), 'two');
    assert.equal((await turns()).length, 1);
  });

  it('undoes the last turn and redoes it, and the view shows both', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' }, { turn: 't1' });
    await agentWrites({ 'a.txt': 'three' }, { turn: 't2' });
    await answering(['Restore'], 'agentCheckpoints.undoLastTurn');
    assert.equal(read('a.txt'), 'two');
    const { tree } = await testing();
    const [restore, undone] = await turns(3);
    assert.equal(tree.getTreeItem(restore!).label, 'Restored 1 file');
    assert.match(String(tree.getTreeItem(undone!).description), /^taken back/);
    assert.ok(!tree.getTreeItem(undone!).contextValue!.includes('stands'));
    await answering(['Restore'], 'agentCheckpoints.redo');
    assert.equal(read('a.txt'), 'three');
  });

  it('takes back one file of a turn, or one edit of a file', async () => {
    write('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    write('b.txt', 'b');
    await agentWrites({ 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n9\n', 'b.txt': 'bb' });
    await agentWrites({ 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n8\nnine\n' });
    const [turn] = await turns();
    const files = await filesOf(turn!);
    const { tree } = await testing();
    const [, second] = tree.getChildren(files[0]);
    await answering(['Restore'], 'agentCheckpoints.restoreEdit', second);
    assert.equal(read('a.txt'), 'one\n2\n3\n4\n5\n6\n7\n8\n9\n');
    await answering(['Restore'], 'agentCheckpoints.restoreFile', files[0]);
    assert.deepEqual([read('a.txt'), read('b.txt')], ['1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'bb']);
  });

  it('leaves a person’s change alone, and overwrites it only when told, with a guard', async () => {
    write('a.txt', 'one');
    write('b.txt', 'one');
    await agentWrites({ 'a.txt': 'two', 'b.txt': 'two' });
    write('a.txt', 'mine');
    const [turn] = await turns();
    const first = await answering(['Restore the Other File'], 'agentCheckpoints.restoreTurn', turn);
    assert.match(first.asked[0]!.detail, /Left alone, because they were changed since:\n• a\.txt/);
    assert.deepEqual([read('a.txt'), read('b.txt')], ['mine', 'one']);
    await answering(['Overwrite (Keeps a Guard)'], 'agentCheckpoints.restoreTurn', (await turns()).at(-1));
    assert.equal(read('a.txt'), 'one');
    const { dialogs } = await testing();
    const answers = new Answers(['Restore']);
    dialogs.use(answers);
    await vscode.commands.executeCommand('agentCheckpoints.redo');
    assert.equal(read('a.txt'), 'mine');
  });

  it('offers Undo right after, without another question', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' });
    const [turn] = await turns();
    const { dialogs } = await testing();
    const answers = new Answers(['Restore']);
    answers.click = 'Undo';
    dialogs.use(answers);
    await vscode.commands.executeCommand('agentCheckpoints.restoreTurn', turn);
    await eventually('the undo of the restore', () => answers.told.length === 2);
    assert.equal(read('a.txt'), 'two');
    assert.equal(answers.asked.length, 1);
  });

  it('rewinds to before a turn', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' }, { turn: 't1' });
    await agentWrites({ 'b.txt': 'new' }, { turn: 't2', session: 'another' });
    const oldest = (await turns(2)).at(-1);
    await answering(['Restore'], 'agentCheckpoints.rewindTurn', oldest);
    assert.deepEqual([read('a.txt'), read('b.txt')], ['one', undefined]);
  });

  it('says what there is to say where nothing can be undone', async () => {
    await agentWrites({ 'a.txt': 'a' });
    await turns();
    const { told } = await answering([], 'agentCheckpoints.redo');
    assert.deepEqual(told, ['There is nothing to redo.']);
  });
});

describe('restoring a file with unsaved text', () => {
  beforeEach(reset);

  it('puts the result into the editor as an edit that can be undone, and never on the disk', async () => {
    write('typed-in.txt', 'one');
    await agentWrites({ 'typed-in.txt': 'two' });
    const document = await type('typed-in.txt', 'typed');
    const [turn] = await turns();
    const { asked } = await answering(['Overwrite (Keeps a Guard)'], 'agentCheckpoints.restoreTurn', turn);
    assert.match(asked[0]!.detail, /typed-in\.txt/);
    assert.equal(document.getText(), 'one');
    assert.ok(document.isDirty);
    assert.equal(read('typed-in.txt'), 'two');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'typed');
  });

  it('saves first where that is chosen', async () => {
    write('saved.txt', 'one\n2\n3\n4\n5\n');
    await agentWrites({ 'saved.txt': 'two\n2\n3\n4\n5\n' });
    const document = await type('saved.txt', 'two\n2\n3\n4\nmine\n');
    const [turn] = await turns();
    const { asked } = await answering(['Save First', 'Merge', 'Restore'], 'agentCheckpoints.restoreTurn', turn);
    await eventually('the editor is saved', () => !document.isDirty);
    await eventually('the merge', () => read('saved.txt') === 'one\n2\n3\n4\nmine\n');
    assert.match(asked.at(-1)!.detail, /saved\.txt: merged with what came later/);
  });

  it('keeps an editor without unsaved text in step', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' });
    const document = await vscode.workspace.openTextDocument(uriOf('a.txt'));
    await vscode.window.showTextDocument(document);
    const [turn] = await turns();
    await answering(['Restore'], 'agentCheckpoints.restoreTurn', turn);
    await eventually('the editor follows', () => document.getText() === 'one');
    assert.ok(!document.isDirty);
  });

  it('is told to the programs outside the editor', async () => {
    write('told.txt', 'one');
    await agentWrites({ 'told.txt': 'two' });
    const { ports } = await testing();
    const listed = () =>
      fs.existsSync(`${ports.stateDir}/unsaved`) &&
      fs
        .readdirSync(`${ports.stateDir}/unsaved`)
        .some((name) =>
          fs
            .readFileSync(`${ports.stateDir}/unsaved/${name}`, 'utf8')
            .includes(JSON.stringify(fs.realpathSync(at('told.txt'))).slice(1, -1)),
        );
    await type('told.txt', 'typed');
    await eventually('the file is listed', listed);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await eventually('the file is not listed any more', () => !listed());
  });
});

describe('the preview of a restore', () => {
  beforeEach(reset);

  /** Opens the preview of undoing the newest turn. */
  async function preview(answer: string, click?: string) {
    const { dialogs, restorePreview } = await testing();
    const answers = new Answers([answer]);
    answers.click = click;
    dialogs.use(answers);
    const [turn] = await turns();
    const ended = vscode.commands.executeCommand('agentCheckpoints.restoreTurn', turn);
    await eventually('the preview', () => restorePreview.isOpen && restorePreview.rows.length > 1);
    const row = (path: string) =>
      restorePreview.rows
        .flatMap((each) => (each.type === 'group' ? each.rows : []))
        .find((each) => each.path === path);
    return { restorePreview, ended, row, answers };
  }

  it('restores what is checked, and the rest stands', async () => {
    write('a.txt', 'one');
    write('b.txt', 'one');
    await agentWrites({ 'a.txt': 'two', 'b.txt': 'two' });
    const { restorePreview, ended, row } = await preview('Preview and Choose…');
    await restorePreview.decide(row('a.txt'), 'leave');
    await vscode.commands.executeCommand('agentCheckpoints.runPlan');
    await ended;
    assert.deepEqual([read('a.txt'), read('b.txt')], ['two', 'one']);
    await answering(['Restore'], 'agentCheckpoints.undoLastTurn');
    assert.deepEqual([read('a.txt'), read('b.txt')], ['one', 'one']);
  });

  it('writes nothing where it is cancelled', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' });
    const { ended, restorePreview } = await preview('Preview and Choose…');
    await vscode.commands.executeCommand('agentCheckpoints.cancelPlan');
    await ended;
    assert.equal(read('a.txt'), 'two');
    assert.ok(!restorePreview.isOpen && restorePreview.rows.length === 0);
  });

  it('does not run what is another plan by then', async () => {
    write('a.txt', 'one');
    await agentWrites({ 'a.txt': 'two' });
    const { ended, row, answers } = await preview('Preview and Choose…');
    write('a.txt', 'mine');
    await vscode.commands.executeCommand('agentCheckpoints.runPlan');
    assert.match(answers.told[0]!, /changed meanwhile/);
    assert.equal(read('a.txt'), 'mine');
    assert.equal(row('a.txt')?.group, 'yours');
    await vscode.commands.executeCommand('agentCheckpoints.cancelPlan');
    await ended;
    assert.equal(read('a.txt'), 'mine');
  });

  it('decides for each path that was changed since, and shows what would be', async () => {
    write('a.txt', '1\n2\n3\n4\n5\n');
    write('b.txt', 'one');
    await agentWrites({ 'a.txt': 'one\n2\n3\n4\n5\n', 'b.txt': 'two' });
    write('a.txt', 'one\n2\n3\n4\nmine\n');
    write('b.txt', 'mine');
    const { ended, row } = await preview('Decide for Each…');
    await vscode.commands.executeCommand('agentCheckpoints.mergePath', row('a.txt'));
    assert.match(row('a.txt')!.words, /^merged/);
    await vscode.commands.executeCommand('agentCheckpoints.overwritePath', row('b.txt'));
    await vscode.commands.executeCommand('agentCheckpoints.keepPath', row('b.txt'));
    assert.match(row('b.txt')!.words, /^keep mine/);
    await vscode.commands.executeCommand('agentCheckpoints.runPlan');
    await ended;
    assert.deepEqual([read('a.txt'), read('b.txt')], ['1\n2\n3\n4\nmine\n', 'mine']);
  });
});
