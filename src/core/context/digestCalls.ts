// What the tool calls of a conversation did: commands with their outcome, and the files that were written.
import type { Json, Message, ToolCall } from '../conversation/model';
import { answeredCall, callsOf, textOf } from './message';
import { lastLine, shortLine } from './digestText';
import { pairs } from './pairs';

export interface CommandRun {
  readonly command: string;
  readonly outcome: 'ok' | 'failed' | 'interrupted';
  /** The last line of what it printed. */
  readonly output: string;
}

/** A call of a shell, with its result where there is one. */
export interface ShellCall {
  readonly call: ToolCall;
  readonly result: Message | undefined;
}

export interface CallFacts {
  readonly commands: readonly ShellCall[];
  /** Paths that were written, in the order of their first write. */
  readonly written: ReadonlySet<string>;
  readonly unanswered: readonly ToolCall[];
  /** The items of the newest list of things to do that are not done. */
  readonly toDo: readonly string[];
}

const isShell =
  /^(?:bash|shell|run_?shell_?command|run_in_terminal|execute_command|exec(?:_command)?|local_shell(?:_call)?|terminal|run_terminal_cmd|powershell)$/i;
const isWrite = /write|edit|replace|create_?file|insert|apply_?patch|apply_?diff|multiedit|notebook/i;
const isToDo = /todo|update_plan/i;

export function callFacts(messages: readonly Message[]): CallFacts {
  const commands: ShellCall[] = [];
  const written = new Set<string>();
  const unanswered: ToolCall[] = [];
  let toDo: readonly string[] = [];
  const resultOf = results(messages);
  messages.forEach((message, at) => {
    for (const call of callsOf(message)) {
      const result = resultOf(at, call.id);
      if (result === undefined) unanswered.push(call);
      if (isShell.test(call.name)) commands.push({ call, result });
      else if (isToDo.test(call.name)) toDo = openItems(inputOf(call)) ?? toDo;
      else if (isWrite.test(call.name) && result?.is_error !== true) {
        for (const path of pathsOf(inputOf(call))) written.add(path);
      }
    }
  });
  return { commands, written, unanswered, toDo };
}

/** The result of a call of the message at `at`. */
function results(messages: readonly Message[]): (at: number, id: string) => Message | undefined {
  // Those of one message hang together, the last first.
  const callOf = pairs(messages);
  const last = new Int32Array(messages.length).fill(-1);
  const before = new Int32Array(messages.length).fill(-1);
  callOf.forEach((call, at) => {
    if (call < 0) return;
    before[at] = last[call]!;
    last[call] = at;
  });
  return (at, id) => {
    for (let next = last[at]!; next >= 0; next = before[next]!) {
      if (answeredCall(messages[next]!) === id) return messages[next];
    }
    return undefined;
  };
}

type Fields = Readonly<Record<string, Json | undefined>>;

function inputOf(call: ToolCall): Fields {
  const given: Json = call.arguments;
  if (typeof given === 'string') {
    try {
      const parsed: unknown = given.length > 1_000_000 ? undefined : JSON.parse(given);
      if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Fields;
    } catch {
      // Text that is no JSON: a patch, or a command.
    }
    return { input: given, command: given };
  }
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Fields) : {};
}

export function commandRun({ call, result }: ShellCall): CommandRun {
  const input = inputOf(call);
  const raw = input['command'] ?? input['cmd'] ?? input['script'] ?? '';
  const text = Array.isArray(raw) ? raw.filter((word) => typeof word === 'string').join(' ') : String(raw);
  const output = result === undefined ? '' : textOf(result);
  const outcome =
    result === undefined ? 'interrupted' : result.is_error === true || saysFailed(output) ? 'failed' : 'ok';
  return { command: shortLine(text, 160), outcome, output: shortLine(lastLine(output), 120) };
}

/** Agents that only pass the text on say the exit code in it. */
const saysFailed = (output: string) =>
  /(?:exit(?:ed)?(?: with)?(?: code| status)?|return code)\s*[:=]?\s*[1-9]\d{0,2}\b/i.test(
    `${output.slice(0, 300)}\n${output.slice(-300)}`,
  );

const pathKeys = ['file_path', 'filePath', 'path', 'notebook_path', 'target_file', 'filename', 'absolute_path'];

function pathsOf(input: Fields): string[] {
  const paths = pathKeys.map((key) => input[key]).filter((value) => typeof value === 'string');
  const patch = input['input'] ?? input['patch'];
  if (typeof patch === 'string') {
    for (const [, path] of patch
      .slice(0, 200_000)
      .matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm))
      paths.push(path!);
  }
  return paths.map((path) => shortLine(path, 200)).filter((path) => path !== '');
}

function openItems(input: Fields): string[] | undefined {
  const items = input['todos'] ?? input['plan'] ?? input['items'] ?? input['todoList'];
  if (!Array.isArray(items)) return undefined;
  return items.slice(0, 50).flatMap((item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [];
    const { content, step, title, text, status } = item as Fields;
    const what = content ?? step ?? title ?? text;
    const isDone = status === 'completed' || status === 'done' || status === 'cancelled';
    return typeof what === 'string' && !isDone ? [shortLine(what, 200)] : [];
  });
}
