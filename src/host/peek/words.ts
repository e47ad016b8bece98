// What the peek says about a change. Pure but for VS Code's Markdown.
import * as vscode from 'vscode';
import type { CommandId } from '../contributions';
import { counted } from '../timeline/words';
import type { StandingHunk } from './hunkText';

const maxDiffLines = 16;
const maxLineLength = 160;
const maxInline = 80;

/** `−5 +1` */
export const countsText = ({ oldLines, count }: StandingHunk): string =>
  [oldLines.length > 0 && `−${oldLines.length}`, count > 0 && `+${count}`].filter(Boolean).join(' ');

/** Read aloud and in the status bar. */
export function positionText(hunk: StandingHunk, position: number, of: number, title: string): string {
  const what = [
    hunk.count > 0 && `${counted(hunk.count, 'line')} added`,
    hunk.oldLines.length > 0 && `${counted(hunk.oldLines.length, 'line')} removed`,
  ];
  return `Change ${position} of ${of}: ${what.filter(Boolean).join(', ')}. ${title}`;
}

/** What was there before, in the space behind a line; one text for each of the first lines of the hunk. */
export function inlineTexts({ oldLines, count }: StandingHunk): string[] {
  const shorten = (text: string) => (text.length > maxInline ? `${text.slice(0, maxInline).toWellFormed()}…` : text);
  const texts = oldLines.map((line) => shorten(line.trim().replace(/\s+/g, ' ')));
  if (texts.length === 0) return [];
  if (texts.length === count && count <= 3) return texts.map((text) => `− ${text}`);
  const first = texts.find((text) => text !== '') ?? '';
  return [texts.length === 1 ? `− ${first}` : `− ${first} … (${texts.length} lines)`];
}

const link = (title: string, command: CommandId, index: number) =>
  `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([index]))})`;

export function hoverText(hunk: StandingHunk, now: readonly string[], facts: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  const enabledCommands: CommandId[] = [
    'agentCheckpoints.peekUndoHunk',
    'agentCheckpoints.peekShowBefore',
    'agentCheckpoints.peekNext',
    'agentCheckpoints.peekPrevious',
    'agentCheckpoints.closePeek',
  ];
  text.isTrusted = { enabledCommands };
  const lines = (sign: string, all: readonly string[]) => {
    const shown = all.slice(0, maxDiffLines).map((line) => sign + line.slice(0, maxLineLength).toWellFormed());
    return all.length > maxDiffLines ? [...shown, `  … ${counted(all.length - maxDiffLines, 'more line')}`] : shown;
  };
  text.appendMarkdown(fenced([...lines('-', hunk.oldLines), ...lines('+', now)].join('\n')));
  text.appendText(facts);
  const actions = [
    link('Undo This Hunk', 'agentCheckpoints.peekUndoHunk', hunk.index),
    link('Next', 'agentCheckpoints.peekNext', hunk.index),
    link('Previous', 'agentCheckpoints.peekPrevious', hunk.index),
    link('Show Before', 'agentCheckpoints.peekShowBefore', hunk.index),
    link('Close', 'agentCheckpoints.closePeek', hunk.index),
  ];
  text.appendMarkdown(`\n\n${actions.join(' · ')}`);
  return text;
}

/** A code block that its content cannot close. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${code}\n${fence}\n`;
}
