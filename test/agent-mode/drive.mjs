// Drives VS Code's own agent mode with a scripted model: prompts are typed into the chat, the built-in agent runs the
// scripted tool calls and the hooks of the workspace, and nobody is signed in anywhere.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newest } from '../hosts/recipes.mjs';
import { buttonIn } from '../ui/support/messages.mjs';
import { poll } from '../ui/support/poll.mjs';
import { openWorkbench } from '../ui/support/workbench.mjs';

const scriptedModel = join(dirname(fileURLToPath(import.meta.url)), 'scripted-model');

const READY_MS = 120_000;
const PROMPT_MS = 180_000;

const SETTINGS = {
  'chat.disableAIFeatures': false,
  'chat.useHooks': true,
  'chat.tools.global.autoApprove': true,
  'chat.tools.edits.autoApprove': { '**/*': true },
  'workbench.secondarySideBar.defaultVisibility': 'visible',
};

/** VS Code keeps these in the browser's storage. They say what clicks of a person say otherwise. */
const STORAGE = {
  // The built-in chat extension stays enabled though nobody went through its set-up.
  builtinChatExtensionEnablementMigration: 'true',
  'chat.setupContext': JSON.stringify({ entitlement: 1, installed: true, completed: true }),
  'chat.setupContext.migrated.v1': 'true',
  // The answer to "Enable global auto approve?".
  'chat.tools.global.autoApprove.optIn': 'true',
};

/**
 * Opens VS Code with the scripted model, sends the prompts one after the other and waits for each to be done.
 * @param {object} options see drive.d.mts
 */
export async function driveAgentMode(options) {
  const { host = newest, extensions = [], turns, prompts = [], editTools, env, settings } = options;
  const work = await mkdtemp(join(tmpdir(), 'scripted-model-'));
  const progressFile = join(work, 'progress.jsonl');
  await writeFile(join(work, 'turns.json'), JSON.stringify(turns));
  await writeFile(progressFile, '');
  const workbench = await openWorkbench({
    ...options,
    host,
    extensions: [scriptedModel, ...extensions],
    settings: { ...SETTINGS, ...settings },
    storage: { ...STORAGE, ...options.storage },
    userFiles: { 'chatLanguageModels.json': JSON.stringify([{ name: 'Scripted', vendor: 'scripted' }]) },
    // A model may say which editing tools it takes only through an API that is not released yet.
    ...(editTools && { forTests: true, payload: [['enableProposedApi', '']] }),
    env: {
      SCRIPTED_MODEL_TURNS: join(work, 'turns.json'),
      SCRIPTED_MODEL_PROGRESS: progressFile,
      ...(editTools && { SCRIPTED_MODEL_EDIT_TOOLS: JSON.stringify(editTools) }),
      ...env,
    },
  });
  const close = async () => {
    await workbench.close();
    await rm(work, { recursive: true, force: true });
  };

  const progress = async () =>
    (await readFile(progressFile, 'utf8'))
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const chat = chatOf(workbench.page);
  const agent = {
    ...workbench,
    close,
    /** What the scripted model was asked so far. */
    progress,
    /** Sends a prompt and waits until the agent has finished its answer. */
    prompt: (text) => chat.send(text, async () => `the model's requests so far: ${JSON.stringify(await progress())}`),
    chatText: chat.text,
  };
  try {
    await poll(async () => (await progress()).some(({ ready }) => ready), 'the scripted model is registered', READY_MS);
    await chat.modelChosen();
    for (const prompt of prompts) await agent.prompt(prompt);
    return agent;
  } catch (error) {
    await workbench.screenshot('agent-mode-failure').catch(() => {});
    await close();
    throw error;
  }
}

/** The chat view. @param {import('playwright-core').Page} page */
function chatOf(page) {
  const view = page.locator('.interactive-session:visible').first();
  const input = view.locator('.interactive-input-editor');
  const responses = view.locator('.interactive-response');
  const dialog = page.locator('.monaco-dialog-box:visible');

  /** Waits until the chat offers the scripted model: before that, a prompt would ask for a sign-in. */
  async function modelChosen() {
    await input.waitFor({ timeout: READY_MS });
    await view.locator('.chat-input-toolbars').getByText('Scripted Model').first().waitFor({ timeout: READY_MS });
  }

  async function send(prompt, details) {
    const before = await responses.count();
    await input.click();
    await page.keyboard.insertText(prompt);
    await page.keyboard.press('Enter');
    await poll(
      async () => {
        await approve();
        return (await responses.count()) > before && (await isDone());
      },
      async () => `the answer to "${prompt}"; ${await details()}; on screen: ${await text()}`,
      PROMPT_MS,
    );
  }

  /** Says yes to what VS Code asks on the way: whether all tools may run, and whether a command may. */
  async function approve() {
    for (const [place, label] of [
      [dialog, 'Enable'],
      [view, 'Allow'],
    ]) {
      const button = buttonIn(place, label);
      if (await button.count())
        await button
          .first()
          .click({ timeout: 2000 })
          .catch(() => {});
    }
  }

  /** The last answer is complete when VS Code shows its footer buttons and no longer the one that stops it. */
  async function isDone() {
    const last = responses.last();
    if (await view.locator('.chat-execute-toolbar .codicon-stop-circle, .codicon-stop-circle').count()) return false;
    return (await last.locator('.chat-footer-toolbar .action-label').count()) > 0;
  }

  const text = async () => (await view.innerText()).trim();

  return { modelChosen, send, text };
}
