// Messages in the user's name that no person wrote.

/** What Codex itself says to the model before a prompt. */
export const isContext = (text: string) =>
  /^\s*<(environment_context|user_instructions|permissions instructions|turn_aborted)\b/.test(text) ||
  text.startsWith('# AGENTS.md instructions');
