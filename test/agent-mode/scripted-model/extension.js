/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads this file as CommonJS */
// A chat model that answers from a script: each request of the agent takes the next turn, whatever it says.
//
// SCRIPTED_MODEL_TURNS       a JSON file: [{ "text"?: string, "calls"?: [{ "tool": string, "input": object }] }, …]
// SCRIPTED_MODEL_PROGRESS    a file that gets one line of JSON for each request, for the test to wait for and to look at
// SCRIPTED_MODEL_EDIT_TOOLS  a list in JSON of the kinds of editing tools that it says it takes
const { appendFileSync, readFileSync } = require('node:fs');
const vscode = require('vscode');

exports.activate = (context) => {
  const { SCRIPTED_MODEL_TURNS, SCRIPTED_MODEL_PROGRESS, SCRIPTED_MODEL_EDIT_TOOLS } = process.env;
  if (!SCRIPTED_MODEL_TURNS) return;
  const turns = JSON.parse(readFileSync(SCRIPTED_MODEL_TURNS, 'utf8'));
  const note = (entry) =>
    SCRIPTED_MODEL_PROGRESS && appendFileSync(SCRIPTED_MODEL_PROGRESS, `${JSON.stringify(entry)}\n`);
  let next = 0;

  const provider = {
    provideLanguageModelChatInformation: async () => [
      {
        id: 'scripted-model',
        name: 'Scripted Model',
        family: 'scripted',
        version: '1',
        maxInputTokens: 200_000,
        maxOutputTokens: 16_000,
        isUserSelectable: true,
        isDefault: true,
        capabilities: {
          toolCalling: true,
          imageInput: false,
          ...(SCRIPTED_MODEL_EDIT_TOOLS && { editTools: JSON.parse(SCRIPTED_MODEL_EDIT_TOOLS) }),
        },
      },
    ],
    provideLanguageModelChatResponse: async (_model, messages, options, progress) => {
      const tools = (options.tools ?? []).map((tool) => tool.name);
      // Requests for a title or a summary offer no tools, and come at any time.
      if (tools.length === 0) {
        note({ asked: textOf(messages.at(-1)) });
        return progress.report(new vscode.LanguageModelTextPart('Scripted title'));
      }
      const number = next++;
      const { text, calls = [] } = turns[number] ?? { text: 'The script has ended.' };
      if (text) progress.report(new vscode.LanguageModelTextPart(text));
      calls.forEach(({ tool, input }, index) =>
        progress.report(new vscode.LanguageModelToolCallPart(`call_${number}_${index}`, tool, input)),
      );
      note({
        turn: number,
        calls: calls.map(({ tool }) => tool),
        results: resultsIn(messages.at(-1)),
        asked: textOf(messages.at(-1)),
        tools,
      });
    },
    provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('scripted', provider));
  note({ ready: true, version: vscode.version });
};

/** What the tools answered to the previous turn's calls: with a failing edit, this says why. */
function resultsIn(message) {
  return (message?.content ?? [])
    .filter((part) => part instanceof vscode.LanguageModelToolResultPart)
    .map((part) => part.content.map((piece) => piece.value ?? '').join(''));
}

const textOf = (message) =>
  (message?.content ?? [])
    .filter((part) => part instanceof vscode.LanguageModelTextPart)
    .map(({ value }) => value)
    .join('');
