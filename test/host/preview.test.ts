import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { sideUri, type StoredSide } from '../../src/host/preview/uri';
import { agentWrites, at, eventually, filesOf, reset, testing, turns, write } from './support/testing';

/** One edit of `path`, with its URIs. */
async function captured(path: string, before: string | Uint8Array | undefined, after: string) {
  if (before !== undefined) write(path, before);
  await agentWrites({ [path]: after });
  const [turn] = await turns();
  const side: StoredSide = {
    type: 'stored',
    root: turn!.root.hash,
    id: turn!.turn.checkpoints[0]!.id,
    entry: 0,
    side: 'pre',
    path,
  };
  return { turn: turn!, side };
}

const text = async (uri: vscode.Uri) => new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));

describe('documents of a store', () => {
  beforeEach(reset);

  it('are the bytes before and after, of any kind', async () => {
    const bytes = Uint8Array.from([0, 255, 254, 13, 10, 0]);
    const { side } = await captured('dir/ä ?#%.bin', bytes, 'after');
    const uri = sideUri(side);
    assert.deepEqual(new Uint8Array(await vscode.workspace.fs.readFile(uri)), bytes);
    assert.equal(await text(sideUri({ ...side, side: 'post' })), 'after');
    const stat = await vscode.workspace.fs.stat(uri);
    assert.equal(stat.permissions, vscode.FilePermission.Readonly);
    assert.equal(stat.size, 6);
  });

  it('are empty where nothing was', async () => {
    const { side } = await captured('new.txt', undefined, 'new');
    assert.equal(await text(sideUri(side)), '');
  });

  it('have neither content nor absolute paths in their names', async () => {
    const { side } = await captured('a.txt', 'secret', 'after');
    const name = sideUri(side).toString(true);
    assert.ok(!name.includes('secret') && !name.includes(at('')), name);
  });

  it('cannot be written', async () => {
    const { side } = await captured('a.txt', 'before', 'after');
    await assert.rejects(async () => vscode.workspace.fs.writeFile(sideUri(side), new Uint8Array()));
    await assert.rejects(async () => vscode.workspace.fs.delete(sideUri(side)));
  });

  it('are not found under any other name, and no file is looked at for it', async () => {
    const { side } = await captured('a.txt', 'before', 'after');
    const good = sideUri(side);
    const wrong: [string, vscode.Uri][] = [
      ['no query', good.with({ query: '' })],
      ['an id that is none', good.with({ query: good.query.replace(side.id, '../../../etc/passwd') })],
      ['an id with a path', good.with({ query: good.query.replace(side.id, `${side.id}%2F..`) })],
      ['another root', good.with({ query: good.query.replace(side.root, 'f'.repeat(16)) })],
      ['a root that is a path', good.with({ query: good.query.replace(side.root, encodeURIComponent(at(''))) })],
      ['a side that is none', good.with({ query: good.query.replace('pre', 'meta') })],
      ['an entry that is none', good.with({ query: good.query.replace('entry=0', 'entry=-1') })],
      ['one value more', good.with({ query: `${good.query}&x=1` })],
      ['a value twice', good.with({ query: `${good.query}&side=post` })],
      ['an authority', good.with({ authority: 'elsewhere' })],
      ['a plan that is none', good.with({ query: `plan=${'0'.repeat(16)}&step=0` })],
    ];
    for (const [what, uri] of wrong) {
      const calls = await fileCalls(() =>
        assert.rejects(
          async () => vscode.workspace.fs.readFile(uri),
          (error) => error instanceof vscode.FileSystemError && error.code === 'FileNotFound',
          what,
        ),
      );
      assert.deepEqual(calls, [], what);
    }
  });

  it('are not found where the id, the entry or the path is of nothing there', async () => {
    const { side } = await captured('a.txt', 'before', 'after');
    const notThere = { ...side, id: side.id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) as typeof side.id };
    for (const wrong of [notThere, { ...side, entry: 1 }, { ...side, path: 'b.txt' }]) {
      await assert.rejects(async () => vscode.workspace.fs.readFile(sideUri(wrong)), /NotFound/);
    }
  });

  it('that are damaged are never shown', async () => {
    const { side } = await captured('a.txt', 'before', 'after');
    const blob = `.system_generated/checkpoints/${side.id}/pre/0-a.txt`;
    fs.rmSync(at(blob));
    write(blob, 'forged');
    await assert.rejects(async () => vscode.workspace.fs.readFile(sideUri(side)));
  });
});

describe('a preview', () => {
  beforeEach(reset);

  const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

  it('of a file is a diff of before and after', async () => {
    const { turn } = await captured('a.txt', 'before', 'after');
    const [file] = await filesOf(turn);
    await vscode.commands.executeCommand('agentCheckpoints.previewFile', file);
    const tab = await eventually('a diff', () => tabs().find(({ input }) => input instanceof vscode.TabInputTextDiff));
    assert.equal(tab.label, 'a.txt (before turn ↔ after turn)');
    const { original, modified } = tab.input as vscode.TabInputTextDiff;
    assert.deepEqual([await text(original), await text(modified)], ['before', 'after']);
  });

  it('of a new file says so', async () => {
    const { turn } = await captured('a.txt', undefined, 'after');
    const [file] = await filesOf(turn);
    await vscode.commands.executeCommand('agentCheckpoints.previewFile', file);
    await eventually('a diff', () => tabs().find(({ label }) => label === 'a.txt (created in this turn)'));
  });

  it('of a turn shows all its files', async () => {
    const { turn } = await captured('a.txt', 'before', 'after');
    await vscode.commands.executeCommand('agentCheckpoints.previewTurn', turn);
    await eventually('a diff of several files', () =>
      tabs().find(({ label }) => label.startsWith('Turn of Claude Code (before ↔ after)')),
    );
  });

  it('never opens a file outside the root, whatever a store says', async () => {
    const { turn } = await captured('a.txt', 'before', 'after');
    const { roots } = await testing();
    for (const path of ['../outside.txt', '/etc/passwd', '.git/config', 'a/../../x', 'a\0b']) {
      assert.equal(roots.fileUri(turn.root, path), undefined, path);
    }
    fs.symlinkSync('/etc', at('link'));
    assert.equal(roots.fileUri(turn.root, 'link/passwd'), undefined);
    assert.equal(roots.fileUri(turn.root, 'link'), undefined);
    assert.equal(roots.fileUri(turn.root, 'a.txt')?.fsPath, at('a.txt'));
  });
});

/** The file calls that the product makes while `run` runs. */
async function fileCalls(run: () => Promise<unknown>): Promise<string[]> {
  const { ports } = await testing();
  const calls: string[] = [];
  const real = ports.fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const names = ['openSync', 'lstatSync', 'statSync', 'readdirSync', 'readFileSync', 'realpathSync', 'readlinkSync'];
  const kept = names.map((name) => [name, real[name]!] as const);
  for (const [name, call] of kept) {
    const watched = (...args: unknown[]) => {
      // The watcher of the store looks at its folders all the time.
      if (new Error().stack?.includes('CheckpointFileSystem')) calls.push(name);
      return call(...args);
    };
    real[name] = Object.assign(watched, call);
  }
  try {
    await run();
  } finally {
    for (const [name, call] of kept) real[name] = call;
  }
  return calls;
}
