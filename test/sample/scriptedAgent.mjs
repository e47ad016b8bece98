// Plays an agent: before and after each of its writes it runs the real hook entry point, as the agent programs do.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Runs the hook of an agent as a process of its own, with a payload on standard input. */
function hook(cli, agent, payload, { cwd, env }) {
  execFileSync(process.execPath, [cli, 'hook', agent], { cwd, env, input: JSON.stringify(payload) });
}

const edits = {
  Write: ({ file_path, content }) => write(file_path, content),
  create_file: ({ filePath, content }) => write(filePath, content),
  Edit: ({ file_path, old_string, new_string }) => replace(file_path, old_string, new_string),
  replace_string_in_file: ({ filePath, oldString, newString }) => replace(filePath, oldString, newString),
  apply_patch: ({ input }) => {
    for (const [, file] of input.matchAll(/^\*\*\* Delete File: (.+)$/gm)) rmSync(file);
  },
};

function write(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function replace(file, from, to) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`The text to replace is not in ${file}`);
  write(
    file,
    text.replace(from, () => to),
  );
}

/**
 * Plays turns in `root`.
 * @param cli path of dist/cli.js
 * @param env environment of the hook processes
 */
export function playTurns(turns, { cli, root, env = process.env }) {
  for (const { agent, session, prompt, calls } of turns) {
    const base = { session_id: session, cwd: root, timestamp: new Date().toISOString(), transcript_path: '' };
    const turn = agent === 'claude-code' ? { prompt_id: randomUUID() } : {};
    const send = (event, rest) =>
      hook(cli, agent, { ...base, ...turn, hook_event_name: event, ...rest }, { cwd: root, env });
    send('UserPromptSubmit', { prompt });
    for (const { tool, input } of calls) {
      const call = { tool_name: tool, tool_input: input, tool_use_id: `call_${randomUUID()}` };
      send('PreToolUse', call);
      edits[tool](input);
      send('PostToolUse', { ...call, tool_response: {} });
    }
    send('Stop', { stop_hook_active: false });
  }
}
