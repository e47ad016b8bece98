// A context is rebuilt in the real workbench: from the palette over the preview to the hand-over.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newest } from '../hosts/recipes.mjs';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from './support/history.mjs';
import { openWorkbench } from './support/workbench.mjs';

const host = process.env.AGENT_CHECKPOINTS_HOST ?? newest;
const themes = process.env.REBUILD_THEMES?.split(',') ?? ['dark'];
const hostile = '<img src=x onerror="document.title=1"> $(zap) [x](command:quit)';

/** Five prompts; each answer is about 3,000 tokens. */
function chainText() {
  const source = { agent: 'claude-code', session: 'shop' };
  const lines = Array.from({ length: 5 }, (_, at) => ({
    id: `node-${at}`,
    parent_id: at === 0 ? null : `node-${at - 1}`,
    ts: new Date(Date.UTC(2026, 6, 1, 10, at)).toISOString(),
    v: 1,
    delta: true,
    source,
    messages: [
      { role: 'user', content: at === 3 ? hostile : `Improve part ${at} of the shop. It must stay small.` },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: `call-${at}`, name: 'Bash', arguments: { command: `npm test ${at}` } }],
      },
      { role: 'tool', content: `${'All is well. '.repeat(900)}\n${at} passing`, tool_call_id: `call-${at}` },
      { role: 'assistant', content: `I will use a map for part ${at}. It is done.` },
    ],
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

for (const theme of themes) {
  describe(`Agent: Rebuild Context in VS Code ${host}, ${theme}`, function () {
    this.timeout(120_000);
    this.slow(30_000);
    let history;
    let workbench;
    let chain;
    let view;
    let started;

    before(async () => {
      history = temporaryHistory();
      const folder = join(history.root, '.system_generated', 'conversations');
      mkdirSync(folder, { recursive: true });
      chain = join(folder, 'shop.jsonl');
      writeFileSync(chain, chainText());
      // What stands for the agent's program writes down what it was started with.
      const programs = join(history.env.AGENT_CHECKPOINTS_HOME, 'programs');
      mkdirSync(programs, { recursive: true });
      started = join(programs, 'started');
      const program = `#!/bin/sh\npwd > '${started}.new'\nprintf '%s' "$@" >> '${started}.new'\nmv '${started}.new' '${started}'\ncat\n`;
      writeFileSync(join(programs, 'claude'), program, { mode: 0o755 });
      workbench = await openWorkbench({
        host,
        theme,
        folder: history.root,
        extensions: [checkout],
        settings: { 'terminal.integrated.env.linux': { PATH: `${programs}:/usr/bin:/bin` } },
        env: history.env,
      });
      view = workbench.webview();
    });

    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await workbench?.screenshot(`failed-rebuild-${theme}`).catch(() => {});
    });

    after(async () => {
      await workbench?.close();
      history?.remove();
    });

    const text = (selector) => view.locator(selector).innerText();
    const button = (name) => view.getByRole('button', { name });
    const status = (pattern) =>
      workbench.poll(async () => pattern.test(await text('#status')), `the page says ${pattern}`);

    it('offers the points of the conversation, and shows what the new context will be', async () => {
      await workbench.runCommand('Agent: Rebuild Context');
      await workbench.poll(async () => (await workbench.quickPickItems()).length === 6, 'the points');
      const labels = (await workbench.quickPickItems()).map(({ label }) => label);
      assert.equal(labels[0], 'Where the conversation is now');
      assert.match(labels[1], /^Improve part 4/);
      await workbench.screenshot(`rebuild-points-${theme}`);
      await workbench.quickPick('Where the conversation is now');
      await view.getByRole('heading', { name: 'shop' }).waitFor();
      assert.match(await text('#point'), /Where the conversation is now/);
      assert.match(await text('#bars'), /≈ [\d,]+ tokens/);
      await workbench.screenshot(`rebuild-first-${theme}`);
    });

    it('recomputes at once when less is kept, by keyboard', async () => {
      await view.locator('#keep').focus();
      for (let left = 0; left < 4; left++) await workbench.page.keyboard.press('ArrowLeft');
      await workbench.poll(async () => /about 1,000 tokens/.test(await text('#keepText')), 'the size');
      await workbench.poll(async () => /Summary of \d+ messages/.test(await text('#figures')), 'the figures');
      const summary = await view.locator('#summary').inputValue();
      assert.match(summary, /## Requests\n- Improve part 0/);
      assert.match(summary, /## Commands\n[^]*npm test 0/);
      assert.match(await text('#summarizedTitle'), /Summarised \(1\d\)/);
      await workbench.screenshot(`rebuild-${theme}`);
    });

    it('shows a message as text, whatever it holds', async () => {
      await view.locator('#summarizedTitle').click();
      await workbench.poll(async () => (await text('#summarized')).includes(hostile), 'the message');
      assert.equal(await view.locator('#summarized img').count(), 0);
      await view.locator('#summarizedTitle').click();
    });

    it('hands over the summary as the person edited it, as a file', async () => {
      await view.locator('#summary').fill('The shop is nearly done.');
      await workbench.poll(async () => /Edited by you/.test(await text('#by')), 'the note');
      await button('Save as Markdown…').click();
      await workbench.quick.save('shop-context.md');
      await status(/Saved as shop-context\.md/);
      const saved = readFileSync(join(history.root, 'shop-context.md'), 'utf8');
      assert.match(saved, /# Summary of what was before\n\nThe shop is nearly done\.\n\n# From here on, word for word/);
      await button('Save as JSON Messages…').click();
      await workbench.quick.save('shop-context.json');
      await status(/Saved as shop-context\.json/);
      const messages = JSON.parse(readFileSync(join(history.root, 'shop-context.json'), 'utf8'));
      assert.match(messages[0].content, /The shop is nearly done\.$/);
      assert.equal(messages.at(-1).content, 'I will use a map for part 4. It is done.');
      await workbench.screenshot(`rebuild-saved-${theme}`);
    });

    it('leaves it for the next start of the agent', async () => {
      await button('Give to Claude Code’s Next Start').click();
      await status(/gets the context when it next starts/);
      const [file] = readdirSync(join(history.env.AGENT_CHECKPOINTS_HOME, 'next-start'));
      const left = JSON.parse(readFileSync(join(history.env.AGENT_CHECKPOINTS_HOME, 'next-start', file), 'utf8'));
      assert.match(left.text, /The shop is nearly done\./);
    });

    it('keeps the summary in the conversation, which begins with it the next time', async () => {
      await button('Keep the Summary in the Conversation').click();
      await status(/The summary is kept/);
      assert.ok(readFileSync(chain, 'utf8').startsWith(chainText()));
      await workbench.runCommand('Agent: Rebuild Context');
      await workbench.quickPick('Where the conversation is now');
      await workbench.poll(
        async () => /from the watermark/.test(await text('#keepText')),
        'the watermark of the summary',
      );
      assert.equal(await view.locator('#summary').inputValue(), 'The shop is nearly done.');
    });

    it('starts the agent on it in a terminal, as it is, whatever it holds', async () => {
      await button('Start Claude Code in a Terminal').click();
      await status(/A terminal was opened/);
      await workbench.poll(() => existsSync(started), 'the program is started');
      const [folder, prompt] = readFileSync(started, 'utf8').split(/\n([^]*)/);
      assert.equal(folder, history.root);
      assert.ok(prompt.startsWith('Go on with the work of an earlier conversation.'), prompt.slice(0, 200));
      assert.match(prompt, /The shop is nearly done\./);
      assert.ok(prompt.includes('I will use a map for part 4. It is done.'));
      await workbench.screenshot(`rebuild-terminal-${theme}`);
    });

    it('puts it into the chat, or says where else it is', async () => {
      await button('Hand to VS Code’s Chat').click();
      await status(/the clipboard/);
      await workbench.screenshot(`rebuild-chat-${theme}`);
    });
  });
}
