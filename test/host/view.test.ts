import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import * as vscode from 'vscode';
import {
  agentWrites,
  at,
  eventually,
  extension,
  filesOf,
  folder,
  reset,
  rowsOf,
  testing,
  turns,
  write,
} from './support/testing';

const { Collapsed, None } = vscode.TreeItemCollapsibleState;

describe('the Checkpoints view', () => {
  beforeEach(reset);

  it('shows turns, their files, and the edits of a file', async () => {
    write('src/a.ts', 'one\n');
    write('old.txt', 'old\n');
    await agentWrites({ 'src/a.ts': 'two\n' });
    await agentWrites({ 'src/a.ts': 'two\nthree\n', 'new.txt': 'new\n', 'old.txt': undefined });
    const { tree } = await testing();
    const [turn] = await turns();
    const item = tree.getTreeItem(turn!);
    assert.equal(item.label, 'Turn of Claude Code');
    assert.match(String(item.description), /^Claude Code · now · 3 files/);
    assert.equal(item.collapsibleState, Collapsed);
    assert.match(item.contextValue!, /\bturn agent stands unpinned session\b/);
    const files = (await filesOf(turn!)).map((file) => tree.getTreeItem(file));
    assert.deepEqual(
      files.map(({ label, description, collapsibleState }) => [label, description, collapsibleState]),
      [
        ['new.txt', '+1', None],
        ['old.txt', '−1', None],
        ['a.ts', 'src · +2 −1 · 2 edits', Collapsed],
      ],
    );
    assert.deepEqual(
      files.map(({ resourceUri }) => resourceUri!.query),
      ['A', 'D', 'M'],
    );
    const edits = await rowsOf((await filesOf(turn!))[2]);
    assert.deepEqual(
      edits.map((edit) => tree.getTreeItem(edit).label),
      ['Edit', 'Edit'],
    );
  });

  it('says every row aloud', async () => {
    await agentWrites({ 'a.txt': 'a' });
    const { tree } = await testing();
    const [turn] = await turns();
    const rows = [turn!, ...(await filesOf(turn!))];
    const said = rows.map((row) => tree.getTreeItem(row).accessibilityInformation?.label ?? '');
    assert.match(said[0]!, /^Turn of Claude Code, Claude Code, now, 1 file/);
    assert.match(said[1]!, /^a\.txt, created/);
  });

  it('tells in a hover who, when and what, and cannot be broken out of', async () => {
    write('a.md', '```\n[x](command:evil)\n');
    await agentWrites({ 'a.md': '````\n[x](command:evil)\n' });
    const { tree } = await testing();
    const [turn] = await turns();
    const [file] = await filesOf(turn!);
    const { tooltip } = tree.resolveTreeItem(tree.getTreeItem(file!), file!);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.ok(!tooltip.isTrusted);
    assert.match(tooltip.value, /`````diff\n[^]*-```\n\+````[^]*\n`````/);
  });

  it('keeps the object of a row, and draws only that again', async () => {
    await agentWrites({ 'a.txt': 'a' }, { turn: 't1' });
    await agentWrites({ 'b.txt': 'b' }, { turn: 't2' });
    const before = await turns(2);
    const { tree } = await testing();
    const drawn: unknown[] = [];
    const listener = tree.onDidChangeTreeData((what) => drawn.push(what));
    try {
      await vscode.commands.executeCommand('agentCheckpoints.pin', before[1]);
      assert.deepEqual(drawn, [[before[1]]]);
      assert.equal((await turns(2))[1], before[1]);
      assert.match(tree.getTreeItem(before[1]!).contextValue!, /\bpinned\b/);
      await vscode.commands.executeCommand('agentCheckpoints.unpin', before[1]);
      assert.match(tree.getTreeItem(before[1]!).contextValue!, /\bunpinned\b/);
    } finally {
      listener.dispose();
    }
  });

  it('follows a hook in another process within a second', async () => {
    write('a.txt', 'before');
    await agentWrites({ 'first.txt': '1' });
    await turns();
    await hook('PreToolUse');
    const written = Date.now();
    const { tree } = await testing();
    const isThere = () => tree.getChildren().filter(({ type }) => type === 'turn').length === 2;
    await eventually('the turn of the hook', isThere, 1000);
    assert.ok(Date.now() - written <= 1000);
  });

  it('follows the first checkpoint of a folder that had no store', async () => {
    write('a.txt', 'before');
    const { tree } = await testing();
    assert.deepEqual(tree.getChildren(), []);
    await hook('PreToolUse');
    await eventually('the turn of the hook', () => tree.getChildren().length === 1, 1000);
  });

  it('shows only the active file on request', async () => {
    await agentWrites({ 'a.txt': 'a', 'b.txt': 'b' }, { turn: 't1' });
    await agentWrites({ 'b.txt': 'bb' }, { turn: 't2' });
    await turns(2);
    const { tree, view } = await testing();
    await vscode.window.showTextDocument(vscode.Uri.file(at('a.txt')));
    await vscode.commands.executeCommand('agentCheckpoints.filterActiveFile');
    try {
      const [turn, ...more] = await eventually('one turn', () => tree.getChildren().length === 1 && tree.getChildren());
      assert.deepEqual(more, []);
      assert.deepEqual(
        tree.getChildren(turn).map((row) => tree.getTreeItem(row).label),
        ['a.txt'],
      );
      assert.match(view.message!, /a\.txt/);
      await vscode.window.showTextDocument(vscode.Uri.file(at('b.txt')));
      await eventually('both turns', () => tree.getChildren().length === 2);
    } finally {
      await vscode.commands.executeCommand('agentCheckpoints.clearFilter');
    }
    assert.equal(view.message, '');
  });

  it('shows fifty turns, then more on request', async () => {
    for (let i = 0; i < 53; i++) await agentWrites({ 'a.txt': `${i}` }, { turn: `t${i}` });
    const rows = async () => (await rowsOf()).map(({ type }) => type);
    await turns(50);
    assert.equal((await rows()).filter((type) => type === 'turn').length, 50);
    assert.equal((await rows()).at(-1), 'more');
    await vscode.commands.executeCommand('agentCheckpoints.loadMore', (await rowsOf()).at(-1));
    assert.deepEqual([...new Set(await rows())], ['turn']);
    assert.equal((await rows()).length, 53);
  });

  it('lists a damaged checkpoint as damaged, and the rest as ever', async () => {
    await agentWrites({ 'a.txt': 'a' }, { turn: 't1' });
    await agentWrites({ 'b.txt': 'b' }, { turn: 't2' });
    const [newest] = await turns(2);
    const { id } = newest!.turn.checkpoints[0]!;
    write(`.system_generated/checkpoints/${id}/meta.json`, '{');
    const { tree, timeline } = await testing();
    timeline.refreshAll();
    const rows = tree.getChildren();
    assert.deepEqual(rows.map(({ type }) => type).sort(), ['damaged', 'turn']);
    const item = tree.getTreeItem(rows.find(({ type }) => type === 'damaged')!);
    assert.match(String(item.description), /not JSON/);
  });
});

/** Runs the real hook entry point as a process of its own. */
async function hook(event: string): Promise<void> {
  const { ports } = await testing();
  const payload = {
    session_id: 'hooked',
    hook_event_name: event,
    cwd: folder(),
    tool_name: 'Edit',
    tool_use_id: 'hooked-1',
    tool_input: { file_path: at('a.txt'), old_string: 'before', new_string: 'after' },
  };
  const child = spawn(process.execPath, [path.join(extension().extensionPath, 'dist/cli.js'), 'hook', 'claude-code'], {
    cwd: folder(),
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', AGENT_CHECKPOINTS_HOME: ports.stateDir },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(JSON.stringify(payload));
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
}
