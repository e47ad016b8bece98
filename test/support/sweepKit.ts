// An agent that runs commands in a workspace, with a real shell and a real Git.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { lazyGit } from '../../src/core/capture/sweep/lazyGit';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteRequest } from '../../src/core/capture/request';
import { endTurn } from '../../src/core/capture/turns';
import type { Ports } from '../../src/core/ports';
import { planAndRun, planRestore } from '../../src/core/restore/restore';
import type { RestoreOutcome } from '../../src/core/restore/types';
import { listPage, type ListedCheckpoint } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, unflushed } from './ports';

export const hasGit = (() => {
  try {
    execFileSync('git', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

const home = temporaryRoot('home');

/** A person's environment, without any configuration of the machine that runs the tests. */
const environment = {
  PATH: process.env['PATH'],
  HOME: home,
  GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig'),
  GIT_CONFIG_NOSYSTEM: '1',
};
fs.writeFileSync(
  path.join(home, '.gitconfig'),
  '[user]\nname = Person\nemail = person@example.invalid\n[init]\ndefaultBranch = main\n',
);

export class CommandWorkspace {
  readonly root = temporaryRoot('commands');
  readonly ports: Ports;
  readonly observer;
  #calls = 0;

  constructor({ git = true, ports = {} }: { git?: boolean; ports?: Partial<Ports> } = {}) {
    this.ports = { ...testPorts({ fs: unflushed }), now: Date.now, ...(git && { git: lazyGit }), ...ports };
    this.observer = createObserver(this.ports);
    // What the sweep's Git is to read as the person's configuration.
    Object.assign(process.env, { GIT_CONFIG_GLOBAL: environment.GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM: '1' });
  }

  at(relative: string): string {
    return path.join(this.root, relative);
  }

  write(relative: string, content: string | Uint8Array, mode?: number): void {
    fs.mkdirSync(path.dirname(this.at(relative)), { recursive: true });
    fs.writeFileSync(this.at(relative), content);
    if (mode !== undefined) fs.chmodSync(this.at(relative), mode);
  }

  read(relative: string): string {
    return fs.readFileSync(this.at(relative), 'latin1');
  }

  /** Runs in a shell, unseen. */
  sh(command: string, cwd = this.root): string {
    return execFileSync('/bin/sh', ['-ec', command], { cwd, env: environment, encoding: 'utf8', stdio: 'pipe' });
  }

  /** Files of `files`, committed. */
  repository(files: Record<string, string | Uint8Array>): void {
    this.sh('git init -q');
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    this.commit();
  }

  commit(message = 'state'): void {
    this.sh(`git add -A && git commit -q --allow-empty -m ${message}`);
  }

  request(command: string, agent: Partial<NonNullable<WriteRequest['agent']>> = {}, background = false): WriteRequest {
    return {
      kind: 'command',
      agent: {
        name: 'claude-code',
        session: 's1',
        turn: 't1',
        tool: 'Bash',
        toolUse: `call-${++this.#calls}`,
        ...agent,
      },
      cwd: this.root,
      projectDir: this.root,
      writes: [],
      command: { text: command, background, sequential: false },
    };
  }

  /** The agent runs a command. Returns the checkpoints that came of it, oldest first. */
  run(command: string, agent?: Partial<NonNullable<WriteRequest['agent']>>): ListedCheckpoint[] {
    const known = new Set(this.list().map(({ id }) => id));
    const request = this.request(command, agent);
    this.observer.beforeWrite(request);
    this.sh(command);
    this.observer.afterWrite(request);
    return this.list()
      .filter(({ id }) => !known.has(id))
      .reverse();
  }

  /** Newest first. */
  list(): ListedCheckpoint[] {
    return listPage(this.ports, rootStores(this.ports, this.root), { limit: 1000 }).checkpoints;
  }

  endTurn(): void {
    endTurn(this.ports, { agent: { name: 'claude-code', session: 's1' }, cwd: this.root, projectDir: this.root });
  }

  /** Back to before a checkpoint (default: the oldest). */
  rewind(id = this.list().at(-1)!.id): RestoreOutcome {
    return planAndRun(this.ports, this.root, () => planRestore(this.ports, this.root, { id, mode: 'rewind' })).outcome;
  }

  /** All but `.git` and the store: kind, permissions, bytes. */
  tree({ folders = true }: { folders?: boolean } = {}): Record<string, string> {
    const tree: Record<string, string> = {};
    const visit = (dir: string) => {
      for (const name of fs.readdirSync(path.join(this.root, dir)).sort()) {
        const relative = dir === '' ? name : `${dir}/${name}`;
        if (name === '.git' || relative === '.system_generated') continue;
        const found = fs.lstatSync(this.at(relative));
        if (found.isSymbolicLink()) tree[relative] = `link ${fs.readlinkSync(this.at(relative))}`;
        else if (found.isDirectory()) {
          if (folders) tree[`${relative}/`] = 'folder';
          visit(relative);
        } else tree[relative] = `${(found.mode & 0o7777).toString(8)} ${this.read(relative)}`;
      }
    };
    visit('');
    return tree;
  }
}

export const pathsOf = (checkpoint: ListedCheckpoint | undefined): string[] =>
  (checkpoint?.entries ?? []).map(({ path: name }) => String(name)).sort();
