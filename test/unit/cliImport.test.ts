// `import` on the command line.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { cliWorkspace } from '../support/cliRunner';
import { temporaryRoot } from '../support/ports';

const jsonl = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

function withPast() {
  const workspace = cliWorkspace();
  const home = temporaryRoot('home');
  const session = (id: string, use: string, minute: number) => {
    const dir = path.join(home, '.claude/projects', workspace.root.replace(/[^a-zA-Z0-9]/g, '-'));
    const file = workspace.file('a.txt');
    const common = { cwd: workspace.root, timestamp: `2026-03-01T09:0${minute}:00.000Z` };
    const call = {
      type: 'tool_use',
      id: use,
      name: 'Edit',
      input: { file_path: file, old_string: 'one', new_string: 'two' },
    };
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(
      path.join(dir, `${id}.jsonl`),
      jsonl(
        { ...common, type: 'user', uuid: 'u', parentUuid: null, message: { content: 'Go\u001b[31m on' } },
        { ...common, type: 'assistant', uuid: 'a', parentUuid: 'u', message: { content: [call] } },
        {
          ...common,
          type: 'user',
          uuid: 'r',
          parentUuid: 'a',
          message: { content: [{ type: 'tool_result', tool_use_id: use, content: 'ok' }] },
          toolUseResult: { filePath: file, originalFile: 'one\n' },
        },
      ),
    );
  };
  session('s1', 't1', 1);
  session('s2', 't2', 2);
  const run = (...argv: string[]) => workspace.runIn({ env: { HOME: home } }, 'import', ...argv);
  return { ...workspace, import: run };
}

describe('import', () => {
  it('shows first, then recovers, then has nothing to add', async () => {
    const { import: run, run: other, root } = withPast();
    const both = [
      { agent: 'claude-code', session: 's1', files: 1, checkpoints: 1 },
      { agent: 'claude-code', session: 's2', files: 1, checkpoints: 1 },
    ];
    const bySession = (a: { session: string }, b: { session: string }) => (a.session < b.session ? -1 : 1);
    assert.deepEqual((await run('--dry-run', '--json')).json.sessions.sort(bySession), both);
    assert.equal(fs.existsSync(path.join(root, '.system_generated')), false);
    const { code, json } = await run('--json');
    assert.deepEqual([code, json.sessions.sort(bySession)], [0, both]);
    const again = (await run('--json')).json.sessions as { files: number; checkpoints: number }[];
    assert.deepEqual(
      again.map(({ files, checkpoints }) => [files, checkpoints]),
      [
        [0, 0],
        [0, 0],
      ],
    );
    const { checkpoints } = (await other('list', '--json')).json;
    assert.deepEqual(
      checkpoints.map(({ kind, createdAt }: { kind: string; createdAt: string }) => [kind, createdAt]),
      [
        ['recovered', '2026-03-01T09:02:00.000Z'],
        ['recovered', '2026-03-01T09:01:00.000Z'],
      ],
    );
  });

  it('keeps to one agent and one session', async () => {
    const { import: run } = withPast();
    const sessions = async (...argv: string[]) =>
      (await run(...argv, '--dry-run', '--json')).json.sessions.length as number;
    assert.deepEqual(
      [await sessions('codex'), await sessions('claude-code'), await sessions('--session', 's2')],
      [0, 2, 1],
    );
    const { code, stderr } = await run('cursor');
    assert.equal(code, 2);
    assert.match(stderr, /nothing to recover from "cursor"/);
  });

  it('tells a person which files, with nothing that acts on the terminal', async () => {
    const { stdout } = await withPast().import('--dry-run');
    assert.match(stdout, /claude-code {3}s1/);
    assert.match(stdout, / {4}a\.txt/);
    assert.match(stdout, /2 checkpoints can be recovered; nothing was written\./);
    assert.ok(!stdout.includes('\u001b'));
  });
});
