// What a model is told in a request, in three languages, without what programs say by themselves (their system prompt,
// the surroundings, reminders).

export interface Heard {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** How many calls it makes; absent: none. */
  readonly calls?: number;
}

type Part = Readonly<Record<string, unknown>>;

/** @param request the body as text */
export function heardIn(request: string): Heard[] {
  const body = JSON.parse(request) as { messages?: Part[]; input?: Part[] };
  const list = (body.messages ?? body.input ?? []).flatMap(messageIn);
  const heard: Heard[] = [];
  for (const one of list) {
    const text = withoutReminders(one.text);
    const isOwn = /^<(environment_context|user_instructions|permissions instructions)/.test(text);
    if (isOwn || (text === '' && one.calls === undefined && one.role !== 'tool')) continue;
    const last = heard.at(-1);
    // A call may be told apart from what was said with it.
    if (one.role === 'assistant' && last?.role === 'assistant' && one.calls !== undefined) {
      const joined = [last.text, text].filter((part) => part !== '').join('\n');
      heard[heard.length - 1] = { role: 'assistant', text: joined, calls: (last.calls ?? 0) + one.calls };
    } else heard.push({ ...one, text });
  }
  return heard;
}

/** opencode puts the prompt of a command line into quotes. */
const withoutReminders = (text: string) =>
  text
    .replace(/<system-reminder>[^]*?<\/system-reminder>/g, '')
    .trim()
    .replace(/^"([^"]*)"$/, '$1');

function messageIn(message: Part): Heard[] {
  const { role, type, content } = message;
  if (type === 'function_call' || type === 'custom_tool_call') return [{ role: 'assistant', text: '', calls: 1 }];
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', text: textIn(message['output']) }];
  if (role === 'tool') return [{ role, text: textIn(content) }];
  if (role !== 'user' && role !== 'assistant') return [];
  const parts = Array.isArray(content) ? (content as Part[]) : [{ type: 'text', text: content }];
  const results = parts.filter((part) => part['type'] === 'tool_result');
  const said = parts.filter((part) => typeof part['text'] === 'string').map((part) => String(part['text']));
  const uses = parts.filter((part) => part['type'] === 'tool_use').length;
  const calls = uses + (Array.isArray(message['tool_calls']) ? message['tool_calls'].length : 0);
  return [
    ...results.map((part): Heard => ({ role: 'tool', text: textIn(part['content']) })),
    // Each text by itself: programs put what they say before or behind what the person said.
    ...(role === 'user'
      ? said.map((text): Heard => ({ role, text }))
      : [{ role, text: said.join('\n'), ...(calls > 0 && { calls }) } as Heard]),
  ];
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as Part[]) : [];
  return parts.map((part) => String(part['text'] ?? '')).join('\n');
}
