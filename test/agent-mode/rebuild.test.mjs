// A rebuilt context with a language model: the model that the person picks writes the summary, and VS Code's own agent
// goes on from it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup/prepare.mjs';
import { temporaryHistory } from '../ui/support/history.mjs';
import { driveAgentMode } from './drive.mjs';

const node = (at, messages) => ({
  id: `node-${at}`,
  parent_id: at === 0 ? null : `node-${at - 1}`,
  ts: new Date(Date.UTC(2026, 6, 1, 10, at)).toISOString(),
  v: 1,
  delta: true,
  messages,
});

/** About 11,000 tokens, most of them in the first pass. */
const chain = [
  node(0, [
    { role: 'user', content: 'Which shelves does the shop have?' },
    { role: 'assistant', content: `Many. ${'One more shelf. '.repeat(2200)}` },
  ]),
  node(1, [
    { role: 'user', content: 'Which is the last?' },
    { role: 'assistant', content: `The one at the door. ${'It is long. '.repeat(600)}` },
  ]),
];

describe("A rebuilt context and VS Code's own agent", function () {
  this.timeout(300_000);
  let history;
  let agent;
  let view;

  before(async () => {
    history = temporaryHistory();
    const folder = join(history.root, '.system_generated', 'conversations');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'shelves.jsonl'), chain.map((line) => `${JSON.stringify(line)}\n`).join(''));
    agent = await driveAgentMode({
      folder: history.root,
      extensions: [checkout],
      env: history.env,
      turns: [{ text: 'I go on from there.' }],
    });
    view = agent.webview();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await agent?.screenshot('failed-agent-mode-rebuild').catch(() => {});
  });

  after(async () => {
    await agent?.close();
    history?.remove();
  });

  const says = (selector, what) =>
    agent.poll(
      async () => what.test(await view.locator(selector).innerText()),
      async () => `${what}; the page says: ${await view.locator(selector).innerText()}`,
    );
  const button = (name) => view.getByRole('button', { name });

  it('has its summary written by the model that was picked, once that was agreed to', async () => {
    await agent.runCommand('Agent: Rebuild Context');
    await agent.quickPick('Where the conversation is now');
    await view.locator('#keep').fill('1');
    await says('#summarizedTitle', /[1-9]/);
    await button('Write It With a Language Model…').click();
    await agent.quickPick('Scripted Model');
    const asked = await agent.dialog();
    assert.match(asked.message, /^Send this conversation to Scripted Model\?/);
    assert.deepEqual(
      (await agent.progress()).filter((entry) => /One more shelf/.test(entry.asked)),
      [],
    );
    await agent.dialog('Send');
    await says('#status', /The summary was written by Scripted Model/);
    assert.equal(await view.locator('#summary').inputValue(), 'Scripted title');
    const [sent] = (await agent.progress()).filter((entry) => /One more shelf/.test(entry.asked));
    assert.match(sent.asked, /Which shelves does the shop have\?/);
    assert.match(sent.asked, /Which is the last\?/);
    assert.doesNotMatch(sent.asked, /The one at the door/);
    await agent.screenshot('rebuild-by-model');
  });

  it('is what the agent gets as its prompt', async () => {
    await button('Hand to VS Code’s Chat').click();
    await says('#status', /The context was put into the input/);
    await agent.prompt('');
    const { asked } = (await agent.progress()).find(({ turn }) => turn === 0);
    assert.match(asked, /Scripted title/);
    assert.match(asked, /The one at the door\./);
    assert.doesNotMatch(asked, /One more shelf/);
    assert.match(await agent.chatText(), /I go on from there\./);
    await agent.screenshot('rebuild-in-chat');
  });
});
