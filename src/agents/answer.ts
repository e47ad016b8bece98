// What a hook prints for the agent. Nothing, but for texts of observers where the person has turned them on and the
// agent's hook after a write can take them; and Cursor wants an object each time.
import type { AgentName } from './agent';

const fromClaude = (event: string) => (text: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
});

const shapes: Partial<Record<AgentName, (text: string) => object>> = {
  vscode: fromClaude('PostToolUse'),
  'claude-code': fromClaude('PostToolUse'),
  codex: fromClaude('PostToolUse'),
  qwen: fromClaude('PostToolUse'),
  gemini: fromClaude('AfterTool'),
  // Our own plugins read it, and give the text on.
  opencode: fromClaude('PostToolUse'),
  pi: fromClaude('PostToolUse'),
  cline: (text) => ({ cancel: false, contextModification: text }),
  'copilot-cli': (text) => ({ additionalContext: text }),
  cursor: (text) => ({ additional_context: text }),
};

/** Characters of all texts together: they cost the model's attention. */
const maxText = 10_000;

/** @returns what goes to standard output, usually nothing */
export function answerFor(name: string, texts: readonly string[]): string {
  const text = texts.join('\n').slice(0, maxText).toWellFormed();
  const shape = Object.hasOwn(shapes, name) ? shapes[name as AgentName] : undefined;
  if (text !== '' && shape !== undefined) return JSON.stringify(shape(text));
  return name === 'cursor' ? '{}' : '';
}
