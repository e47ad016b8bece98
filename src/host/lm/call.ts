// A call of one of the tools: which folder it means, and what the person is shown before a restore.
import path from 'node:path';
import * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { isCheckpointId } from '../../core/store/ids';
import { findCheckpoint } from '../../core/store/reader';
import { planOf } from '../../tools/checkpointRestore';
import type { ToolName } from '../../tools/names';
import { callTool, checkedInput } from '../../tools/tools';
import { placeOf } from '../rebuild/conversations';
import { planDetail } from '../restore/planText';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { ToolHost } from './tools';

type Input = Readonly<Record<string, unknown>>;

/** What the person was shown of a restore, by its input: nothing else is carried out. */
const shown = new Map<string, string>();
const rememberAtMost = 50;

/**
 * What is asked before the tool runs; undefined where it writes nothing. What is wrong with the input is said when it
 * runs.
 */
export function confirmationOf(
  host: ToolHost,
  name: ToolName,
  input: Input,
): vscode.LanguageModelToolConfirmationMessages | undefined {
  if (name !== 'checkpoint_restore') return undefined;
  let detail: string | undefined;
  try {
    detail = detailOf(host, input);
  } catch {
    return undefined;
  }
  if (detail === undefined) return undefined;
  if (shown.size >= rememberAtMost) shown.delete(shown.keys().next().value!);
  shown.set(JSON.stringify(input), detail);
  // As text: names of files are no Markdown.
  const message = new vscode.MarkdownString().appendText(detail);
  return { title: 'Take back what an agent changed?', message };
}

/** Returns the texts of the answer. @throws UsageError, CheckpointError, or the system's error */
export function invokeTool(host: ToolHost, name: ToolName, input: Input): readonly string[] {
  const { ports, roots, timeline } = host;
  if (name === 'rebuild_context') return callTool(ports, ...rebuildIn(ports, roots, input));
  if (name !== 'checkpoint_restore') return callTool(ports, name, input, () => rootOf(ports, roots, input).path);
  const key = JSON.stringify(input);
  const before = shown.get(key);
  shown.delete(key);
  const now = detailOf(host, input);
  if (now !== undefined && before === undefined) {
    throw new CheckpointError('changed-meanwhile', 'The person has not seen this plan. Call again.');
  }
  if (now !== before) {
    throw new CheckpointError('changed-meanwhile', 'Files were changed after the plan was shown. Call again.');
  }
  const root = rootOf(ports, roots, input);
  host.registration.flush();
  try {
    return callTool(ports, name, input, () => root.path);
  } finally {
    timeline.refresh(root);
  }
}

/** What a confirmed restore would do, in words; undefined for one that only plans. */
function detailOf({ ports, roots, registration }: ToolHost, input: Input): string | undefined {
  const wish = checkedInput('checkpoint_restore', input);
  // An editor with unsaved text is not written under.
  registration.flush();
  const plan = planOf({ ports, root: rootOf(ports, roots, input).path }, wish);
  return plan && [plan.label, planDetail(plan)].filter((text) => text !== '').join('\n\n');
}

/** The folder that is named, else the one that has the checkpoint, else the first. @throws CheckpointError */
function rootOf(ports: Ports, roots: WorkspaceRoots, { root: named, id }: Input): HostRoot {
  const own = roots.all.filter(({ prefix }) => prefix === '');
  if (own.length === 0) throw new CheckpointError('not-found', 'No folder is open.');
  if (typeof named === 'string') {
    const found = own.find((root) => root.path === named || path.relative(root.folder.uri.fsPath, named) === '');
    if (found !== undefined) return found;
    const list = own.map((root) => root.path).join(', ');
    throw new CheckpointError('bad-argument', `${JSON.stringify(named)} is not an open folder. There are: ${list}.`);
  }
  return (isCheckpointId(id) && own.find((root) => has(ports, root, id))) || own[0]!;
}

function has(ports: Ports, root: HostRoot, id: Parameters<typeof findCheckpoint>[2]): boolean {
  try {
    return findCheckpoint(ports, root.stores, id) !== undefined;
  } catch (error) {
    return CheckpointError.is(error, 'damaged');
  }
}

/** Without a name: the newest conversation of all folders. */
function rebuildIn(ports: Ports, roots: WorkspaceRoots, input: Input): [ToolName, Input, () => string] {
  const { root: named, conversation } = checkedInput('rebuild_context', input);
  if (named !== undefined) return ['rebuild_context', input, () => rootOf(ports, roots, input).path];
  const place = placeOf(ports, roots, conversation as string | undefined);
  return ['rebuild_context', { ...input, conversation: place.name }, () => place.root.path];
}
