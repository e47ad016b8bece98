// A workspace in which agents and a person write; each agent's call becomes a finished checkpoint.
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileSystem } from '../../src/core/ports';
import { planAndRun, planRedo, planRestore, planUndo, type PlanOptions } from '../../src/core/restore/restore';
import type { PlanStep, RestoreOutcome, RestoreTarget } from '../../src/core/restore/types';
import type { DraftEntry, DraftState } from '../../src/core/store/draft';
import type { CheckpointId } from '../../src/core/store/ids';
import type { Meta } from '../../src/core/store/meta';
import { listIds, readMeta } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { writeCheckpoint } from '../../src/core/store/writer';
import { temporaryRoot, testPorts, type TestPorts } from './ports';

/** What a path is to be: text or bytes, a file with a mode, a link, a folder, or nothing. */
export type Content =
  string | Uint8Array | { text: string | Uint8Array; mode: number } | { link: string } | 'folder' | undefined;

export const folder = 'folder' as const;

/** Flushing is what takes the time, and no test pulls the plug. */
export const unflushed: FileSystem = { ...fs, fsyncSync: () => {} };

export interface Call {
  readonly session?: string;
  readonly turn?: string;
  readonly agent?: string;
  readonly kind?: Meta['kind'];
  readonly inferred?: boolean;
  readonly group?: string;
  /** Without a state after. */
  readonly pending?: boolean;
}

export class AgentWorkspace {
  readonly root = temporaryRoot('restore');
  readonly ports: TestPorts;

  constructor(ports: TestPorts = testPorts({ fs: unflushed })) {
    this.ports = ports;
  }

  get stores() {
    return rootStores(this.ports, this.root);
  }

  at(relative: string): string {
    return path.join(this.root, relative);
  }

  read(relative: string): string | undefined {
    return fs.lstatSync(this.at(relative), { throwIfNoEntry: false }) === undefined
      ? undefined
      : fs.readFileSync(this.at(relative), 'utf8');
  }

  /** Somebody writes, and nobody records it. */
  write(relative: string, content: Content): void {
    const at = this.at(relative);
    const found = fs.lstatSync(at, { throwIfNoEntry: false });
    if (content === folder) {
      if (found && !found.isDirectory()) fs.unlinkSync(at);
      fs.mkdirSync(at, { recursive: true });
      return;
    }
    if (content === undefined) return fs.rmSync(at, { recursive: true, force: true });
    fs.mkdirSync(path.dirname(at), { recursive: true });
    if (typeof content === 'object' && 'link' in content) {
      fs.rmSync(at, { recursive: true, force: true });
      return fs.symlinkSync(content.link, at);
    }
    if (found?.isDirectory() || found?.isSymbolicLink()) fs.rmSync(at, { recursive: true });
    const { text, mode } =
      typeof content === 'object' && 'mode' in content ? content : { text: content, mode: undefined };
    fs.writeFileSync(at, text);
    if (mode !== undefined) fs.chmodSync(at, mode);
  }

  /** One call of an agent, in which it writes these paths (in this order). Returns the checkpoint's id. */
  agent(writes: Record<string, Content>, call: Call = {}): CheckpointId {
    const paths = this.#withMissingFolders(writes);
    const pre = paths.map((relative) => this.#state(relative));
    for (const relative of Object.keys(writes)) this.write(relative, writes[relative]);
    const entries = paths.map((relative, i): DraftEntry => {
      const post = this.#state(relative);
      return {
        path: relative,
        pre: pre[i]!,
        ...(!call.pending && { post: call.inferred ? { ...post, inferred: true } : post }),
        provenance: 'before-write',
      };
    });
    return this.#record(entries, call);
  }

  /** The folders that writing makes are part of the call. */
  #withMissingFolders(writes: Record<string, Content>): string[] {
    const paths = new Set<string>();
    for (const [relative, content] of Object.entries(writes)) {
      const parents = relative.split('/').slice(0, -1);
      for (const i of parents.keys()) {
        const above = parents.slice(0, i + 1).join('/');
        if (content !== undefined && this.#state(above).type === 'absent') paths.add(above);
      }
      paths.add(relative);
    }
    return [...paths];
  }

  /** A checkpoint made by hand. */
  mark(...paths: string[]): CheckpointId {
    const entries = paths.map((relative): DraftEntry => ({
      path: relative,
      pre: this.#state(relative),
      provenance: 'before-write',
    }));
    const { id } = writeCheckpoint(this.ports, this.stores.primary, { kind: 'manual', status: 'done', entries });
    return id;
  }

  #record(entries: DraftEntry[], call: Call): CheckpointId {
    const { session = 's1', turn, agent = 'claude-code', kind = 'edit', pending, group } = call;
    const { id } = writeCheckpoint(this.ports, this.stores.primary, {
      kind,
      status: pending ? 'pending' : 'done',
      agent: { name: agent, session, ...(turn !== undefined && { turn }), tool: 'Write' },
      ...(group !== undefined && { group }),
      entries,
    });
    return id;
  }

  #state(relative: string): DraftState {
    const at = this.at(relative);
    const parents = relative.split('/').slice(0, -1);
    for (const i of parents.keys()) {
      const above = fs.lstatSync(this.at(parents.slice(0, i + 1).join('/')), { throwIfNoEntry: false });
      if (above?.isSymbolicLink()) return { type: 'unreadable', error: 'its folder is a link' };
      if (!above?.isDirectory()) return { type: 'absent' };
    }
    const found = fs.lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return { type: 'absent' };
    if (found.isSymbolicLink()) return { type: 'symlink', target: fs.readlinkSync(at) };
    if (found.isDirectory()) return { type: 'directory' };
    return { type: 'file', mode: found.mode & 0o7777, source: { type: 'bytes', bytes: fs.readFileSync(at) } };
  }

  plan(target: RestoreTarget, options?: PlanOptions) {
    return planRestore(this.ports, this.root, target, options);
  }

  restore(id: string, mode: RestoreTarget['mode'] = 'checkpoint', more: Partial<RestoreTarget> & PlanOptions = {}) {
    const { files, session, hunk, ...options } = more;
    const narrowed = { ...(files && { files }), ...(session && { session }), ...(hunk && { hunk }) };
    const target = { id: id as CheckpointId, mode, ...narrowed };
    return planAndRun(this.ports, this.root, () => this.plan(target, options)).outcome;
  }

  undo(options?: PlanOptions): RestoreOutcome {
    return planAndRun(this.ports, this.root, () => planUndo(this.ports, this.root, options)).outcome;
  }

  redo(options?: PlanOptions): RestoreOutcome {
    return planAndRun(this.ports, this.root, () => planRedo(this.ports, this.root, options)).outcome;
  }

  /** Newest first. */
  metas(): Meta[] {
    return listIds(this.ports, this.stores).map(({ id, store }) => readMeta(this.ports, store, id));
  }

  /** The bytes of a path in a checkpoint, before it. */
  bytesBefore(id: string, relative: string): string {
    const entry = this.metas()
      .find((meta) => meta.id === id)!
      .entries.find((each) => each.path === relative)!;
    if (entry.pre.type !== 'file') throw new Error(`${relative} was ${entry.pre.type}`);
    return fs.readFileSync(path.join(this.stores.primary.checkpoints, id, entry.pre.blob), 'utf8');
  }

  /** Everything below the root but the store: type, mode and content. */
  tree(): Record<string, string> {
    return treeOf(this.root);
  }
}

/** Type, mode and content of all below a folder, the store left out. */
export function treeOf(dir: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.split(path.sep)[0] === '.system_generated') continue;
    const found = fs.lstatSync(path.join(dir, name));
    const mode = (found.mode & 0o7777).toString(8);
    if (found.isSymbolicLink()) tree[name] = `link ${fs.readlinkSync(path.join(dir, name))}`;
    else if (found.isDirectory()) tree[name] = 'folder';
    else if (found.isFile()) tree[name] = `${mode} ${fs.readFileSync(path.join(dir, name)).toString('latin1')}`;
    else tree[name] = 'special';
  }
  return tree;
}

export const stepOf = (steps: readonly PlanStep[], relative: string): PlanStep =>
  steps.find(({ path: each }) => each === relative)!;
