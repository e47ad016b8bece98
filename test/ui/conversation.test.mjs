// A conversation with three forks, in its view and its panel: by mouse, and by keyboard alone.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const view = 'Conversations';
const user = (content) => ({ role: 'user', content });
const assistant = (content, ...calls) => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(([id, name]) => ({ id, name, arguments: { file_path: 'notes.md' } })),
  }),
});
const result = (id) => ({ role: 'tool', content: 'Done.', tool_call_id: id });

const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script> [click](javascript:alert(1))';

/** Forks at `ask`, `list` and `sort`; the conversation is at `done`. */
function lines(files) {
  const line = (id, parent, messages, more = {}) =>
    JSON.stringify({
      id,
      parent_id: parent,
      ts: '2026-11-30T10:00:00.000Z',
      v: 1,
      ...(parent && { delta: true }),
      ...more,
      messages,
    });
  return [
    line('ask', null, [user('Write down what the shop sells')]),
    line(
      'list',
      'ask',
      [
        assistant('I made **notes.md** with a list:\n\n```ts\nconst sold = ["bread"];\n```\n- bread\n- milk', [
          'c1',
          'Write',
        ]),
        result('c1'),
      ],
      { files: files.slice(0, 1) },
    ),
    line('table', 'ask', [assistant('I made a table instead')], { source: { agent: 'claude-code', session: 'shop' } }),
    line('sort', 'list', [user('Sort it by price')]),
    line('short', 'list', [user('Make it shorter')]),
    line('done', 'sort', [assistant('It is sorted', ['c2', 'Write']), result('c2')], { files: files.slice(1, 2) }),
    '{"id":"broken","mess',
    line('asked', 'sort', [assistant('By which price?')]),
    line('html', 'short', [assistant(hostile)]),
  ];
}

/** Stands for the agent's program: writes down how it was started, and stays. @returns the file with it */
function standIn(env) {
  const bin = join(env.HOME, 'bin');
  mkdirSync(bin);
  const started = join(env.HOME, 'started');
  const note = `printf '%s\\n' "$PWD" "$@" > "${started}.new" && mv "${started}.new" "${started}"`;
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${note}\nexec cat\n`, { mode: 0o755 });
  // Where a person's shell looks for it.
  for (const file of ['.bashrc', '.profile', '.zshrc'])
    writeFileSync(join(env.HOME, file), `export PATH="${bin}:$PATH"\n`);
  return started;
}

for (const theme of ['dark', 'light', 'hc']) {
  describe(`The Conversation panel in VS Code ${host}, ${theme}`, function () {
    this.timeout(120_000);
    this.slow(30_000);
    let history;
    let workbench;
    let frame;
    let started;

    before(async () => {
      history = temporaryHistory();
      const file = join(history.root, 'notes.md');
      const write = (content) => ({ tool: 'Write', input: { file_path: file, content } });
      const session = '5b1f7c1e-3d0a-4c55-9a57-2f6b0c0f4a11';
      history.play([
        { agent: 'claude-code', session, prompt: 'Write down what the shop sells', calls: [write('bread\nmilk\n')] },
      ]);
      history.play([
        { agent: 'claude-code', session, prompt: 'Sort it by price', calls: [write('milk\nbread\ncake\n')] },
      ]);
      const store = join(history.root, '.system_generated');
      const files = readdirSync(join(store, 'checkpoints')).sort();
      mkdirSync(join(store, 'conversations'), { mode: 0o700 });
      writeFileSync(join(store, 'conversations', 'shop.jsonl'), `${lines(files).join('\n')}\n`);
      writeFileSync(join(store, 'conversations', 'shop.head'), 'done\n');
      started = standIn(history.env);
      workbench = await openWorkbench({ host, theme, folder: history.root, extensions: [checkout], env: history.env });
      await workbench.openView('Agent Checkpoints');
    });

    afterEach(async function () {
      if (this.currentTest?.state !== 'failed' || !workbench) return;
      await workbench
        .screenshot(`failed-conversation-${theme}-${this.currentTest.title.replace(/\W+/g, '-')}`)
        .catch(() => {});
    });

    after(async () => {
      await workbench?.close();
      history?.remove();
    });

    const find = async () => {
      frame = undefined;
      await workbench.poll(async () => {
        for (const each of workbench.page.frames()) {
          if (
            await each
              .locator('.rows')
              .count()
              .catch(() => 0)
          )
            frame = each;
        }
        return frame !== undefined;
      }, 'the page of the panel');
    };
    const open = async () => {
      await workbench.openView('Agent Checkpoints');
      await workbench.clickRow(await workbench.row(view, /^Write down what the shop sells/));
      await find();
    };
    const rows = () => frame.locator('.row');
    const row = (id) => frame.locator(`.row[data-id="${id}"]`);
    const selected = async () =>
      (await frame
        .locator('.row.selected')
        .getAttribute('data-id')
        .catch(() => null)) ?? undefined;
    const isSelected = (id) =>
      workbench.poll(
        async () => (await selected()) === id,
        async () => `${id} is selected, not ${await selected()}`,
      );
    const press = async (key) => workbench.page.keyboard.press(key);
    const dots = () => frame.locator('.dot').evaluateAll((all) => all.map((dot) => Number(dot.getAttribute('cx'))));

    it('opens from the view: the graph has a lane for each branch, and stands where the conversation is', async () => {
      await open();
      await row('done').waitFor();
      await workbench.poll(async () => (await rows().count()) === 8, 'every row');
      await isSelected('done');
      const path = await Promise.all(['ask', 'list', 'sort', 'done'].map((id) => row(id).getAttribute('aria-level')));
      assert.deepEqual(path, ['1', '1', '1', '1']);
      for (const id of ['table', 'short', 'html', 'asked'])
        assert.notEqual(await row(id).getAttribute('aria-level'), '1', id);
      assert.ok(new Set(await dots()).size >= 3, 'lanes');
      assert.match(await frame.locator('.status').innerText(), /8 checkpoints, 3 forks/);
      await row('list').locator('.chip', { hasText: 'notes.md' }).waitFor();
      assert.match(await row('list').locator('.chip').innerText(), /\+2/);
      assert.match(await row('done').locator('.mark.leaf').innerText(), /now/);
      assert.match(await frame.locator('.damage summary').innerText(), /1 damaged line/);
      await workbench.screenshot(`conversation-${theme}`);
    });

    it('names every row for screen readers', async () => {
      assert.match(
        await row('list').getAttribute('aria-label'),
        /^Agent; .*tools Write; notes\.md, 2 added, 0 removed; fork with 2 branches/,
      );
      assert.match(await row('done').getAttribute('aria-label'), /the conversation is here/);
      assert.match(await row('table').getAttribute('aria-label'), /on another branch/);
      assert.equal(
        await frame.locator('.rows').getAttribute('aria-activedescendant'),
        await frame.locator('.row.selected').getAttribute('id'),
      );
    });

    it('a click shows the messages: markdown, and nothing of what it holds runs', async () => {
      await row('list').click();
      await frame.locator('.message strong', { hasText: 'notes.md' }).waitFor();
      assert.equal(await frame.locator('.message pre code').first().innerText(), 'const sold = ["bread"];');
      await workbench.poll(async () => (await frame.locator('.message li').count()) === 2, 'the list');
      await frame.locator('.call summary', { hasText: 'Write' }).click();
      await workbench.screenshot(`conversation-messages-${theme}`);
      await row('html').click();
      await frame.locator('.message', { hasText: 'onerror' }).waitFor();
      assert.equal(await frame.locator('.details img, .details script, .details a').count(), 0);
      assert.equal(await frame.evaluate(() => document.title), 'Conversation');
    });

    it('goes along the path and across branches with the arrow keys', async () => {
      await row('ask').click();
      await frame.locator('.rows').focus();
      for (const [key, id] of [
        ['ArrowDown', 'list'],
        ['ArrowDown', 'sort'],
        ['ArrowRight', 'short'],
        ['ArrowDown', 'html'],
        ['ArrowLeft', 'sort'],
        ['ArrowDown', 'done'],
        ['ArrowRight', 'asked'],
        ['ArrowUp', 'sort'],
        ['ArrowUp', 'list'],
        ['ArrowRight', 'table'],
        ['Home', 'ask'],
        ['End', 'done'],
      ]) {
        await press(key);
        await isSelected(id);
      }
    });

    it('finds what is typed', async () => {
      await frame.locator('.rows').focus();
      await workbench.page.keyboard.type('which price');
      await workbench.poll(async () => (await frame.locator('.row.found').count()) === 1, 'one row is found');
      await press('Enter');
      await isSelected('asked');
      await press('Escape');
      await workbench.poll(async () => (await frame.locator('.row.found').count()) === 0, 'nothing is marked any more');
    });

    it('folds turns and unfolds them', async () => {
      const all = 8;
      await workbench.poll(async () => (await rows().count()) === all, 'every row');
      await frame.locator('.fold').click();
      await workbench.poll(async () => (await rows().count()) < all, 'fewer rows');
      assert.match(await row('short').locator('.badge').innerText(), /\+1/);
      await row('short').locator('.twist').click();
      await row('html').waitFor();
      await frame.locator('.fold').click();
      await workbench.poll(async () => (await rows().count()) === all, 'all rows again');
    });

    it('rewinds the conversation, with the plan first, and rewrites nothing', async () => {
      const store = join(history.root, '.system_generated', 'conversations');
      const before = readFileSync(join(store, 'shop.jsonl'), 'utf8');
      await row('list').click();
      await frame.locator('button[data-action="rewindConversation"]').click();
      const asked = await workbench.dialog('Rewind');
      assert.match(asked.message, /^Rewind the conversation to/);
      assert.match(asked.detail, /2 checkpoints after it stay as a branch/);
      await workbench.poll(() => readFileSync(join(store, 'shop.head'), 'utf8') === 'list\n', 'the head');
      assert.equal(readFileSync(join(store, 'shop.jsonl'), 'utf8'), before);
      await row('list').locator('.mark.leaf').waitFor();
    });

    it('rewinds files to a checkpoint, with the plan first', async () => {
      await row('sort').click();
      await frame.locator('button[data-action="rewindFiles"]').click();
      assert.match((await workbench.dialog()).detail, /notes\.md/);
      await workbench.dialog('Restore');
      await workbench.poll(() => readFileSync(join(history.root, 'notes.md'), 'utf8') === 'bread\nmilk\n', 'the file');
    });

    it('forks: the agent goes on in a terminal, in a session of its own up to the checkpoint', async () => {
      await row('table').click();
      await frame.locator('.message', { hasText: 'I made a table instead' }).waitFor();
      await frame.locator('button[data-action="fork"]').click();
      await workbench.poll(() => existsSync(started), 'the agent is started');
      const [cwd, option, session] = readFileSync(started, 'utf8').split('\n');
      assert.deepEqual([cwd, option], [history.root, '--resume']);
      const project = history.root.replace(/[^a-zA-Z0-9]/g, '-');
      const file = join(history.env.HOME, '.claude', 'projects', project, `${session}.jsonl`);
      const texts = [...readFileSync(file, 'utf8').matchAll(/"text":"([^"]+)"/g)].map(([, text]) => text);
      assert.deepEqual(texts, ['Write down what the shop sells', 'I made a table instead']);
      await workbench.page.locator('.integrated-terminal').first().waitFor();
      await workbench.screenshot(`conversation-fork-${theme}`);
      await workbench.runCommand('View: Toggle Panel Visibility');
    });

    it('rebuilds the context up to a checkpoint', async () => {
      await row('done').click();
      await frame.locator('.message', { hasText: 'It is sorted' }).waitFor();
      await frame.locator('button[data-action="rebuild"]').click();
      await workbench.page.getByRole('tab', { name: /^Rebuilt: shop/ }).waitFor();
      await workbench.screenshot(`conversation-rebuild-${theme}`);
      await workbench.runCommand('View: Close Editor');
      await find();
    });

    it('is there again after a reload', async () => {
      // At times a page starts without what the workbench wrote down, editors of any kind: then once more.
      const hasEditors = () => workbench.poll(async () => (await workbench.editorTitles()).length > 0, 'a tab', 10_000);
      do {
        await open();
        await workbench.keepsEditor('agentCheckpoints.conversation');
        await workbench.load();
      } while (!(await hasEditors().catch(() => false)));
      await find();
      await row('table').waitFor();
      await workbench.poll(async () => (await rows().count()) === 8, 'every row');
      await workbench.poll(async () => (await frame.locator('.row.selected').count()) === 1, 'a row is selected');
    });
  });
}
