// Words for what the view shows. Pure.
import type { State } from '../../core/store/meta';
import { entryOf, newestOf, oldestOf, type Edit, type Turn, type TurnFile } from './turns';

const agents: Readonly<Record<string, string>> = {
  vscode: 'VS Code',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini',
  qwen: 'Qwen Code',
  opencode: 'opencode',
  pi: 'pi',
  cline: 'Cline',
  'copilot-cli': 'Copilot CLI',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
};

/** An agent's name as its makers write it; one that we do not know by its own name. */
export const agentName = (name: string): string => agents[name] ?? name;

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** One line of text from anywhere: no line breaks, no control characters, not too long for a row. */
export function oneLine(text: string, max = 200): string {
  const [first = ''] = text.trimStart().split(/\r?\n|\r/, 1);

  const clean = first.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, ' ').trim();
  return clean.length > max ? `${clean.slice(0, max).toWellFormed()}…` : clean;
}

/** Longer titles leave no room for who and when; the whole prompt is in the hover. */
const maxTitle = 72;

export function turnTitle(turn: Turn): string {
  const { label, agent } = newestOf(turn);
  switch (turn.kind) {
    case 'restore':
      return `Restored ${counted(turn.files.length, 'file')}`;
    case 'manual':
      return oneLine(label ?? '', maxTitle) || 'Checkpoint of your own';
    case 'recovered':
    case 'turn': {
      const prompt = turn.checkpoints.find((checkpoint) => checkpoint.prompt)?.prompt;
      return (
        oneLine(prompt ?? '', maxTitle) ||
        oneLine(label ?? '', maxTitle) ||
        (agent ? `Turn of ${agentName(agent.name)}` : 'Changes')
      );
    }
  }
}

/** Who and how, without the time. */
export function turnOrigin(turn: Turn): string {
  const { agent, label } = newestOf(turn);
  if (turn.kind === 'restore') {
    const { prompt } = turn.about?.checkpoint ?? {};
    return turn.about && prompt ? `${turn.about.did} “${oneLine(prompt, 60)}”` : oneLine(label ?? '', 80);
  }
  return agent ? agentName(agent.name) : '';
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** `time` as seen from `now`, both ms since the epoch: short, for a row. */
export function relativeTime(time: number, now: number): string {
  const age = now - time;
  if (age < minute) return 'now';
  if (age < hour) return `${Math.floor(age / minute)} min`;
  if (age < day) return `${Math.floor(age / hour)} h`;
  if (age < 7 * day) return `${Math.floor(age / day)} d`;
  const date = new Date(time);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString('en', { month: 'short', day: 'numeric', ...(!sameYear && { year: 'numeric' }) });
}

/** Times as core writes them, as the person reads them. */
export const withLocalTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (iso) => new Date(iso).toLocaleString());

export type Status = 'A' | 'M' | 'D' | 'R';

export const statusWords: Readonly<Record<Status, string>> = {
  A: 'created',
  M: 'changed',
  D: 'deleted',
  R: 'renamed',
};

/** What became of a file between the first edit and the last one. */
export function statusOf(file: { readonly edits: readonly Edit[] }): Status {
  const first = entryOf(file.edits[0]!);
  const last = entryOf(file.edits.at(-1)!);
  if (file.edits.some((edit) => entryOf(edit).renamedFrom !== undefined)) return 'R';
  if (first.pre.type === 'absent') return 'A';
  if (last.post?.type === 'absent') return 'D';
  return 'M';
}

/** The states before and after; `after` is undefined where nobody saw it. */
export function sidesOf(file: Pick<TurnFile, 'edits'>): { before: State; after: State | undefined } {
  return { before: entryOf(file.edits[0]!).pre, after: entryOf(file.edits.at(-1)!).post };
}

/** When the turn was last active, ms since the epoch. */
export const turnTime = (turn: Turn): number => Date.parse(newestOf(turn).createdAt);
export const turnStart = (turn: Turn): number => Date.parse(oldestOf(turn).createdAt);

/** Empty where no line came or went. */
export const statsText = ({ added, removed }: { added: number; removed: number }): string =>
  [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ');
