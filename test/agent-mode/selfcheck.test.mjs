// Proves that VS Code's own agent runs the scripted tool calls, and that the hooks of the workspace fire around them.
// Run: node --test test/agent-mode/selfcheck.test.mjs
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { driveAgentMode } from './drive.mjs';

let folder;
let agent;
before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-selfcheck-')));
  await mkdir(join(folder, '.github', 'hooks'), { recursive: true });
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
  const append = { type: 'command', command: '(cat; echo) >> hooks.jsonl' };
  const hooks = Object.fromEntries(events.map((event) => [event, [append]]));
  await writeFile(join(folder, '.github', 'hooks', 'record.json'), JSON.stringify({ hooks }));
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\n');
});
after(async () => {
  await agent?.close();
  await rm(folder, { recursive: true, force: true });
});

test('two prompts run the tools of the script, and the hooks fire', async () => {
  const call = (tool, input) => ({ calls: [{ tool, input }] });
  agent = await driveAgentMode({
    folder,
    editTools: ['find-replace', 'multi-find-replace', 'apply-patch'],
    turns: [
      call('create_file', { filePath: join(folder, 'new.txt'), content: 'hello\n' }),
      call('replace_string_in_file', { filePath: join(folder, 'a.txt'), oldString: 'two\n', newString: 'TWO\n' }),
      { text: 'The first prompt is done.' },
      call('create_directory', { dirPath: join(folder, 'made') }),
      { text: 'The second prompt is done.' },
    ],
    prompts: ['first', 'second'],
  });
  assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'hello\n');
  assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), 'one\nTWO\n');
  assert.match(await agent.chatText(), /The second prompt is done/);

  const lines = (await readFile(join(folder, 'hooks.jsonl'), 'utf8')).trim().split('\n').filter(Boolean);
  const seen = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    seen.map(({ hook_event_name, tool_name = '' }) => `${hook_event_name} ${tool_name}`.trim()),
    [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse create_file',
      'PostToolUse create_file',
      'PreToolUse replace_string_in_file',
      'PostToolUse replace_string_in_file',
      'Stop',
      'UserPromptSubmit',
      'PreToolUse create_directory',
      'PostToolUse create_directory',
      'Stop',
    ],
  );
  const tools = (await agent.progress()).find((request) => request.tools).tools;
  assert.ok(['apply_patch', 'multi_replace_string_in_file'].every((tool) => tools.includes(tool)));
});
