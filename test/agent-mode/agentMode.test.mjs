// VS Code's own agent works in a folder with our installed hooks; the view shows it; Restore gives every byte back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from '../ui/support/history.mjs';
import { driveAgentMode } from './drive.mjs';

const view = 'Checkpoints';

/** Two prompts' worth of answers: every edit tool that the agent is offered. */
function answers(root, editTools) {
  const file = (name) => join(root, name);
  const notebook = {
    filePath: file('plan.ipynb'),
    editType: 'insert',
    cellId: 'BOTTOM',
    language: 'python',
    newCode: 'print(2)',
  };
  const patch = [
    '*** Begin Patch',
    `*** Update File: ${file('src/prices.ts')}`,
    '@@',
    '-  milk: 119,',
    '+  milk: 129,',
    `*** Add File: ${file('src/tax.ts')}`,
    '+export const tax = 0.2;',
    `*** Delete File: ${file('src/index.ts')}`,
    '*** End Patch',
  ].join('\n');
  const find = {
    replace: {
      tool: 'replace_string_in_file',
      input: { filePath: file('src/cart.ts'), oldString: 'let sum = 0;', newString: 'let sum = 0.0;' },
    },
    rewrite: {
      tool: 'insert_edit_into_file',
      input: { filePath: file('README.md'), explanation: 'Rewrite', code: '# Corner shop\n\nAll new text.\n' },
    },
    multi: {
      tool: 'multi_replace_string_in_file',
      input: {
        explanation: 'Two prices',
        replacements: [
          { explanation: 'apple', filePath: file('src/prices.ts'), oldString: 'apple: 40', newString: 'apple: 45' },
          { explanation: 'stock', filePath: file('data/stock list.csv'), oldString: 'milk,33', newString: 'milk,35' },
        ],
      },
    },
    patch: { tool: 'apply_patch', input: { explanation: 'Patch', input: patch } },
  };
  const edits = editTools ? [[find.multi], [find.patch]] : [[find.replace], [find.rewrite]];
  return [
    {
      text: 'Creating.',
      calls: [{ tool: 'create_file', input: { filePath: file('notes/first.md'), content: '# First\n' } }],
    },
    ...edits.map((calls) => ({ calls })),
    { text: 'The first part is done.' },
    { calls: [{ tool: 'create_directory', input: { dirPath: file('empty') } }] },
    { calls: [{ tool: 'edit_notebook_file', input: notebook }] },
    { text: 'All done.' },
  ];
}

const sets = {
  'the default edit tools': undefined,
  'patches and multiple replacements': ['apply-patch', 'multi-find-replace'],
};

for (const [name, editTools] of Object.entries(sets)) {
  describe(`VS Code's own agent mode, with ${name}`, function () {
    this.timeout(300_000);
    let history;
    let agent;

    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await agent?.screenshot('failed-agent-mode').catch(() => {});
    });

    after(async () => {
      await agent?.close();
      history?.remove();
    });

    it('is on the timeline by its prompts, and is taken back byte for byte', async () => {
      history = temporaryHistory();
      const cell = {
        cell_type: 'code',
        id: 'c1',
        metadata: {},
        execution_count: null,
        outputs: [],
        source: ['print(1)\n'],
      };
      writeFileSync(
        join(history.root, 'plan.ipynb'),
        JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1),
      );
      const cli = (...args) =>
        execFileSync(process.execPath, [history.cli, ...args, '--root', history.root], {
          env: history.env,
          encoding: 'utf8',
        });
      cli('install', 'vscode', '--scope', 'project');
      const before = history.tree();

      agent = await driveAgentMode({
        folder: history.root,
        extensions: [checkout],
        env: history.env,
        editTools,
        turns: answers(history.root, editTools),
        prompts: ['Begin the notes', 'Add a cell and a folder'],
      });
      const changed = history.tree();
      assert.ok(changed['notes/first.md']);
      assert.notEqual(changed['plan.ipynb'], before['plan.ipynb']);

      await agent.openView('Agent Checkpoints');
      await agent.row(view, /^Begin the notes VS Code/);
      await agent.expand(await agent.row(view, /^Add a cell and a folder VS Code/));
      await agent.row(view, /^plan\.ipynb/);
      await agent.screenshot(`agent-mode-${editTools ? 'patch' : 'default'}`);

      const { checkpoints, damaged } = JSON.parse(cli('list', '--json'));
      assert.deepEqual(damaged, []);
      assert.deepEqual(new Set(checkpoints.map(({ agent: { name } }) => name)), new Set(['vscode']));
      assert.deepEqual(checkpoints.map(({ notCovered }) => notCovered).flat(), []);
      const tools = checkpoints.map(({ agent: { tool } }) => tool).reverse();
      const calls = answers(history.root, editTools).flatMap(({ calls = [] }) => calls.map(({ tool }) => tool));
      assert.deepEqual(tools, calls, 'each call is one checkpoint');

      await agent.clickInline(await agent.row(view, /^Add a cell/), 'Restore: Undo This Turn…');
      await agent.dialog('Restore');
      await agent.poll(() => history.tree()['plan.ipynb'] === before['plan.ipynb'], 'the notebook is as before');
      await agent.row(view, /^Restored/);
      await agent.clearNotifications();
      await agent.clickInline(await agent.row(view, /^Begin the notes/), 'Restore: Undo This Turn…');
      await agent.dialog('Restore');
      await agent.poll(
        () => Object.keys(history.tree()).length === Object.keys(before).length,
        'created files are gone',
      );
      await agent.row(view, /^Restored .*Begin the/);
      assert.deepEqual(history.tree(), before);
      await agent.screenshot(`agent-mode-restored-${editTools ? 'patch' : 'default'}`);
    });
  });
}
