// A workspace with an agent in it, and the command line run in this process.
import * as fs from 'node:fs';
import path from 'node:path';
import { runCli } from '../../src/cli/verbs';
import type { CliIo } from '../../src/cli/verbs/verb';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteRequest } from '../../src/core/capture/request';
import { beginTurn, endTurn } from '../../src/core/capture/turns';
import { temporaryRoot, testPorts, type TestPorts } from './ports';

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON document of stdout. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface CliWorkspace {
  readonly root: string;
  readonly ports: TestPorts;
  /** Runs a command line in the root. */
  run(...argv: string[]): Promise<CliRun>;
  runIn(io: Partial<CliIo>, ...argv: string[]): Promise<CliRun>;
  file(relative: string): string;
  read(relative: string): string | undefined;
  write(relative: string, text: string | Uint8Array): void;
  /** The agent writes files in one call; `undefined` deletes. Returns the checkpoint's id. */
  agentWrites(files: Record<string, string | undefined>, call?: { turn?: string; session?: string }): string;
  prompt(text: string, call?: { turn?: string; session?: string }): void;
  endTurn(call?: { turn?: string; session?: string }): void;
}

export function cliWorkspace(): CliWorkspace {
  const root = temporaryRoot('cli');
  const ports = testPorts();
  const observer = createObserver(ports);
  let calls = 0;
  const agent = ({ turn = 'turn-1', session = 'session-1' } = {}) => ({ name: 'claude-code', session, turn });
  const file = (relative: string) => path.join(root, relative);

  const workspace: CliWorkspace = {
    root,
    ports,
    file,
    run: (...argv) => workspace.runIn({}, ...argv),
    async runIn(io, ...argv) {
      const output = { stdout: '', stderr: '' };
      const sink = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (output[name] += text) });
      const code = await runCli(argv, {
        ports,
        cwd: root,
        env: { HOME: path.dirname(root) },
        stdout: sink('stdout'),
        stderr: sink('stderr'),
        ...io,
      });
      return {
        code,
        ...output,
        get json() {
          return JSON.parse(output.stdout);
        },
      };
    },
    read: (relative) => (fs.existsSync(file(relative)) ? fs.readFileSync(file(relative), 'utf8') : undefined),
    write(relative, text) {
      fs.mkdirSync(path.dirname(file(relative)), { recursive: true });
      fs.writeFileSync(file(relative), text);
    },
    agentWrites(files, call) {
      const request: WriteRequest = {
        kind: 'edit',
        agent: { ...agent(call), tool: 'Write', toolUse: `call-${++calls}` },
        cwd: root,
        projectDir: root,
        writes: Object.entries(files).map(([relative, text]) => ({
          path: file(relative),
          expected: text === undefined ? { type: 'absent' } : { type: 'content', text },
        })),
      };
      const { checkpoints } = observer.beforeWrite(request);
      for (const [relative, text] of Object.entries(files)) {
        if (text === undefined) fs.rmSync(file(relative));
        else workspace.write(relative, text);
      }
      observer.afterWrite(request);
      return checkpoints[0]!.id;
    },
    prompt: (text, call) => void beginTurn(ports, { agent: agent(call), cwd: root, prompt: text }),
    endTurn: (call) => void endTurn(ports, { agent: agent(call), cwd: root }),
  };
  return workspace;
}
