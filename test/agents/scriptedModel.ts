// A model that says what a test tells it to, on a port of this machine, in the four languages that agents speak. Each
// request that offers tools gets the next turn; side requests (titles, probes) get a short text.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One tool call: an object of arguments, or the bare text that a freeform tool takes. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>> | string;
  /** Where the agent groups its tools. */
  readonly namespace?: string;
}

type Calls = readonly ToolCall[];

/** Calls that the model makes at once; or how they follow from the request's text. It may think for a while. */
export type ModelTurn = Calls | ((request: string) => Calls | Promise<Calls>);

/** What a subagent is told, known by a word of its prompt, so that it does not take the turns of who started it. */
export interface Lane {
  readonly word: string;
  readonly turns: readonly ModelTurn[];
}

export interface ScriptedModel {
  readonly url: string;
  /** What the next requests are answered with; after them the model says that it is done. */
  play(turns: readonly ModelTurn[], lanes?: readonly Lane[]): void;
  /** Turns that nobody has asked for yet. */
  left(): number;
  /** The bodies of the requests so far, as text. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

type Body = Record<string, unknown>;
type Language = 'messages' | 'chat' | 'responses' | 'gemini';
interface Answer {
  /** Agents know by it which parts are of one answer. */
  readonly id: string;
  readonly text: string;
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  readonly model: string;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const main: { turns: ModelTurn[] } = { turns: [] };
  let lanes: { word: string; turns: ModelTurn[] }[] = [];
  let [serial, answers] = [0, 0];
  const requests: string[] = [];
  const answered = new Map<string, Promise<Answer>>();

  async function answer(body: Body, text: string, model: string): Promise<Answer> {
    const id = `scripted${++answers}`;
    if (!offersTools(body)) return { id, text: sideText(body), calls: [], model };
    // A program that asks the very same thing again (a retry) is told the same.
    const before = answered.get(text);
    if (before) return before;
    const lane = lanes.find(({ word }) => saidByPerson(body).includes(word)) ?? main;
    const next = lane.turns.shift() ?? [];
    const found = Promise.resolve(typeof next === 'function' ? next(text) : next).then((turn) => {
      const calls = turn.map((call) => ({ ...call, id: `call_scripted${++serial}` }));
      return { id, text: calls.length > 0 ? 'Working on it.' : 'Done.', calls, model };
    });
    answered.set(text, found);
    return found;
  }

  const server = createServer((request, response) => {
    void readAll(request).then(async (text) => {
      const url = request.url ?? '';
      const language = languageOf(url);
      if (request.method !== 'POST' || language === undefined) return json(response, other(url));
      const body = parse(text);
      requests.push(text);
      const model = String(body['model'] ?? /models\/([^:?]+)/.exec(url)?.[1] ?? 'scripted');
      const streamed = body['stream'] === true || url.includes(':streamGenerateContent');
      speak[language](response, await answer(body, text, model), streamed);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (next, beside = []) => {
      main.turns = [...next];
      lanes = beside.map((lane) => ({ ...lane, turns: [...lane.turns] }));
    },
    left: () => [main, ...lanes].reduce((sum, lane) => sum + lane.turns.length, 0),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function languageOf(url: string): Language | undefined {
  const path = url.split('?')[0]!;
  if (path.endsWith('/messages')) return 'messages';
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  return /:(stream)?[gG]enerateContent$/.test(path) ? 'gemini' : undefined;
}

/** Lists of models, counts of tokens. */
function other(url: string): object {
  if (/count_?tokens/i.test(url)) return { input_tokens: 10, totalTokens: 10 };
  return { object: 'list', data: [{ id: 'scripted-1', object: 'model' }], models: [{ name: 'models/scripted-1' }] };
}

function offersTools({ tools }: Body): boolean {
  const list = Array.isArray(tools) ? (tools as Body[]) : [];
  const names = list.flatMap((tool) => [tool, tool['function'], ...((tool['functionDeclarations'] as Body[]) ?? [])]);
  const work = /write|edit|patch|bash|shell|exec|create|command/i;
  return names.some((one) => work.test(String((one as Body | undefined)?.['name'])));
}

/** All texts in the name of the person, without results of tools. */
function saidByPerson({ messages, input, contents }: Body): string {
  const said = [messages, input, contents].flatMap((list) => (Array.isArray(list) ? (list as Body[]) : []));
  return said
    .filter(({ role }) => role === 'user')
    .flatMap(({ content, parts }) => [content, parts].flat())
    .map((part) => (typeof part === 'string' ? part : String((part as Body | undefined)?.['text'] ?? '')))
    .join('\n');
}

/** Side requests may want JSON of a given shape. */
function sideText(body: Body): string {
  const within = (value: unknown, ...keys: string[]) =>
    keys.reduce<unknown>((inner, key) => (inner as Body | undefined)?.[key], value);
  const schema =
    within(body, 'generationConfig', 'responseJsonSchema') ??
    within(body, 'generationConfig', 'responseSchema') ??
    within(body, 'response_format', 'json_schema', 'schema') ??
    within(body, 'output_config', 'format', 'schema');
  return schema === undefined ? 'A title' : JSON.stringify(sample(schema as Body));
}

/** The least that a schema allows. */
function sample(schema: Body): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const properties = (schema['properties'] ?? {}) as Record<string, Body>;
  switch (String(schema['type']).toLowerCase()) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, sample(inner)]));
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 1;
    default:
      return 'none';
  }
}

const usage = { input: 100, output: 10 };

const speak: Record<Language, (response: ServerResponse, answer: Answer, streamed: boolean) => void> = {
  messages(response, { id: answerId, text, calls, model }, streamed) {
    const tokens = { input_tokens: usage.input, output_tokens: usage.output };
    const blocks: Body[] = [
      { type: 'text', text },
      ...calls.map(({ id, tool, input }) => ({ type: 'tool_use', id, name: tool, input })),
    ];
    const stop = { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
    const message = { id: `msg_${answerId}`, type: 'message', role: 'assistant', model, usage: tokens };
    if (!streamed) return json(response, { ...message, ...stop, content: blocks });
    const send = stream(response);
    const event = (type: string, data: object) => send({ type, ...data }, type);
    event('message_start', { message: { ...message, content: [], stop_reason: null, stop_sequence: null } });
    blocks.forEach((block, index) => {
      const isText = block['type'] === 'text';
      const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
      const delta = isText
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
      event('content_block_start', { index, content_block: empty });
      event('content_block_delta', { index, delta });
      event('content_block_stop', { index });
    });
    event('message_delta', { delta: stop, usage: tokens });
    event('message_stop', {});
    return response.end();
  },

  chat(response, { id: answerId, text, calls, model }, streamed) {
    const tool_calls = calls.map(({ id, tool, input }, index) => ({
      index,
      id,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(input) },
    }));
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const tokens = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: 110 };
    const base = { id: `chatcmpl_${answerId}`, created: 1, model, usage: tokens };
    const said = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) };
    if (!streamed) {
      return json(response, {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message: said, finish_reason }],
      });
    }
    const send = stream(response);
    const chunk = (choices: object[]) => send({ ...base, object: 'chat.completion.chunk', choices });
    chunk([{ index: 0, delta: said, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason }]);
    response.write('data: [DONE]\n\n');
    return response.end();
  },

  responses(response, { id: answerId, text, calls, model }, streamed) {
    const message = {
      type: 'message',
      id: `msg_${answerId}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    };
    const items: Body[] = calls.map(({ id, tool, input, namespace }) =>
      typeof input === 'string'
        ? { type: 'custom_tool_call', id: `c${id}`, call_id: id, name: tool, input, status: 'completed' }
        : {
            type: 'function_call',
            id: `f${id}`,
            call_id: id,
            name: tool,
            ...(namespace !== undefined && { namespace }),
            arguments: JSON.stringify(input),
            status: 'completed',
          },
    );
    const output = [message, ...items];
    const tokens = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: 110 };
    const whole = {
      id: `resp_${answerId}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model,
      output,
      usage: tokens,
    };
    if (!streamed) return json(response, whole);
    const send = stream(response);
    const event = (type: string, data: object) => send({ type, ...data }, type);
    event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } });
    output.forEach((item, output_index) => {
      event('response.output_item.added', { output_index, item });
      event('response.output_item.done', { output_index, item });
    });
    event('response.completed', { response: whole });
    return response.end();
  },

  gemini(response, { text, calls, model }, streamed) {
    const parts = [
      { text },
      ...calls.map(({ id, tool, input }) => ({ functionCall: { id, name: tool, args: input } })),
    ];
    const whole = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output, totalTokenCount: 110 },
      modelVersion: model,
    };
    if (!streamed) return json(response, whole);
    stream(response)(whole);
    return response.end();
  },
};

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function stream(response: ServerResponse): (data: object, event?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data, event) => {
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}
