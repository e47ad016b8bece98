// What a tool call is about to write. One reading for all agents: a hook file of one agent may be run by another one,
// with other names of tools and of their arguments.
import type { Expected, PathWrite, TextEdit } from '../core/capture/request';
import { isPatch, parsePatch, patchWrites } from './applyPatch';
import { toAbsolute } from './paths';
import { shapeOf } from './toolShapes';

const pathKeys = [
  'file_path',
  'filePath',
  'notebook_path',
  'notebookPath',
  'target_notebook',
  'path',
  'target_file',
  'dirPath',
  'dir_path',
  'file',
];
const contentKeys = ['content', 'file_text', 'contents', 'fileText', 'text'];
const oldKeys = ['old_string', 'oldString', 'old_str', 'old_text', 'oldText'];
const newKeys = ['new_string', 'newString', 'new_str', 'new_text', 'newText'];
const sourceKeys = ['source', 'source_path', 'from'];
const targetKeys = ['destination', 'destination_path', 'to'];
const patchKeys = ['input', 'command', 'patch', 'patchText', 'patch_text', 'diff'];

/**
 * What a tool call is about to write: empty for a tool that does not write, whose input names no path, or that is a
 * shell (what a command writes cannot be read from it).
 */
export function writesOf(tool: string, input: unknown, cwd: string, home: string): PathWrite[] {
  const shape = shapeOf(tool);
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
      return moveWrites(absolute(first(input, sourceKeys)), absolute(first(input, targetKeys)));
    case 'copy': {
      const target = absolute(first(input, targetKeys));
      return target === undefined ? [] : [{ path: target }];
    }
    default:
      return path === undefined ? [] : [withExpected(path, simpleExpected(shape, input))];
  }
}

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

/** A shell call: what it runs, and where. */
export interface ShellCommand {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** True where the call ends before the command does. */
  readonly background: boolean;
}

const commandKeys = ['command', 'commands', 'command_line', 'cmd', 'script'];
const folderKeys = ['cwd', 'workdir', 'working_directory', 'directory', 'dir_path'];
const backgroundKeys = ['run_in_background', 'isBackground', 'is_background', 'background'];

/** Undefined for a tool that is no shell. */
export function commandOf(tool: string, input: unknown, cwd: string, home: string): ShellCommand | undefined {
  if (shapeOf(tool) !== 'shell') return undefined;
  const named = isRecord(input) ? input : {};
  return {
    command: commandText(isRecord(input) ? first(named, commandKeys) : input),
    cwd: toAbsolute(first(named, folderKeys), cwd, home) ?? cwd,
    background: backgroundKeys.some((key) => named[key] === true),
  };
}

/** One text, a list of words, or several commands. */
function commandText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  const words = value.filter(
    (item) => typeof item === 'string' || (isRecord(item) && typeof item.command === 'string'),
  );
  return words.map((item: string | { command: string }) => (typeof item === 'string' ? item : item.command)).join('\n');
}
