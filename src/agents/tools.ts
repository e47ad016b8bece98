// One table of the tools of all agents: a hook file of one agent may be run by another one, with other names of tools
// and of their arguments.
import type { Expected, PathWrite, TextEdit } from '../core/capture/request';
import { isPatch, parsePatch, patchWrites } from './applyPatch';
import { toAbsolute } from './paths';

type Shape =
  /** The whole text of a file. */
  | 'write'
  /** Replacements in one file, or a list of them over several. */
  | 'edit'
  /** One file, changed in a way that is not predicted. */
  | 'opaque'
  /** One cell of a notebook. */
  | 'notebook'
  | 'patch'
  | 'directory'
  | 'delete'
  | 'move'
  | 'shell';

const tools = new Map<string, Shape>([
  ['Write', 'write'],
  ['Create', 'write'],
  ['create', 'write'],
  ['create_file', 'write'],
  ['write', 'write'],
  ['write_file', 'write'],
  ['write_to_file', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['StrReplace', 'edit'],
  ['edit', 'edit'],
  ['edit_file', 'edit'],
  ['editor', 'edit'],
  ['multi_replace_string_in_file', 'edit'],
  ['replace', 'edit'],
  ['replace_string_in_file', 'edit'],
  ['str_replace', 'edit'],
  ['NotebookEdit', 'notebook'],
  ['edit_notebook_file', 'notebook'],
  ['insert_edit_into_file', 'opaque'],
  ['replace_in_file', 'opaque'],
  ['ApplyPatch', 'patch'],
  ['apply_patch', 'patch'],
  ['patch', 'patch'],
  ['create_directory', 'directory'],
  ['Delete', 'delete'],
  ['delete_file', 'delete'],
  ['move_file', 'move'],
  ['Bash', 'shell'],
  ['PowerShell', 'shell'],
  ['Shell', 'shell'],
  ['bash', 'shell'],
  ['powershell', 'shell'],
  ['execute_command', 'shell'],
  ['run_commands', 'shell'],
  ['run_in_terminal', 'shell'],
  ['run_shell_command', 'shell'],
]);

/** Tools that only VS Code's own agent has. */
const vscodeTools = new Set([
  'create_file',
  'replace_string_in_file',
  'multi_replace_string_in_file',
  'insert_edit_into_file',
  'edit_notebook_file',
  'create_directory',
  'run_in_terminal',
]);

const pathKeys = ['file_path', 'filePath', 'notebook_path', 'notebookPath', 'path', 'dirPath', 'dir_path', 'file'];
const contentKeys = ['content', 'file_text', 'contents', 'fileText', 'text'];
const oldKeys = ['old_string', 'oldString', 'old_str', 'old_text', 'oldText'];
const newKeys = ['new_string', 'newString', 'new_str', 'new_text', 'newText'];
const patchKeys = ['input', 'command', 'patch', 'patchText', 'patch_text', 'diff'];

export const isVscodeTool = (tool: string) => vscodeTools.has(bareName(tool));
export const isShellTool = (tool: string) => tools.get(bareName(tool)) === 'shell';

/**
 * What a tool call is about to write: empty for a tool that does not write, whose input names no path, or that is a
 * shell (what a command writes cannot be read from it).
 */
export function writesOf(tool: string, input: unknown, cwd: string, home: string): PathWrite[] {
  const shape = tools.get(bareName(tool));
  if (shape === undefined || shape === 'shell') return [];
  const absolute = (value: unknown) => toAbsolute(value, cwd, home);
  // Some agents send a patch under the name of another edit tool.
  const patch = patchText(input);
  if (patch !== undefined) return patchWrites(parsePatch(patch), absolute);
  if (!isRecord(input) || input.command === 'view') return [];
  const path = absolute(first(input, pathKeys));
  switch (shape) {
    case 'patch':
      return [];
    case 'edit':
      return editWrites(input, path, absolute);
    case 'move':
      return moveWrites(absolute(input.source), absolute(input.destination));
    default:
      return path === undefined ? [] : [withExpected(path, simpleExpected(shape, input))];
  }
}

/** `functions.apply_patch` and `mcp__files__write_file` are the same tools under a prefix. */
const bareName = (tool: string) => tool.replace(/^(?:functions\.|copilot_|mcp__.+?__)/, '');

function patchText(input: unknown): string | undefined {
  const candidates = isRecord(input) ? patchKeys.map((key) => input[key]) : [input];
  return candidates.find((value): value is string => typeof value === 'string' && isPatch(value));
}

function simpleExpected(
  shape: 'write' | 'opaque' | 'notebook' | 'directory' | 'delete',
  input: Input,
): Expected | undefined {
  if (shape === 'notebook') return notebookExpected(input);
  if (shape === 'directory') return { type: 'directory' };
  if (shape === 'delete') return { type: 'absent' };
  const content = shape === 'write' ? first(input, contentKeys) : undefined;
  return typeof content === 'string' ? { type: 'content', text: content } : undefined;
}

function notebookExpected(input: Input): Expected | undefined {
  const mode = { insert: 'insert', edit: 'edit', replace: 'edit', delete: 'delete' } as const;
  const named = input.editType ?? input.edit_mode ?? 'edit';
  if (typeof named !== 'string' || !Object.hasOwn(mode, named)) return undefined;
  const code = input.newCode ?? input.new_source ?? '';
  const source = Array.isArray(code) ? code.join('\n') : code;
  if (typeof source !== 'string') return undefined;
  return { type: 'notebook', mode: mode[named as keyof typeof mode], source };
}

/** One edit, a list of edits of one file, or a list of edits that each name their file. */
function editWrites(
  input: Input,
  path: string | undefined,
  absolute: (value: unknown) => string | undefined,
): PathWrite[] {
  const list = [input.edits, input.replacements].find(Array.isArray) as unknown[] | undefined;
  const byPath = new Map<string, (TextEdit | undefined)[]>();
  for (const item of list ?? [input]) {
    if (!isRecord(item)) continue;
    const target = absolute(first(item, pathKeys)) ?? path;
    if (target === undefined) continue;
    const edits = byPath.get(target);
    if (edits) edits.push(textEdit(item));
    else byPath.set(target, [textEdit(item)]);
  }
  if (byPath.size === 0 && path !== undefined) byPath.set(path, [undefined]);
  return [...byPath].map(([target, edits]) => withExpected(target, editsExpected(edits)));
}

function editsExpected(edits: readonly (TextEdit | undefined)[]): Expected | undefined {
  const known = edits.filter((edit) => edit !== undefined);
  if (known.length < edits.length) return undefined;
  return { type: 'edits', edits: known };
}

function textEdit(item: Input): TextEdit | undefined {
  const newText = first(item, newKeys);
  // Without an old text the file is created; with a line number text is inserted, which is not predicted.
  const oldText = first(item, oldKeys) ?? (item.insert_line === undefined ? '' : undefined);
  if (typeof oldText !== 'string' || typeof newText !== 'string') return undefined;
  return { oldText, newText, all: (item.replace_all ?? item.replaceAll) === true };
}

function moveWrites(from: string | undefined, to: string | undefined): PathWrite[] {
  if (from === undefined || to === undefined) return [];
  return [
    { path: from, expected: { type: 'absent' } },
    { path: to, renamedFrom: from },
  ];
}

type Input = Record<string, unknown>;
const isRecord = (value: unknown): value is Input => typeof value === 'object' && value !== null;
const first = (input: Input, keys: readonly string[]) =>
  keys.map((key) => input[key]).find((value) => value !== undefined && value !== null);
const withExpected = (path: string, expected: Expected | undefined): PathWrite =>
  expected === undefined ? { path } : { path, expected };
