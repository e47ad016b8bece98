// A hook payload as agents send it, with the spellings of its keys brought to one. Everything in it is optional and
// untrusted; a field of the wrong type counts as left out.
import * as v from 'valibot';

const text = v.optional(v.fallback(v.optional(v.string()), undefined));
const list = v.optional(v.fallback(v.optional(v.array(v.unknown())), undefined));
const any = v.optional(v.unknown());

const schema = v.object({
  hook_event_name: text,
  hookEventName: text,
  session_id: text,
  sessionId: text,
  conversation_id: text,
  cwd: text,
  transcript_path: text,
  timestamp: any,
  permission_mode: text,
  prompt_id: text,
  turn_id: text,
  prompt: text,
  tool_name: text,
  toolName: text,
  tool_input: any,
  toolInput: any,
  toolArgs: any,
  toolResult: any,
  tool_use_id: text,
  toolUseId: text,
  agent_id: text,
  cursor_version: text,
  background_tasks: list,
});

export interface Payload {
  /** Lower case, letters only: `pretooluse`. */
  readonly event: string;
  readonly session?: string | undefined;
  readonly cwd?: string | undefined;
  readonly transcript?: string | undefined;
  /** ISO text, or milliseconds since the epoch. */
  readonly timestamp?: string | number | undefined;
  readonly permissionMode?: string | undefined;
  readonly turn?: string | undefined;
  readonly prompt?: string | undefined;
  readonly tool?: string | undefined;
  /** An object, or the raw text of a patch. */
  readonly input?: unknown;
  readonly toolUse?: string | undefined;
  readonly subagent?: string | undefined;
  readonly cursorVersion?: string | undefined;
  readonly backgroundTasks: number;
}

/** Returns undefined where the text is no JSON object. */
export function parsePayload(payloadText: string): Payload | undefined {
  const json = parseJson(payloadText.charCodeAt(0) === 0xfeff ? payloadText.slice(1) : payloadText);
  const parsed = v.safeParse(schema, json);
  if (!parsed.success) return undefined;
  const raw = parsed.output;
  const tool = raw.tool_name ?? raw.toolName;
  return {
    event: (raw.hook_event_name ?? raw.hookEventName ?? impliedEvent(raw)).replace(/[^a-z]/gi, '').toLowerCase(),
    session: raw.session_id ?? raw.sessionId ?? raw.conversation_id,
    cwd: raw.cwd,
    transcript: raw.transcript_path,
    timestamp: typeof raw.timestamp === 'string' || typeof raw.timestamp === 'number' ? raw.timestamp : undefined,
    permissionMode: raw.permission_mode,
    turn: raw.prompt_id ?? raw.turn_id,
    prompt: raw.prompt,
    tool,
    input: toolInput(raw.tool_input ?? raw.toolInput ?? raw.toolArgs),
    toolUse: raw.tool_use_id ?? raw.toolUseId,
    subagent: raw.agent_id,
    cursorVersion: raw.cursor_version,
    backgroundTasks: raw.background_tasks?.length ?? 0,
  };
}

/** Some agents name the event only in their configuration; then the fields tell. */
function impliedEvent(raw: v.InferOutput<typeof schema>): string {
  if (raw.toolName !== undefined || raw.tool_name !== undefined) {
    return raw.toolResult === undefined ? 'PreToolUse' : 'PostToolUse';
  }
  return raw.prompt === undefined ? '' : 'UserPromptSubmit';
}

/** Arguments may come as JSON in a string; any other string is the tool's whole input, such as a patch. */
function toolInput(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\{/.test(value)) return value;
  return parseJson(value) ?? value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
