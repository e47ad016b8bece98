// Hook processes as agents start them: the shipped program, with a payload on standard input.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Ports } from '../../src/core/ports';
import type { Meta, State } from '../../src/core/store/meta';
import { listPage, type ListedCheckpoint } from '../../src/core/store/reader';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores } from '../../src/core/store/stores';
import { builtCli } from './cliBundle';
import { temporaryRoot, testPorts } from './ports';

export interface HookRun {
  readonly code: number | null;
  readonly output: string;
}

export interface HookWorkspace {
  readonly root: string;
  readonly ports: Ports;
  file(name: string): string;
  /** Runs the hook of an agent. Strings are sent as they are. */
  hook(payload: unknown, agent?: string): Promise<HookRun>;
  /** The same, with the process in hand. */
  start(payload: unknown, agent?: string): { readonly child: ChildProcess; readonly ended: Promise<HookRun> };
  /** Newest first, with those that are damaged as an error. */
  list(): ListedCheckpoint[];
  /** The bytes of a stored state; undefined for what is no file. */
  bytes(meta: Meta, state: State): Buffer | undefined;
}

export function hookWorkspace(): HookWorkspace {
  const root = temporaryRoot('hook');
  const ports = testPorts();
  fs.mkdirSync(path.join(root, '.git'));
  const env = { PATH: process.env['PATH'], HOME: temporaryRoot('home'), AGENT_CHECKPOINTS_HOME: ports.stateDir };
  const stores = rootStores(ports, root);
  const workspace: HookWorkspace = {
    root,
    ports,
    file: (name) => path.join(root, name),
    hook: (payload, agent) => workspace.start(payload, agent).ended,
    start(payload, agent = 'claude-code') {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return startProcess(process.execPath, [builtCli(), 'hook', agent], text, { cwd: root, env });
    },
    list() {
      const { checkpoints, damaged } = listPage(ports, stores, { limit: 1000 });
      if (damaged.length > 0) throw new Error(`damaged: ${JSON.stringify(damaged)}`);
      return checkpoints;
    },
    bytes(meta, state) {
      const store = [stores.primary, stores.fallback].find((one) =>
        fs.existsSync(path.join(one.checkpoints, meta.id)),
      )!;
      return state.type === 'file' ? readBlob(ports, store, meta.id, state) : undefined;
    },
  };
  return workspace;
}

/** All that the process prints counts as output. */
export function startProcess(
  program: string,
  args: readonly string[],
  input: string | undefined,
  options: { cwd?: string; env?: NodeJS.ProcessEnv },
): { readonly child: ChildProcess; readonly ended: Promise<HookRun> } {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  // The process may end without having read all.
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise<HookRun>((resolve) => child.on('close', (code) => resolve({ code, output })));
  return { child, ended };
}

let calls = 0;

/** A call of Claude Code; `event` is its hook event's name. */
export function claudeCall(root: string, tool: string, input: object, more: object = {}) {
  const base = {
    session_id: 'session-1',
    transcript_path: path.join(root, '..', 'transcript.jsonl'),
    cwd: root,
    prompt_id: 'prompt-1',
    permission_mode: 'acceptEdits',
    tool_name: tool,
    tool_input: input,
    tool_use_id: `toolu_${++calls}`,
    ...more,
  };
  return (event: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure') => ({ ...base, hook_event_name: event });
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
