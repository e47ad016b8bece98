// What large model APIs refuse, written down without a look at the code under test. Each function returns complaints.

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every string anywhere must be well-formed; JSON with half characters is answered with 400. */
function halves(value: unknown, where: string): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [`${where}: half a character`];
  if (Array.isArray(value)) return value.flatMap((item, at) => halves(item, `${where}[${at}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [...halves(key, where), ...halves(item, `${where}.${key}`)]);
}

/** The rules of OpenAI's chat completions. */
export function openAiComplaints(list: readonly unknown[]): string[] {
  const wrong = halves(list, 'messages');
  const seen = new Set<string>();
  let open = new Set<string>();
  list.forEach((message, at) => {
    const say = (text: string) => wrong.push(`${at}: ${text}`);
    if (!isObject(message)) return say('no object');
    const { role, content, tool_calls: calls, tool_call_id: answers } = message;
    if (role === 'tool') {
      if (typeof answers !== 'string' || !open.delete(answers)) say('a result that answers no open call');
      if (typeof content !== 'string') say('a result without content');
      return;
    }
    if (open.size > 0) say(`calls without a result: ${[...open].join(', ')}`);
    open = new Set();
    if (role === 'assistant' && calls !== undefined) {
      if (!Array.isArray(calls) || calls.length === 0) return say('an empty list of calls');
      for (const one of calls as Fields[]) {
        const made = one['function'] as Fields;
        if (typeof one['id'] !== 'string' || one['id'] === '' || one['id'].length > 64) say('a bad id');
        if (seen.has(String(one['id']))) say('an id twice');
        seen.add(String(one['id']));
        open.add(String(one['id']));
        if (one['type'] !== 'function' || !/^[A-Za-z0-9_-]{1,64}$/.test(String(made['name']))) say('a bad name');
        const input: unknown = JSON.parse(String(made['arguments']));
        if (!isObject(input)) say('arguments that are no object');
      }
      if (content !== null && typeof content !== 'string') say('bad content');
      return;
    }
    if (!['system', 'user', 'assistant'].includes(String(role))) say(`role ${String(role)}`);
    if (typeof content !== 'string' || content.trim() === '') say('empty content');
  });
  if (open.size > 0) wrong.push(`at the end: calls without a result: ${[...open].join(', ')}`);
  return wrong;
}

/** The rules of Anthropic's messages, the older and stricter ones: roles alternate, the user begins. */
export function anthropicComplaints(list: readonly unknown[]): string[] {
  const wrong = halves(list, 'messages');
  const seen = new Set<string>();
  let open = new Set<string>();
  list.forEach((message, at) => {
    const say = (text: string) => wrong.push(`${at}: ${text}`);
    if (!isObject(message) || !Array.isArray(message['content'])) return say('no message');
    const wanted = at % 2 === 0 ? 'user' : 'assistant';
    if (message['role'] !== wanted) say(`role ${String(message['role'])}, not ${wanted}`);
    const blocks = message['content'] as Fields[];
    if (blocks.length === 0) say('empty content');
    const answered = open;
    open = new Set();
    let onlyResultsSoFar = true;
    let onlyThinkingSoFar = true;
    for (const block of blocks) {
      const type = block['type'];
      if (type === 'tool_result') {
        if (wanted !== 'user' || !onlyResultsSoFar) say('a result in a wrong place');
        if (!answered.delete(String(block['tool_use_id']))) say('a result that answers no call of the message before');
        if (block['is_error'] === true && String(block['content'] ?? '').trim() === '') say('an error without content');
      } else onlyResultsSoFar = false;
      if (type === 'thinking' || type === 'redacted_thinking') {
        if (wanted !== 'assistant' || !onlyThinkingSoFar) say('thinking in a wrong place');
        if (type === 'thinking' && !block['signature']) say('thinking without a signature');
      } else onlyThinkingSoFar = false;
      if (type === 'text' && String(block['text']).trim() === '') say('an empty text');
      if (type === 'tool_use') {
        const id = String(block['id']);
        if (wanted !== 'assistant' || !/^[A-Za-z0-9_-]{1,64}$/.test(id) || seen.has(id)) say(`a bad call ${id}`);
        if (!/^[A-Za-z0-9_-]{1,64}$/.test(String(block['name'])) || !isObject(block['input'])) say('a bad tool');
        seen.add(id);
        open.add(id);
      }
    }
    if (onlyThinkingSoFar) say('nothing but thinking');
    if (answered.size > 0) say(`calls without a result: ${[...answered].join(', ')}`);
  });
  if (open.size > 0) wrong.push(`at the end: calls without a result: ${[...open].join(', ')}`);
  return wrong;
}

/** The rules that both share, in the chain's own form. */
export function chainComplaints(list: readonly unknown[]): string[] {
  const wrong = halves(list, 'messages');
  const seen = new Set<string>();
  let open: string[] = [];
  let isBegun = false;
  list.forEach((message, at) => {
    const say = (text: string) => wrong.push(`${at}: ${text}`);
    if (!isObject(message)) return say('no object');
    const { role, content, tool_calls: calls } = message;
    if (typeof content !== 'string') say('content is no text');
    if (role === 'tool') {
      const found = open.indexOf(String(message['tool_call_id']));
      if (found < 0) say('a result that answers no open call');
      open = open.filter((_, index) => index !== found);
      return;
    }
    if (open.length > 0) say('calls without a result');
    open = [];
    if (!isBegun && role !== 'system') {
      isBegun = true;
      if (role !== 'user') say(`begins with ${String(role)}`);
    }
    const ids = Array.isArray(calls) ? (calls as Fields[]).map(({ id }) => String(id)) : [];
    if (ids.length === 0 && String(content).trim() === '') say('an empty message');
    for (const id of ids) {
      if (seen.has(id)) say(`the id ${id} twice`);
      seen.add(id);
    }
    open = ids;
  });
  if (open.length > 0) wrong.push('at the end: calls without a result');
  return wrong;
}
