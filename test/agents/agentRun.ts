// One workspace of a person, with agents that are set up by the shipped command line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { ListedCheckpoint } from '../../src/core/store/reader';
import { runCliProcess, type ProcessRun } from '../support/cliBundle';
import { temporaryRoot } from '../support/ports';
import type { Program, RunPlace } from './programs';
import type { Lane, ModelTurn, ScriptedModel } from './scriptedModel';
import { endDaemon, run, type StartLine } from './setUp';
import { readTree, type Tree } from './tree';

/** ms for one prompt. */
const promptLimit = 150_000;

export class Workspace {
  readonly home = temporaryRoot('home');
  readonly root = temporaryRoot('work');
  readonly env: NodeJS.ProcessEnv = {
    PATH: [path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
    HOME: this.home,
    TERM: 'dumb',
    AGENT_CHECKPOINTS_HOME: temporaryRoot('state'),
  };

  write(name: string, content: string | Uint8Array, mode = 0o644): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content, { mode });
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), 'utf8');
  }

  git(...args: string[]): void {
    const person = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    execFileSync('git', [...person, ...args], { cwd: this.root, stdio: 'pipe' });
  }

  tree(): Tree {
    return readTree(this.root);
  }

  /** Newest first. */
  async list(): Promise<ListedCheckpoint[]> {
    return JSON.parse((await this.cli('list', '--json')).stdout).checkpoints;
  }

  /** @returns paths */
  async restore(id: string, ...options: string[]): Promise<Record<'conflicts' | 'skipped', string[]>> {
    const { code, stdout, stderr } = await this.cli('restore', id, ...options, '--json');
    const { conflicts, skipped } = JSON.parse(stdout) as Record<'conflicts' | 'skipped', { path: string }[]>;
    assert.equal(code, skipped.length > 0 ? 1 : conflicts.length > 0 ? 3 : 0, stderr);
    const pathsOf = (those: readonly { path: string }[]) => those.map((each) => each.path);
    return { conflicts: pathsOf(conflicts), skipped: pathsOf(skipped) };
  }

  cli(...argv: string[]): Promise<ProcessRun> {
    return runCliProcess(argv, { cwd: this.root, env: this.env });
  }
}

/** One agent in a workspace. */
export class AgentRun {
  readonly place: RunPlace;

  constructor(
    readonly program: Program,
    readonly start: StartLine,
    readonly model: ScriptedModel,
    readonly space: Workspace,
  ) {
    this.place = { home: space.home, root: space.root, url: model.url };
  }

  async setUp(): Promise<this> {
    this.program.configure?.(this.place);
    const { code, stderr } = await this.space.cli('install', this.program.name);
    assert.equal(code, 0, stderr);
    this.program.approve?.(this.place);
    if (this.program.first) await this.run(this.program.first(this.place), 60_000);
    return this;
  }

  /** Waits until the program has done all that the model said. */
  async prompt(
    text: string,
    turns: readonly ModelTurn[],
    { again = false, lanes = [] }: { again?: boolean; lanes?: readonly Lane[] } = {},
  ): Promise<void> {
    this.model.play(turns, lanes);
    const { code, output } = await this.run(this.program.prompt(text, again), promptLimit);
    const told = `${this.program.name} ended with ${code}: ${output.slice(-2000)}`;
    assert.equal(this.model.left(), 0, told);
    assert.equal(code, 0, told);
  }

  /** Whatever of it goes on in the background. */
  async end(): Promise<void> {
    if (this.program.daemon) await endDaemon(this.program.daemon, this.space.root);
  }

  /** Runs the program itself. @param limit ms */
  run(args: readonly string[], limit = promptLimit) {
    const { file, args: before } = this.start;
    const env = { ...this.space.env, ...this.program.env(this.place) };
    return run(file, [...before, ...args], { cwd: this.space.root, env, limit });
  }

  async row(): Promise<{ installed: boolean; lastSeen?: string }> {
    const { agents } = JSON.parse((await this.space.cli('agents', '--json')).stdout);
    return agents.find(({ name }: { name: string }) => name === this.program.name);
  }
}
