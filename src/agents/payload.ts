// A hook payload as agents send it, with the spellings of its keys brought to one. Everything in it is optional and
// untrusted; a field of the wrong type counts as left out.
import * as v from 'valibot';

const text = v.optional(v.fallback(v.optional(v.string()), undefined));
const list = v.optional(v.fallback(v.optional(v.array(v.unknown())), undefined));
const any = v.optional(v.unknown());

const schema = v.object({
  hook_event_name: text,
  hookEventName: text,
  hookName: text,
  session_id: text,
  sessionId: text,
  conversation_id: text,
  cwd: text,
  project_dir: text,
  workspace_roots: list,
  transcript_path: text,
  timestamp: any,
  permission_mode: text,
  prompt_id: text,
  turn_id: text,
  generation_id: text,
  prompt: text,
  tool_name: text,
  toolName: text,
  tool_input: any,
  toolInput: any,
  toolArgs: any,
  tool_response: any,
  toolResult: any,
  tool_call_id: text,
  tool_use_id: text,
  toolUseId: text,
  agent_id: text,
  agentId: text,
  parentAgentId: text,
  cursor_version: text,
  background_tasks: list,
});

export interface Payload {
  /** Lower case, letters only: `pretooluse`. */
  readonly event: string;
  readonly session?: string | undefined;
  readonly cwd?: string | undefined;
  /** The agent's own idea of the project. */
  readonly project?: string | undefined;
  readonly transcript?: string | undefined;
  /** ISO text, or milliseconds since the epoch. */
  readonly timestamp?: string | number | undefined;
  readonly permissionMode?: string | undefined;
  readonly turn?: string | undefined;
  readonly prompt?: string | undefined;
  readonly tool?: string | undefined;
  /** An object, or the raw text of a patch. */
  readonly input?: unknown;
  /** True where the tool's answer says that it failed or was refused. */
  readonly failed: boolean;
  readonly toolUse?: string | undefined;
  readonly subagent?: string | undefined;
  readonly cursorVersion?: string | undefined;
  readonly backgroundTasks: number;
}

/** Brings a payload of an agent's own shape to the common keys; the value may be anything. */
export type Translate = (raw: Readonly<Record<string, unknown>>) => unknown;

/**
 * Returns undefined where the text is no JSON object.
 *
 * @param event what the configuration names the event, for agents that send no name
 */
export function parsePayload(payloadText: string, event?: string, translate?: Translate): Payload | undefined {
  const json = parseJson(payloadText.charCodeAt(0) === 0xfeff ? payloadText.slice(1) : payloadText);
  const parsed = v.safeParse(schema, translate !== undefined && isRecord(json) ? translate(json) : json);
  if (!parsed.success) return undefined;
  const raw = parsed.output;
  const tool = raw.tool_name ?? raw.toolName;
  const named = raw.hook_event_name ?? raw.hookEventName ?? raw.hookName ?? event ?? impliedEvent(raw);
  const project = raw.project_dir ?? raw.workspace_roots?.find((root) => typeof root === 'string');
  return {
    event: named.replace(/[^a-z]/gi, '').toLowerCase(),
    session: askingSession(raw) ?? raw.session_id ?? raw.sessionId ?? raw.conversation_id,
    cwd: raw.cwd,
    project,
    transcript: raw.transcript_path,
    timestamp: typeof raw.timestamp === 'string' || typeof raw.timestamp === 'number' ? raw.timestamp : undefined,
    permissionMode: raw.permission_mode,
    turn: raw.prompt_id ?? raw.turn_id ?? raw.generation_id,
    prompt: raw.prompt,
    tool,
    input: toolInput(raw.tool_input ?? raw.toolInput ?? raw.toolArgs),
    failed: isFailure(raw.tool_response ?? raw.toolResult),
    // Qwen Code makes up an id for each pair of hooks; the model's own is the one that its transcript has.
    toolUse: raw.tool_call_id || (raw.tool_use_id ?? raw.toolUseId),
    subagent: raw.agent_id ?? raw.agentId,
    cursorVersion: raw.cursor_version,
    backgroundTasks: raw.background_tasks?.length ?? 0,
  };
}

/** The Copilot CLI gives a subagent a session of its own, and names the one that asked. */
function askingSession({ sessionId, agentId, parentAgentId }: v.InferOutput<typeof schema>): string | undefined {
  return agentId !== undefined && sessionId === agentId ? parentAgentId : undefined;
}

/** Some agents name the event only in their configuration; then the fields tell. */
function impliedEvent(raw: v.InferOutput<typeof schema>): string {
  if (raw.toolName !== undefined || raw.tool_name !== undefined) {
    return raw.toolResult === undefined ? 'PreToolUse' : 'PostToolUse';
  }
  return raw.prompt === undefined ? '' : 'UserPromptSubmit';
}

/** Gemini CLI and Qwen Code name an error in the answer; the Copilot CLI has a type of result. */
function isFailure(answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  const type = answer.resultType;
  return (answer.error !== undefined && answer.error !== null) || (typeof type === 'string' && type !== 'success');
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
