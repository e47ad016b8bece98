// Lint rules. The layer rules below are the ones of docs/architecture.md: imports run one way.
import path from 'node:path';
import tseslint from 'typescript-eslint';

const root = path.resolve(import.meta.dirname, '../..');

/** Forbids imports by pattern in a folder, each with the reason that the person sees. */
const layer = (files, patterns) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: patterns.map(([group, message]) => ({ group, message })) }],
  },
});

// Anchored: src/agents/vscode is something else.
const vscode = [['/vscode'], 'Only src/host and src/extension.ts may import vscode.'];
const host = [['**/host/**', '**/extension.js'], 'src/host is the top layer: nothing below imports it.'];
const tools = [['**/tools/**'], 'What can be asked for stands above the core and the agents.'];
const entries = [['**/cli/**', '**/mcp/**'], 'The command line and MCP are entry points: nothing imports them.'];
const agents = [['**/agents/**'], 'core does not know any agent.'];

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'out/', '.vscode-test/', '**/.system_generated/'] },
  ...tseslint.configs.recommended,
  {
    languageOptions: { parserOptions: { tsconfigRootDir: root } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'max-lines': ['error', { max: 300 }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  layer(['src/core/**/*.ts'], [vscode, host, entries, tools, agents]),
  layer(['src/agents/**/*.ts'], [vscode, host, entries, tools]),
  layer(['src/tools/**/*.ts'], [vscode, host, entries]),
  layer(['src/cli/**/*.ts'], [vscode, host, [['**/mcp/**'], 'Entry points do not import each other.']]),
  layer(['src/mcp/**/*.ts'], [vscode, host, [['**/cli/**'], 'Entry points do not import each other.']]),
  layer(['src/protocol/**/*.ts'], [vscode, host, entries, agents, [['node:*'], 'Shared with the webview.']]),
  layer(
    ['src/host/**/*.ts'],
    [entries, [['**/extension.js'], 'The composition root imports the host, not the reverse.']],
  ),
  layer(['media/**/*.ts'], [vscode, host, entries, agents, [['node:*'], 'It runs in a webview.']]),
  { files: ['test/**', 'esbuild.mjs', 'src/build/**', 'src/cli/**'], rules: { 'no-console': 'off' } },
  { files: ['test/**'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
);
