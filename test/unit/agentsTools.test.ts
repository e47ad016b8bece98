// What tool calls are about to write, for every agent's names of tools and arguments.
import assert from 'node:assert/strict';
import path from 'node:path';
import { parsePatch } from '../../src/agents/applyPatch';
import { writesOf } from '../../src/agents/tools';

const cwd = path.resolve('/w/app');
const home = path.resolve('/home/ada');
const at = (name: string) => path.join(cwd, name);
const writes = (tool: string, input: unknown) => writesOf(tool, input, cwd, home);

const edit = (oldText: string, newText: string, all = false) => ({ oldText, newText, all });

describe('a tool call that writes', () => {
  const cases: [tool: string, input: unknown, expected: unknown[]][] = [
    ['Write', { file_path: '/w/app/a', content: 'x' }, [{ path: at('a'), expected: { type: 'content', text: 'x' } }]],
    ['create', { path: 'a', file_text: 'x' }, [{ path: at('a'), expected: { type: 'content', text: 'x' } }]],
    ['create_file', { filePath: 'a', content: '' }, [{ path: at('a'), expected: { type: 'content', text: '' } }]],
    ['create_file', { filePath: 'a' }, [{ path: at('a') }]],
    ['write_to_file', { path: 'a', content: 'x' }, [{ path: at('a'), expected: { type: 'content', text: 'x' } }]],
    [
      'Edit',
      { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true },
      [{ path: at('a'), expected: { type: 'edits', edits: [edit('x', 'y', true)] } }],
    ],
    [
      'replace_string_in_file',
      { filePath: 'a', oldString: 'x', newString: 'y', explanation: 'why' },
      [{ path: at('a'), expected: { type: 'edits', edits: [edit('x', 'y')] } }],
    ],
    [
      'str_replace',
      { path: 'a', old_str: 'x', new_str: '' },
      [{ path: at('a'), expected: { type: 'edits', edits: [edit('x', '')] } }],
    ],
    [
      'MultiEdit',
      {
        file_path: 'a',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'y', new_string: 'z' },
        ],
      },
      [{ path: at('a'), expected: { type: 'edits', edits: [edit('x', 'y'), edit('y', 'z')] } }],
    ],
    [
      'multi_replace_string_in_file',
      {
        explanation: 'why',
        replacements: [
          { filePath: 'a', oldString: '1', newString: '2' },
          { filePath: 'b', oldString: '3', newString: '4' },
          { filePath: '/w/app/a', oldString: '5', newString: '6' },
          'not a replacement',
        ],
      },
      [
        { path: at('a'), expected: { type: 'edits', edits: [edit('1', '2'), edit('5', '6')] } },
        { path: at('b'), expected: { type: 'edits', edits: [edit('3', '4')] } },
      ],
    ],
    ['editor', { path: 'a', new_text: 'x' }, [{ path: at('a'), expected: { type: 'edits', edits: [edit('', 'x')] } }]],
    ['editor', { path: 'a', new_text: 'x', insert_line: '3' }, [{ path: at('a') }]],
    ['Edit', { file_path: 'a', edits: [{ from: 1 }] }, [{ path: at('a') }]],
    ['insert_edit_into_file', { filePath: 'a', code: '// ...existing code...' }, [{ path: at('a') }]],
    [
      'NotebookEdit',
      { notebook_path: 'n.ipynb', new_source: 'x' },
      [{ path: at('n.ipynb'), expected: { type: 'notebook', mode: 'edit', source: 'x' } }],
    ],
    [
      'edit_notebook_file',
      { filePath: 'n.ipynb', editType: 'delete', cellId: '1' },
      [{ path: at('n.ipynb'), expected: { type: 'notebook', mode: 'delete', source: '' } }],
    ],
    ['create_directory', { dirPath: 'd/e' }, [{ path: at('d/e'), expected: { type: 'directory' } }]],
    ['Delete', { path: 'a' }, [{ path: at('a'), expected: { type: 'absent' } }]],
    [
      'mcp__files__move_file',
      { source: 'a', destination: 'b' },
      [
        { path: at('a'), expected: { type: 'absent' } },
        { path: at('b'), renamedFrom: at('a') },
      ],
    ],
    [
      'functions.apply_patch',
      { patch: '*** Begin Patch\n*** Delete File: a\n*** End Patch' },
      [{ path: at('a'), expected: { type: 'absent' } }],
    ],
    // A patch under the name of another tool.
    ['Edit', '*** Begin Patch\n*** Delete File: a\n*** End Patch', [{ path: at('a'), expected: { type: 'absent' } }]],
  ];
  for (const [tool, input, expected] of cases) {
    it(`${tool} ${JSON.stringify(input).slice(0, 60)}`, () => assert.deepEqual(writes(tool, input), expected));
  }

  it('names its file absolutely, relatively, from home, or by URI', () => {
    const of = (value: string) => writes('Write', { file_path: value, content: '' }).map((write) => write.path);
    assert.deepEqual(of('../b'), [path.resolve('/w/b')]);
    assert.deepEqual(of('~/b c'), [path.join(home, 'b c')]);
    assert.deepEqual(of('file:///w/b%20c%C3%A9'), [path.resolve('/w/b cé')]);
    assert.deepEqual(of('file://localhost/w/b'), [path.resolve('/w/b')]);
    assert.deepEqual(of('vscode-remote://ssh-remote+host/w/b'), [path.resolve('/w/b')]);
    assert.deepEqual(of('vscode-notebook-cell:/w/n.ipynb#W0'), [path.resolve('/w/n.ipynb')]);
    assert.deepEqual(of('odd:/b'), [at('odd:/b')]);
    assert.deepEqual(of(`it's "quoted"\nand broken`), [at(`it's "quoted"\nand broken`)]);
    for (const none of [
      'untitled:Untitled-1',
      'vscode-userdata:/User/settings.json',
      'vscode-vfs://github/a/b',
      'https://x/y',
      '',
      'a\0b',
      'file:///%E0%A4%A',
    ]) {
      assert.deepEqual(of(none), [], none);
    }
  });
});

describe('a tool call that does not write, or not in a way that its input tells', () => {
  for (const [tool, input] of [
    ['Read', { file_path: 'a' }],
    ['Bash', { command: 'rm a' }],
    ['Bash', { command: "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF" }],
    ['run_in_terminal', { command: 'rm a' }],
    ['editor', { command: 'view', path: 'a' }],
    ['apply_patch', { input: 'no patch' }],
    ['Write', null],
    ['Write', 'text'],
    ['__proto__', { file_path: 'a' }],
  ] as const) {
    it(`${tool} ${JSON.stringify(input)}`, () => assert.deepEqual(writes(tool, input), []));
  }
});

describe('the text of apply_patch', () => {
  const patch = [
    "apply_patch <<'EOF'",
    '*** Begin Patch',
    '*** Add File: new dir/ä.txt',
    '+one',
    '+',
    '+*** Delete File: not-a-header',
    '  *** Update File: src/a.ts',
    '@@ class A',
    ' context',
    '-old',
    '+new',
    '*** End of File',
    '*** Delete File: gone.txt',
    '*** Update File: from.txt',
    '*** Move to: to.txt',
    '@@',
    '-x',
    '+y',
    '*** End Patch',
    '*** Delete File: after-the-end',
    'EOF',
  ];

  it('gives each file its own part', () => {
    assert.deepEqual(parsePatch(patch.join('\n')), [
      { op: 'add', path: 'new dir/ä.txt', lines: ['+one', '+', '+*** Delete File: not-a-header'] },
      { op: 'update', path: 'src/a.ts', lines: ['@@ class A', ' context', '-old', '+new'] },
      { op: 'delete', path: 'gone.txt', lines: [] },
      { op: 'update', path: 'from.txt', moveTo: 'to.txt', lines: ['@@', '-x', '+y'] },
    ]);
  });

  it('may have CRLF line ends', () => {
    assert.deepEqual(parsePatch(patch.join('\r\n')), parsePatch(patch.join('\n')));
  });

  it('touches every path of it, also the destination of a move', () => {
    assert.deepEqual(writes('apply_patch', { input: patch.join('\n'), explanation: '' }), [
      { path: at('new dir/ä.txt'), expected: { type: 'content', text: 'one\n\n*** Delete File: not-a-header' } },
      { path: at('src/a.ts'), expected: { type: 'patch', lines: ['@@ class A', ' context', '-old', '+new'] } },
      { path: at('gone.txt'), expected: { type: 'absent' } },
      { path: at('from.txt'), expected: { type: 'absent' } },
      { path: at('to.txt'), expected: { type: 'patch', lines: ['@@', '-x', '+y'] }, renamedFrom: at('from.txt') },
    ]);
  });

  it('predicts nothing for a path that it names twice', () => {
    const twice = '*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch';
    assert.deepEqual(writes('apply_patch', { input: twice }), [{ path: at('a') }]);
  });
});
