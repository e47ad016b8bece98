// A workspace under attack: a folder beside it that must stay as it is, a secret that must turn up nowhere, and records
// as a clone or an archive would bring them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { PathWrite, WriteRequest } from '../../src/core/capture/request';
import { createObserver } from '../../src/core/capture/observer';
import { CheckpointError } from '../../src/core/errors';
import { planRestore, runPlan, type PlanOptions } from '../../src/core/restore/restore';
import type { RestoreOutcome, RestoreTarget } from '../../src/core/restore/types';
import type { CheckpointId } from '../../src/core/store/ids';
import { listPage } from '../../src/core/store/reader';
import { rootStores, type RootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, type TestPorts } from './ports';
import { watchedFs, type WatchedFs } from './watchedFs';

/** No output, store or state may ever hold this. */
export const secret = 'TOP-SECRET-5f2a91c7';
export const evil = 'evil\n';
export const evilHash = createHash('sha256').update(evil).digest('hex');
export const evilId = '20261130T120000000Z-evil000000' as CheckpointId;

export const evilFile = { type: 'file', sha256: evilHash, size: evil.length, mode: 0o644, blob: 'pre/0-x' } as const;
export const nothing = { type: 'absent' } as const;
export const entry = (name: unknown, pre: object = evilFile, post: object = nothing) => ({
  path: name,
  pre,
  post,
  provenance: 'before-write',
});

/** As a stranger's record. */
export const metaOf = (entries: unknown, more: object = {}, id: string = evilId): object => ({
  version: 1,
  id,
  createdAt: '2026-11-30T12:00:00.000Z',
  kind: 'edit',
  status: 'done',
  agent: { name: 'x', session: 's', turn: '1' },
  entries,
  notCovered: [],
  mac: '',
  ...more,
});

/** Every combination, and races that go on for longer. */
export const longAttacks = process.env['AGENT_CHECKPOINTS_ATTACKS'] === 'long';

let calls = 0;

export class Attacked {
  readonly base = temporaryRoot('attack');
  readonly root = path.join(this.base, 'root');
  readonly outside = path.join(this.base, 'outside');
  readonly ports: TestPorts;
  readonly watched: WatchedFs;
  #before: Record<string, string> = {};

  constructor() {
    fs.mkdirSync(path.join(this.outside, 'checkpoints', 'sub'), { recursive: true });
    fs.mkdirSync(path.join(this.outside, 'pre'));
    fs.mkdirSync(this.root);
    for (const name of [
      'x',
      'secret',
      '0-x',
      'pre/0-x',
      'checkpoints/x',
      'checkpoints/sub/x',
      'checkpoints/.tmp-old',
    ]) {
      fs.writeFileSync(path.join(this.outside, name), `${secret} ${name}`, { mode: 0o640 });
      fs.utimesSync(path.join(this.outside, name), 1e9, 1e9);
    }
    fs.symlinkSync('secret', path.join(this.outside, 'link'));
    fs.linkSync(sharedFifo(), path.join(this.outside, 'pipe'));
    const state = path.join(this.base, 'state');
    this.watched = watchedFs(this.root, state);
    this.ports = testPorts({ fs: this.watched.fs, stateDir: state });
    this.#before = snapshot(this.outside);
  }

  /** What is outside is as it was from now on. */
  settle(): void {
    this.#before = snapshot(this.outside);
  }

  get stores(): RootStores {
    return rootStores(this.ports, this.root);
  }

  get store(): string {
    return path.join(this.root, '.system_generated');
  }

  at(...names: string[]): string {
    return path.join(this.root, ...names);
  }

  write(relative: string, text: string): void {
    fs.mkdirSync(path.dirname(this.at(relative)), { recursive: true });
    fs.writeFileSync(this.at(relative), text);
  }

  read(relative: string): string | undefined {
    return fs.existsSync(this.at(relative)) ? fs.readFileSync(this.at(relative), 'utf8') : undefined;
  }

  /** Puts a record there as a clone brings it; `meta` may be any text. */
  plant(meta: object | string, id: string = evilId): string {
    const dir = path.join(this.store, 'checkpoints', id);
    fs.mkdirSync(path.join(dir, 'pre'), { recursive: true });
    fs.writeFileSync(path.join(dir, 'pre', '0-x'), evil);
    fs.writeFileSync(path.join(dir, 'meta.json'), typeof meta === 'string' ? meta : JSON.stringify(meta));
    return dir;
  }

  request(writes: readonly (PathWrite | string)[], more: Partial<WriteRequest> = {}): WriteRequest {
    return {
      kind: 'edit',
      agent: { name: 'claude-code', session: 's1', tool: 'Write', toolUse: `call-${++calls}` },
      cwd: this.root,
      projectDir: this.root,
      writes: writes.map((write) => (typeof write === 'string' ? { path: this.at(write) } : write)),
      ...more,
    };
  }

  /** One call of this person's agent. Returns the checkpoint's id. */
  agent(files: Record<string, string | undefined>): CheckpointId {
    const observer = createObserver(this.ports);
    const request = this.request(
      Object.entries(files).map(([name, text]) => ({
        path: this.at(name),
        expected: text === undefined ? { type: 'absent' as const } : { type: 'content' as const, text },
      })),
    );
    const { checkpoints } = observer.beforeWrite(request);
    for (const [name, text] of Object.entries(files)) {
      if (text === undefined) fs.rmSync(this.at(name));
      else this.write(name, text);
    }
    observer.afterWrite(request);
    assert.equal(checkpoints.length, 1, 'the agent’s call was captured');
    return checkpoints[0]!.id as CheckpointId;
  }

  /** With every permission given. */
  restore(
    id: CheckpointId = evilId,
    options: PlanOptions = { foreign: true, onConflict: 'overwrite' },
    mode: RestoreTarget['mode'] = 'checkpoint',
  ): RestoreOutcome {
    return runPlan(this.ports, this.root, planRestore(this.ports, this.root, { mode, id }, options));
  }

  /** Ids listed, newest first, and what is damaged. */
  list() {
    const { checkpoints, damaged } = listPage(this.ports, this.stores, { limit: 1000 });
    return { checkpoints, damaged, ids: checkpoints.map(({ id }) => id as string) };
  }

  /** Nothing outside was opened, listed or changed, and the secret is nowhere. */
  verify(...outputs: readonly string[]): void {
    assert.deepEqual(this.watched.violations, [], 'calls that led outside');
    assert.deepEqual(snapshot(this.outside), this.#before, 'something outside was changed');
    for (const text of outputs) assert.ok(!text.includes(secret), 'the secret was shown');
    // A file that the attacker gave a second name in the root is no copy.
    const own = new Set(Object.values(this.#before).map((line) => line.split(' ')[0]));
    for (const dir of [this.root, this.ports.stateDir]) assert.deepEqual(filesWith(dir, secret, own), []);
  }

  /** Runs what may be refused, but only with a reason for people. Returns that reason. */
  refusable(act: () => unknown): string {
    try {
      act();
      return '';
    } catch (error) {
      assert.ok(CheckpointError.is(error), `no reason for people: ${String(error)}`);
      assert.doesNotMatch(error.message, /\/proc\/self|\[object/);
      return error.message;
    }
  }
}

/**
 * Inode, mode, time and content of all below a folder. Not the number of links: a second name in the root that is
 * removed is no change to the file.
 */
export function snapshot(dir: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const name of ['', ...fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()]) {
    const file = path.join(dir, name);
    const { mode, mtimeNs, size, ino, uid } = fs.lstatSync(file, { bigint: true });
    const what = fs.lstatSync(file).isFile() ? fs.readFileSync(file, 'latin1') : '';
    all[name] = [ino, mode, mtimeNs, size, uid, what].join(' ');
  }
  return all;
}

/** Plain files and links below a folder that hold a text, in their content or their name. */
export function filesWith(dir: string, text: string, except: ReadonlySet<string | undefined> = new Set()): string[] {
  if (!fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = path.join(dir, name);
    const found = fs.lstatSync(file);
    if (except.has(String(found.ino))) return false;
    if (found.isSymbolicLink()) return fs.readlinkSync(file).includes(text);
    return name.includes(text) || (found.isFile() && found.size < 2 ** 24 && fs.readFileSync(file).includes(text));
  });
}

export const fifo = (file: string) => void execFileSync('mkfifo', [file]);

let made: string | undefined;

/** Making one takes a process; a second name takes none. */
function sharedFifo(): string {
  if (made === undefined) {
    made = path.join(temporaryRoot('fifo'), 'fifo');
    fifo(made);
  }
  return made;
}
