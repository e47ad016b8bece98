// The tools of all agents by name, and what kind of write each makes.

export type Shape =
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
  | 'copy'
  | 'shell';

const shapes = new Map<string, Shape>(
  Object.entries({
    write: ['Write', 'Create', 'create', 'create_file', 'write', 'write_file', 'write_to_file', 'save_file'],
    edit: [
      'Edit',
      'MultiEdit',
      'StrReplace',
      'edit',
      'edit_file',
      'editor',
      'multi_replace_string_in_file',
      'multiedit',
      'replace',
      'replace_string_in_file',
      'str_replace',
      'str_replace_editor',
      'write_code',
    ],
    notebook: ['NotebookEdit', 'EditNotebook', 'edit_notebook_file', 'notebook_edit'],
    opaque: ['insert_edit_into_file', 'replace_in_file', 'insert'],
    patch: ['ApplyPatch', 'apply_patch', 'patch'],
    directory: ['create_directory'],
    delete: ['Delete', 'delete_file', 'delete_path'],
    move: ['move_file', 'move_path'],
    copy: ['copy_file', 'copy_path'],
    shell: [
      'Bash',
      'PowerShell',
      'Shell',
      'bash',
      'exec',
      'exec_command',
      'execute_command',
      'local_shell',
      'powershell',
      'run_command',
      'run_commands',
      'run_in_terminal',
      'run_shell_command',
      'shell',
      'shell_command',
      'terminal',
      'unified_exec',
    ],
  } satisfies Record<Shape, string[]>).flatMap(([shape, names]) =>
    names.map((name) => [name, shape as Shape] as const),
  ),
);

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

/** Undefined for a tool that is not known to write. */
export const shapeOf = (tool: string): Shape | undefined => shapes.get(bareName(tool));
export const isVscodeTool = (tool: string) => vscodeTools.has(bareName(tool));

/** `functions.apply_patch`, `mcp__files__write_file` and `MCP:write_file` are the same tools under a prefix. */
const bareName = (tool: string) => tool.replace(/^(?:functions\.|copilot_|mcp__.+?__|MCP:)/, '');
