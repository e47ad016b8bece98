// Agent: Recover From Past Sessions…, on records of an agent in a home of the test's own.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { Answers, at, eventually, folder, read, reset, testing, turns, write } from './support/testing';

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly kind?: vscode.QuickPickItemKind;
  readonly value?: unknown;
}

/** Chooses the rows with these labels. */
class Choosing extends Answers {
  rows: readonly Row[] | undefined;

  constructor(private readonly labels: readonly string[] | undefined) {
    super();
  }

  override async pickMany<T>(items?: readonly Row[]): Promise<T[] | undefined> {
    this.rows = items;
    return (
      this.labels &&
      (items!
        .filter(({ label, value }) => value !== undefined && this.labels!.includes(label))
        .map(({ value }) => value) as T[])
    );
  }
}

describe('recovering from past sessions', () => {
  let home: string;
  const before = process.env['HOME'];

  beforeEach(async () => {
    await reset();
    home = fs.mkdtempSync(path.join(tmpdir(), 'agent-checkpoints-home-'));
    process.env['HOME'] = home;
    const root = fs.realpathSync(folder());
    const dir = path.join(home, '.claude', 'projects', root.replace(/[^a-zA-Z0-9]/g, '-'));
    fs.mkdirSync(dir, { recursive: true });
    const change = (name: string, use: string, minute: number) => {
      const common = { cwd: root, timestamp: `2026-03-01T09:0${minute}:00.000Z` };
      const input = { file_path: path.join(root, name), old_string: 'one', new_string: 'two' };
      return [
        {
          ...common,
          type: 'assistant',
          uuid: `a${use}`,
          parentUuid: 'u',
          message: { content: [{ type: 'tool_use', id: use, name: 'Edit', input }] },
        },
        {
          ...common,
          type: 'user',
          uuid: `r${use}`,
          parentUuid: `a${use}`,
          promptId: 'p1',
          message: { content: [{ type: 'tool_result', tool_use_id: use, content: 'ok' }] },
          toolUseResult: { filePath: path.join(root, name), originalFile: 'one\n' },
        },
      ];
    };
    const prompt = {
      type: 'user',
      uuid: 'u',
      parentUuid: null,
      cwd: root,
      timestamp: '2026-03-01T09:00:00.000Z',
      message: { content: 'Plant the beans' },
    };
    const records = [prompt, ...change('beans.txt', 't1', 1), ...change('peas.txt', 't2', 2)];
    fs.writeFileSync(path.join(dir, 's1.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    write('beans.txt', 'two\n');
    write('peas.txt', 'two\n');
  });

  afterEach(() => {
    process.env['HOME'] = before;
    fs.rmSync(home, { recursive: true, force: true });
  });

  const run = async (labels: readonly string[] | undefined): Promise<Choosing> => {
    const { dialogs } = await testing();
    const choosing = new Choosing(labels);
    dialogs.use(choosing);
    await vscode.commands.executeCommand('agentCheckpoints.recoverPastSessions');
    return choosing;
  };
  const stored = (): string[] => {
    const dir = at('.system_generated/checkpoints');
    return fs.existsSync(dir) ? fs.readdirSync(dir) : [];
  };

  it('shows what there is by session and file, and writes nothing until it is chosen', async () => {
    const { rows } = await run(undefined);
    assert.equal(rows![0]!.kind, vscode.QuickPickItemKind.Separator);
    assert.match(rows![0]!.label, /^Claude Code · Plant the beans · /);
    assert.deepEqual(
      rows!.slice(1).map(({ label, description }) => [label, description]),
      [
        ['beans.txt', '1 earlier state'],
        ['peas.txt', '1 earlier state'],
      ],
    );
    assert.match(rows![1]!.detail!, /text from the conversation/);
    assert.deepEqual(stored(), []);
  });

  it('recovers what was chosen, shows it, can restore it, and then has the rest', async () => {
    const { told } = await run(['beans.txt']);
    assert.match(told[0]!, /^Recovered 1 checkpoint\./);
    assert.equal(stored().length, 1);
    assert.match(stored()[0]!, /^20260301T090100000Z-/);
    const [row] = await turns();
    assert.equal(row!.turn.kind, 'recovered');
    const { dialogs } = await testing();
    dialogs.use(new Answers(['Restore']));
    await vscode.commands.executeCommand('agentCheckpoints.restoreTurn', row);
    await eventually('the earlier state', () => read('beans.txt') === 'one\n');
    const { rows } = await run(['peas.txt']);
    assert.deepEqual(
      rows!.slice(1).map(({ label }) => label),
      ['peas.txt'],
    );
    const last = await run(undefined);
    assert.equal(last.rows, undefined);
    assert.match(last.told[0]!, /in the view already/);
  });
});
