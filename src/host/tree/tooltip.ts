// What hovering a row tells: who, when, what was asked, a short diff, and what is not covered.
import * as vscode from 'vscode';
import { unifiedPatch } from '../../core/diff/patch';
import type { Ports } from '../../core/ports';
import { bytesAround } from '../timeline/content';
import { displayPath } from '../../core/restore/relativePath';
import { newestOf, oldestOf, type Edit, type Turn } from '../timeline/turns';
import { agentName, counted, sidesOf, statusOf, statusWords, turnOrigin, turnTitle } from '../timeline/words';
import type { HostRoot } from '../workspaceRoots';
import type { Node } from './nodes';

const maxDiffLines = 24;
const maxLineLength = 140;
const maxDiffBytes = 256 * 1024;
const maxPromptLength = 600;
const maxListed = 8;

export function tooltipOf(ports: Ports, node: Node): vscode.MarkdownString | undefined {
  switch (node.type) {
    case 'turn':
      return turnTooltip(ports, node.root, node.turn);
    case 'file':
      return editsTooltip(ports, node.parent.root, node.parent.turn, node.file.path, node.file.edits);
    case 'edit': {
      const { turn, root } = node.parent.parent;
      return editsTooltip(ports, root, turn, node.parent.file.path, [node.edit]);
    }
    default:
      return undefined;
  }
}

function turnTooltip(ports: Ports, root: HostRoot, turn: Turn): vscode.MarkdownString {
  const text = new vscode.MarkdownString('', true);
  const prompt = turn.checkpoints.find((checkpoint) => checkpoint.prompt)?.prompt?.trim() ?? ownWords(turn);
  text.appendText(prompt.length > maxPromptLength ? `${prompt.slice(0, maxPromptLength)}…` : prompt);
  facts(text, turn, turn.checkpoints.length === 1 ? newestOf(turn).agent?.tool : undefined);
  if (turn.takenBack) text.appendMarkdown('\n\n$(discard) Taken back.');
  text.appendMarkdown('\n\n');
  for (const file of turn.files.slice(0, maxListed)) {
    text.appendText(`${statusWords[statusOf(file)]}: ${file.path}`).appendMarkdown('  \n');
  }
  if (turn.files.length > maxListed) text.appendText(`and ${turn.files.length - maxListed} more`);
  const [only] = turn.files;
  if (turn.files.length === 1) diff(text, ports, root, only!.path, only!.edits);
  coverage(text, turn, undefined);
  return text;
}

function ownWords(turn: Turn): string {
  const origin = turn.kind === 'restore' ? turnOrigin(turn) : '';
  return origin ? `${turnTitle(turn)}: ${origin}` : turnTitle(turn);
}

function editsTooltip(ports: Ports, root: HostRoot, turn: Turn, path: string, edits: readonly Edit[]) {
  const text = new vscode.MarkdownString('', true);
  text.appendText(path);
  facts(text, turn, edits.length === 1 ? edits[0]!.checkpoint.agent?.tool : undefined);
  diff(text, ports, root, path, edits);
  if (edits.some(({ checkpoint, entry }) => checkpoint.entries[entry]!.post?.inferred)) {
    text.appendMarkdown('\n\n$(info) ');
    text.appendText('The state after was found later, so a change of your own may be part of it.');
  }
  coverage(text, turn, path);
  return text;
}

function facts(text: vscode.MarkdownString, turn: Turn, tool: string | undefined): void {
  const { agent, createdAt } = newestOf(turn);
  const words = [agent && agentName(agent.name), tool, time(createdAt)].filter((word) => word !== undefined);
  text.appendMarkdown('\n\n');
  text.appendText(words.join(' · '));
  if (oldestOf(turn).foreign) {
    text.appendMarkdown('\n\n$(warning) ');
    text.appendText('Not made on this machine by you: it came with the folder. Look at it before you restore it.');
  }
}

function time(iso: string): string {
  return new Date(iso).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' });
}

function diff(text: vscode.MarkdownString, ports: Ports, root: HostRoot, path: string, edits: readonly Edit[]): void {
  const { before, after } = sidesOf({ edits });
  const size = Math.max(before.type === 'file' ? before.size : 0, after?.type === 'file' ? after.size : 0);
  const say = (words: string) => text.appendMarkdown('\n\n').appendText(words);
  if (after === undefined) return void say('The state after is not known yet.');
  if (size > maxDiffBytes) return void say('Too large for a short diff; Preview Changes shows it.');
  try {
    const bytes = bytesAround(ports, root.stores, edits);
    if (!bytes.before || !bytes.after) return void say('A state could not be read when it was captured.');
    const patch = unifiedPatch(path, bytes.before, bytes.after, { context: 2, maxBytes: maxDiffBytes });
    if (patch === undefined) return void say('Not a text file.');
    const lines = patch
      .split('\n')
      .filter((line) => !/^(---|\+\+\+|===|Index:|diff )/.test(line))
      .map((line) => line.replace(/\r$/, ''));
    if (lines.every((line) => line.trim() === '')) return void say('The content is the same.');
    const shown = lines.slice(0, maxDiffLines).map((line) => line.slice(0, maxLineLength).toWellFormed());
    text.appendMarkdown('\n\n');
    text.appendMarkdown(fenced(shown.join('\n').trimEnd()));
    if (lines.length > maxDiffLines) say(`${counted(lines.length - maxDiffLines, 'more line')} in the preview.`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** A code block that its content cannot close. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${code}\n${fence}\n`;
}

function coverage(text: vscode.MarkdownString, turn: Turn, path: string | undefined): void {
  const missing = turn.checkpoints
    .flatMap(({ notCovered }) => notCovered)
    .filter((each) => path === undefined || (each.path !== undefined && displayPath(each.path) === path));
  for (const each of missing.slice(0, maxListed)) {
    text.appendMarkdown('\n\n$(warning) ');
    const what = each.path === undefined ? 'Not covered' : `Not covered: ${displayPath(each.path)}`;
    text.appendText(`${what}, because ${each.reason}`);
  }
  if (missing.length > maxListed) text.appendText(`\n\nand ${missing.length - maxListed} more not covered`);
}
