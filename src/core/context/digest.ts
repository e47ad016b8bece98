// The summary that needs no model: the same messages always give the same text.
import type { Message } from '../conversation/model';
import { callFacts, commandRun, type CallFacts, type ShellCall } from './digestCalls';
import { excerpt, excerptOf, readCharacters, sentencesOf, shortLine, type Excerpt } from './digestText';
import { callsOf, textOf } from './message';
import { saidText } from './saidText';

/** What our own checkpoints know of a file that the summarised part changed. */
export interface TouchedFile {
  /** Relative to the root, as a person reads it. */
  readonly path: string;
  /** Lines, over all its edits; both absent for what is no text or whose bytes are not known. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  readonly edits: number;
  /** What is on the disk now, compared with what the agent left. */
  readonly now: 'as left' | 'as before' | 'changed since' | 'not there' | 'not known';
}

/** A summary of what was before the messages to be digested; its sections are gone on with. */
export interface DigestOptions {
  readonly earlier?: string | undefined;
  readonly files?: readonly TouchedFile[] | undefined;
}

const titles = ['Earlier', 'Requests', 'Constraints', 'Decisions', 'Files', 'Commands', 'Open ends'] as const;
type Title = (typeof titles)[number];
type Sections = Partial<Record<Title, readonly string[]>>;
const nothing: Excerpt = { first: [], last: [], isCut: false };

/** Lines that a section may have, and how many of them come from its beginning: the task stands there. */
const limits: Record<Title, readonly [most: number, head: number]> = {
  Earlier: [120, 120],
  Requests: [40, 5],
  Constraints: [30, 10],
  Decisions: [30, 5],
  Files: [80, 40],
  Commands: [30, 3],
  'Open ends': [20, 10],
};

/** @returns Markdown with the sections that have something to say; deterministic */
export function digest(messages: readonly Message[], { earlier, files = [] }: DigestOptions = {}): string {
  const before = earlier === undefined ? {} : sectionsOf(earlier);
  const facts = callFacts(messages);
  const now: Record<Title, Excerpt> = {
    Earlier: nothing,
    Requests: requestsOf(messages),
    Constraints: sayings(messages, 'user', demands, limits.Constraints[0]),
    Decisions: sayings(messages, 'assistant', decides, limits.Decisions[0]),
    Files: whole(filesOf(files, facts)),
    Commands: excerpt(facts.commands, limits.Commands[0], commandText),
    'Open ends': whole(openEnds(messages, facts)),
  };
  // What was open then is either still open, and said again, or done.
  const merged = titles.map(
    (title) => [title, bounded(title, title === 'Open ends' ? [] : (before[title] ?? []), now[title])] as const,
  );
  const text = merged
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `## ${title}\n${lines.join('\n')}`);
  return text.length === 0 ? 'Nothing was said or done in this part that could be summarised.' : text.join('\n\n');
}

const whole = (lines: readonly string[]): Excerpt => ({ first: lines, last: [], isCut: false });

/** Takes a digest apart again; what another program wrote is one section of its own. */
function sectionsOf(text: string): Sections {
  const sections: Partial<Record<Title, string[]>> = {};
  let current: string[] = (sections['Earlier'] = []);
  for (const line of text.split('\n')) {
    const title = titles.find((one) => line === `## ${one}`);
    if (title !== undefined) current = sections[title] ??= [];
    else if (line.trim() !== '' && line !== leftOut) current.push(shortLine(line, 1000));
  }
  return sections;
}

const leftOut = '- … more';

function bounded(title: Title, before: readonly string[], { first, last, isCut }: Excerpt): string[] {
  const [most, head] = limits[title];
  const begin = newest(title, [...before, ...first]);
  const all = newest(title, [...before, ...first, ...last]);
  if (!isCut && all.length <= most) return all;
  return [...begin.slice(0, head), leftOut, ...all.slice(Math.max(head, all.length - (most - head)))];
}

/** Each line once; of each file the newest. */
function newest(title: Title, lines: readonly string[]): string[] {
  if (title !== 'Files') return [...new Set(lines)];
  return [...new Map(lines.map((line) => [/^- `[^`]*`/.exec(line)?.[0] ?? line, line])).values()];
}

const isRequest = (message: Message) => message.role === 'user' && saidText(message).trim() !== '';

const requestsOf = (messages: readonly Message[]): Excerpt =>
  excerpt(messages.filter(isRequest), limits.Requests[0], (message) => `- ${shortLine(saidText(message), 400)}`);

const demands =
  /\b(?:must(?: not)?|never|always|do not|don't|only|without|make sure|keep|avoid|should(?: not|n't)?|instead of|no more than|at least|at most)\b/i;

/** Sentences of one side that match. */
const sayings = (messages: readonly Message[], role: Message['role'], pattern: RegExp, most: number): Excerpt =>
  excerptOf(messages, most, (message) => {
    const text = message.role === role ? saidText(message) : '';
    if (!pattern.test(text.slice(0, readCharacters))) return [];
    const said = sentencesOf(text).filter((sentence) => pattern.test(sentence));
    return said.map((sentence) => `- ${shortLine(sentence, 240)}`);
  });

const decides =
  /\b(?:decided|decision|I(?:'ll| will) (?:use|keep|go with|leave|add|make)|let's (?:use|keep|go with)|going with|chose|choosing|we(?:'ll| will) (?:use|keep)|the (?:cause|reason|root cause|problem) (?:is|was)|instead of|turns out)\b/i;

const states: Record<TouchedFile['now'], string> = {
  'as left': 'now as the agent left it',
  'as before': 'now as before: taken back',
  'changed since': 'changed since',
  'not there': 'not there now',
  'not known': 'state now not known',
};

function filesOf(files: readonly TouchedFile[], { written }: CallFacts): string[] {
  const lines = files.map(({ path, added, removed, edits, now }) => {
    const count = added === undefined || removed === undefined ? 'lines not counted' : `+${added} −${removed}`;
    return `- \`${shortLine(path, 200)}\`: ${count}, ${edits} ${edits === 1 ? 'edit' : 'edits'}; ${states[now]}`;
  });
  // A transcript has absolute paths, our checkpoints relative ones.
  const known = files.map(({ path }) => path);
  const others = [...written].filter(
    (path) => !known.some((one) => path === one || path.replaceAll('\\', '/').endsWith(`/${one}`)),
  );
  return [...lines, ...others.map((path) => `- \`${path}\`: written, not in a checkpoint`)];
}

function commandText(shell: ShellCall): string {
  const { command, outcome, output } = commandRun(shell);
  const said = output === '' ? '' : `: ${output}`;
  return `- \`${command.replaceAll('`', "'")}\` → ${outcome}${said}`;
}

function openEnds(messages: readonly Message[], facts: CallFacts): string[] {
  const lines = facts.toDo.map((item) => `- To do: ${item}`);
  const [last] = facts.commands.slice(-1).map(commandRun);
  if (last?.outcome === 'failed') lines.push(`- The last command failed: \`${last.command.replaceAll('`', "'")}\``);
  lines.push(...facts.unanswered.slice(-5).map(({ name }) => `- A call of ${shortLine(name, 60)} was interrupted`));
  const request = messages.findLastIndex(isRequest);
  const isAnswered = messages
    .slice(request + 1)
    .some((message) => message.role === 'assistant' && textOf(message).trim() !== '' && callsOf(message).length === 0);
  if (request >= 0 && !isAnswered)
    lines.push(`- Not answered in this part: ${shortLine(saidText(messages[request]!), 200)}`);
  return [...new Set(lines)];
}
