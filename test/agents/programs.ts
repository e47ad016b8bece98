// The agents' programs: which package holds each, how it runs without a login on the scripted model, and by which of
// its own tools it makes the changes of the scenario.
import * as fs from 'node:fs';
import path from 'node:path';
import type { AgentName } from '../../src/agents/agent';
import { trustHash } from '../../src/agents/codex/trust';
import { addFile, updateFile } from './patches';
import type { ModelTurn, ToolCall } from './scriptedModel';

export interface RunPlace {
  readonly home: string;
  readonly root: string;
  /** Of the scripted model. */
  readonly url: string;
}

export interface Program {
  readonly name: AgentName;
  /** Package and version; what it needs beside it. */
  readonly packages: readonly string[];
  /** The file to start, below the folder of its packages. */
  readonly file: string;
  /** True for a script that needs a Node of its own. */
  readonly script?: boolean;
  env(place: RunPlace): NodeJS.ProcessEnv;
  /** Configuration that lets it run, before its hooks are set up. */
  configure?(place: RunPlace): void;
  /** What a person would approve by hand, after they are. */
  approve?(place: RunPlace): void;
  /** Commands that have to run once before the first prompt. */
  readonly first?: (place: RunPlace) => readonly string[];
  /** An argument of a process that it leaves running for a folder. */
  readonly daemon?: string;
  /** A tool of it that makes files does not make their folders. */
  readonly newFolder?: 'src';
  /** It does not tell its hooks which calls are a subagent's. */
  readonly oneVoice?: true;
  /** It does not tell its hooks what the person asked. */
  readonly silent?: true;
  prompt(text: string, again: boolean): readonly string[];
  readonly tools: {
    readonly read?: (file: string) => ToolCall;
    readonly write: (file: string, text: string, before?: string) => ToolCall;
    readonly edit: (file: string, before: string, after: string) => ToolCall;
    readonly shell: (command: string) => ToolCall;
    /** A patch that may move files. */
    readonly patch?: (patch: string) => ToolCall;
    /** Starts a subagent and waits for it. */
    readonly subagent?: (prompt: string) => readonly ModelTurn[];
  };
}

const arch = process.arch;
const call = (tool: string, input: ToolCall['input']): ToolCall => ({ tool, input });
const put = (file: string, value: unknown) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
};
const describe = 'part of a test';

export const programs: readonly Program[] = [
  {
    name: 'claude-code',
    packages: [`@anthropic-ai/claude-code-linux-${arch}@2.1.332`],
    file: `@anthropic-ai/claude-code-linux-${arch}/claude`,
    env: ({ url }) => ({
      ANTHROPIC_API_KEY: 'fake',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_MODEL: 'claude-sonnet-4-5',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    prompt: (text, again) => [
      ...(again ? ['--continue'] : []),
      ...['-p', text, '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'],
    ],
    tools: {
      read: (file) => call('Read', { file_path: file }),
      write: (file, content) => call('Write', { file_path: file, content }),
      edit: (file, old_string, new_string) => call('Edit', { file_path: file, old_string, new_string }),
      shell: (command) => call('Bash', { command, description: describe }),
      subagent: (prompt) => [
        [call('Agent', { description: describe, prompt, subagent_type: 'general-purpose', run_in_background: false })],
      ],
    },
  },
  {
    name: 'codex',
    packages: [`@openai/codex@0.171.0`],
    file: `@openai/codex-linux-${arch}/vendor/${arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-musl/bin/codex`,
    env: () => ({ FAKE_KEY: 'fake' }),
    configure: ({ home, url }) =>
      put(
        path.join(home, '.codex', 'config.toml'),
        `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[analytics]
enabled = false
`,
      ),
    approve: ({ home }) => {
      const file = path.join(home, '.codex', 'hooks.json');
      const { hooks } = JSON.parse(fs.readFileSync(file, 'utf8')) as { hooks: Record<string, CodexGroup[]> };
      const approved = Object.entries(hooks).map(([event, [group]]) => {
        const name = event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
        const hash = trustHash(event, group!.matcher, group!.hooks[0]!);
        return `[hooks.state."${file}:${name}:0:0"]\ntrusted_hash = "${hash}"\n`;
      });
      fs.appendFileSync(path.join(home, '.codex', 'config.toml'), approved.join(''));
    },
    prompt: (text, again) => [
      'exec',
      '--dangerously-bypass-approvals-and-sandbox',
      ...(again ? ['resume', '--last'] : []),
      text,
    ],
    tools: {
      write: (file, text) => call('apply_patch', addFile(file, text)),
      edit: (file, before, after) => call('apply_patch', updateFile(file, before, after)),
      shell: (cmd) => call('exec_command', { cmd }),
      subagent: (message) => [
        [{ ...call('spawn_agent', { message }), namespace: 'multi_agent_v1' }],
        // Whom to wait for is in the result.
        (request) => {
          const id = /agent_id\\*"\s*:\s*\\*"([0-9a-f-]{36})/.exec(request)?.[1];
          return [{ ...call('wait_agent', { targets: [id], timeout_ms: 60_000 }), namespace: 'multi_agent_v1' }];
        },
      ],
      patch: (patch) => call('apply_patch', patch),
    },
  },
  {
    name: 'gemini',
    packages: ['@google/gemini-cli@0.61.0'],
    file: '@google/gemini-cli/bundle/gemini.js',
    script: true,
    oneVoice: true,
    env: ({ url }) => ({ GEMINI_API_KEY: 'fake', GOOGLE_GEMINI_BASE_URL: url }),
    configure: ({ home, root }) => {
      put(path.join(home, '.gemini', 'trustedFolders.json'), { [root]: 'TRUST_FOLDER' });
      put(path.join(home, '.gemini', 'settings.json'), { security: { auth: { selectedType: 'gemini-api-key' } } });
    },
    prompt: (text, again) => [...(again ? ['--resume', 'latest'] : []), '-p', text, '--yolo'],
    tools: {
      write: (file_path, content) => call('write_file', { file_path, content }),
      edit: (file_path, old_string, new_string) =>
        call('replace', { file_path, old_string, new_string, instruction: describe }),
      shell: (command) => call('run_shell_command', { command, description: describe }),
      subagent: (prompt) => [[call('invoke_agent', { agent_name: 'generalist', prompt })]],
    },
  },
  {
    name: 'qwen',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    file: '@qwen-code/qwen-code/cli.js',
    script: true,
    env: ({ url }) => ({ OPENAI_API_KEY: 'fake', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted-1' }),
    configure: ({ home }) =>
      put(path.join(home, '.qwen', 'settings.json'), { security: { auth: { selectedType: 'openai' } } }),
    prompt: (text, again) => [...(again ? ['--continue'] : []), '-p', text, '--yolo'],
    tools: {
      read: (file_path) => call('read_file', { file_path }),
      write: (file_path, content) => call('write_file', { file_path, content }),
      edit: (file_path, old_string, new_string) => call('edit', { file_path, old_string, new_string }),
      shell: (command) => call('run_shell_command', { command, description: describe, is_background: false }),
      subagent: (prompt) => [
        [call('agent', { description: describe, prompt, subagent_type: 'general-purpose', run_in_background: false })],
      ],
    },
  },
  {
    name: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    file: `opencode-linux-${arch}/bin/opencode`,
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_SHARE: '1',
      npm_config_offline: 'true',
    }),
    configure: ({ home, url }) =>
      put(path.join(home, '.config', 'opencode', 'opencode.json'), {
        autoupdate: false,
        share: 'disabled',
        model: 'anthropic/claude-sonnet-4-5',
        small_model: 'anthropic/claude-sonnet-4-5',
        provider: {
          anthropic: {
            options: { baseURL: `${url}/v1`, apiKey: 'fake' },
            models: {
              'claude-sonnet-4-5': { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 32_000 } },
            },
          },
        },
        permission: { edit: 'allow', bash: 'allow', external_directory: 'allow' },
      }),
    prompt: (text, again) => ['run', ...(again ? ['--continue'] : []), text],
    tools: {
      read: (filePath) => call('read', { filePath }),
      write: (filePath, content) => call('write', { filePath, content }),
      edit: (filePath, oldString, newString) => call('edit', { filePath, oldString, newString }),
      shell: (command) => call('bash', { command, description: describe }),
      subagent: (prompt) => [[call('task', { description: describe, prompt, subagent_type: 'general' })]],
    },
  },
  {
    name: 'pi',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    file: '@mariozechner/pi-coding-agent/dist/cli.js',
    script: true,
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
    configure: ({ home, url }) =>
      put(path.join(home, '.pi', 'agent', 'models.json'), {
        providers: {
          scripted: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'fake',
            compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
            models: [{ id: 'scripted-1', contextWindow: 200_000, maxTokens: 8000 }],
          },
        },
      }),
    prompt: (text, again) => [
      ...['--provider', 'scripted', '--model', 'scripted-1'],
      ...(again ? ['--continue'] : []),
      ...['-p', text],
    ],
    tools: {
      write: (file, content) => call('write', { path: file, content }),
      edit: (file, oldText, newText) => call('edit', { path: file, edits: [{ oldText, newText }] }),
      shell: (command) => call('bash', { command }),
    },
  },
  {
    name: 'cline',
    packages: ['cline@3.0.65'],
    file: `@cline/cli-linux-${arch}/bin/cline`,
    env: () => ({ CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' }),
    first: ({ url }) => ['auth', '-p', 'openai-compatible', '-k', 'fake', '-m', 'scripted-1', '-b', `${url}/v1`],
    silent: true,
    daemon: '--cline-hub-daemon',
    // Going on with a session needs a terminal.
    prompt: (text) => ['--json', '-P', 'openai-compatible', '-m', 'scripted-1', text],
    tools: {
      read: (file) => call('read_files', { files: [{ path: file }] }),
      write: (file, new_text, old_text) =>
        call('editor', { path: file, new_text, ...(old_text !== undefined && { old_text }) }),
      edit: (file, old_text, new_text) => call('editor', { path: file, old_text, new_text }),
      shell: (command) => call('run_commands', { commands: [command] }),
      subagent: (task) => [[call('spawn_agent', { systemPrompt: 'You do as you are told.', task })]],
    },
  },
  {
    name: 'copilot-cli',
    packages: ['@github/copilot@1.0.102'],
    file: `@github/copilot-linux-${arch}/copilot`,
    env: ({ url }) => ({
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'fake',
      COPILOT_MODEL: 'claude-sonnet-4.5',
    }),
    newFolder: 'src',
    prompt: (text, again) => [...(again ? ['--continue'] : []), '-p', text, '--allow-all-tools'],
    tools: {
      write: (file, file_text, before) =>
        before === undefined
          ? call('create', { path: file, file_text })
          : call('edit', { path: file, old_str: before, new_str: file_text }),
      edit: (file, old_str, new_str) => call('edit', { path: file, old_str, new_str }),
      shell: (command) => call('bash', { command, description: describe }),
      subagent: (prompt) => {
        const more = { name: 'helper', description: describe, agent_type: 'general-purpose', mode: 'sync' };
        return [[call('task', { ...more, prompt })]];
      },
    },
  },
];

interface CodexGroup {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command?: unknown; readonly timeout?: unknown }[];
}

export const turnsOf = (...calls: readonly (ToolCall | undefined)[]): ModelTurn[] =>
  calls.filter((one) => one !== undefined).map((one) => [one]);
