// Agents' sessions in a folder, told by payloads of their hooks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { runHook } from '../../src/agents/runHook';
import { lazyGit } from '../../src/core/capture/sweep/lazyGit';
import { planAndRun, planRestore } from '../../src/core/restore/restore';
import type { CheckpointId } from '../../src/core/store/ids';
import { listPage } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, unflushed } from './ports';

/** A folder in which agents work; time passes only between their events. */
export class Folder {
  readonly root = temporaryRoot('whose');
  readonly ports = { ...testPorts({ fs: unflushed }), git: lazyGit };

  constructor(files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' }) {
    execFileSync('git', ['init', '-q'], { cwd: this.root });
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  write(name: string, text: string): void {
    fs.writeFileSync(this.at(name), text);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), 'utf8');
  }

  send(agent: string, payload: object, event?: string): void {
    const { root } = this;
    const context = { env: {}, cwd: root, home: path.dirname(root), ...(event !== undefined && { event }) };
    assert.equal(runHook(this.ports, agent, JSON.stringify({ cwd: root, ...payload }), context), '');
  }

  /** Oldest first: whose, which paths, and what became of it. */
  told(): string[] {
    return this.list().map(({ agent, entries, status }) => {
      const whose = [agent!.session, agent!.turn, agent!.subagent].filter((each) => each !== undefined).join(' ');
      return `${whose}: ${entries.map((each) => String(each.path)).join(' ')} ${status}`;
    });
  }

  list() {
    const page = listPage(this.ports, rootStores(this.ports, this.root), { limit: 100 });
    assert.deepEqual(page.damaged, []);
    return page.checkpoints.toReversed();
  }

  undoTurn(id: CheckpointId): void {
    const plan = () => planRestore(this.ports, this.root, { mode: 'turn', id }, { onConflict: 'refuse' });
    const { outcome } = planAndRun(this.ports, this.root, plan);
    assert.deepEqual([outcome.conflicts, outcome.skipped], [[], []]);
  }
}

/** One session of an agent that reports in Claude Code's shape. */
export class Session {
  constructor(
    readonly folder: Folder,
    readonly id: string,
    readonly agent = 'claude-code',
    readonly more: object = {},
  ) {}

  send(name: string, payload: object = {}): void {
    this.folder.send(this.agent, { session_id: this.id, hook_event_name: name, ...this.more, ...payload });
  }

  prompt(turn: string): void {
    this.send('UserPromptSubmit', { prompt_id: turn, prompt: `prompt of ${turn}` });
  }

  call(turn: string, id: string, name: string, text: string, more: object = {}) {
    const payload = {
      ...(this.agent === 'codex' ? { turn_id: turn } : { prompt_id: turn }),
      tool_name: this.agent === 'codex' ? 'apply_patch' : 'Write',
      tool_input:
        this.agent === 'codex'
          ? { command: `*** Begin Patch\n*** Add File: ${name}\n+${text}\n*** End Patch` }
          : { file_path: this.folder.at(name), content: `${text}\n` },
      tool_use_id: id,
      ...more,
    };
    return {
      before: () => this.send('PreToolUse', payload),
      write: () => this.folder.write(name, `${text}\n`),
      after: () => this.send('PostToolUse', { ...payload, tool_response: 'ok' }),
      fails: () => this.send('PostToolUseFailure', { ...payload, error: 'refused' }),
    };
  }

  /** All of a call. */
  writes(turn: string, id: string, name: string, text: string, more: object = {}): void {
    const call = this.call(turn, id, name, text, more);
    call.before();
    call.write();
    call.after();
  }

  command(turn: string, id: string, command: string, more: object = {}) {
    const payload = { prompt_id: turn, tool_name: 'Bash', tool_input: { command }, tool_use_id: id, ...more };
    return {
      before: () => this.send('PreToolUse', payload),
      run: () => void execFileSync('/bin/sh', ['-c', command], { cwd: this.folder.root }),
      after: () => this.send('PostToolUse', payload),
    };
  }
}
