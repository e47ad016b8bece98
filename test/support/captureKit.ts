// An agent at work in a workspace: calls, and what the store then says of them.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { createObserver } from '../../src/core/capture/observer';
import type { Expected, PathWrite, WriteObserver, WriteRequest } from '../../src/core/capture/request';
import type { FileSystem } from '../../src/core/ports';
import type { Entry, FileState, Meta } from '../../src/core/store/meta';
import { listPage, type ListedCheckpoint } from '../../src/core/store/reader';
import { readBlob } from '../../src/core/store/storedBlob';
import { rootStores, type RootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, type TestPorts } from './ports';

export interface Workspace {
  readonly root: string;
  readonly ports: TestPorts;
  readonly observer: WriteObserver;
  readonly stores: RootStores;
  file(relative: string): string;
  write(relative: string, bytes: string | Uint8Array): void;
  /** Undefined where there is no file. */
  read(relative: string): string | undefined;
  request(writes: readonly (PathWrite | string)[], agent?: Partial<NonNullable<WriteRequest['agent']>>): WriteRequest;
  /** Newest first. */
  list(): ListedCheckpoint[];
  newest(): ListedCheckpoint;
}

let calls = 0;

export function workspace(options: { fs?: FileSystem; root?: string; stateDir?: string } = {}): Workspace {
  const root = options.root ?? temporaryRoot('work');
  const ports = testPorts(options);
  const stores = rootStores(ports, root);
  const file = (relative: string) => path.join(root, relative);
  const space: Workspace = {
    root,
    ports,
    observer: createObserver(ports),
    stores,
    file,
    write(relative, bytes) {
      fs.mkdirSync(path.dirname(file(relative)), { recursive: true });
      fs.writeFileSync(file(relative), bytes);
    },
    read: (relative) => (fs.existsSync(file(relative)) ? fs.readFileSync(file(relative), 'utf8') : undefined),
    request: (writes, agent = {}) => ({
      kind: 'edit',
      agent: { name: 'claude-code', session: 's1', tool: 'Edit', toolUse: `call-${++calls}`, ...agent },
      cwd: root,
      projectDir: root,
      writes: writes.map((write) => (typeof write === 'string' ? { path: file(write) } : write)),
    }),
    // With the real file system: what a person finds afterwards.
    list: () => {
      const { checkpoints, damaged } = listPage({ ...ports, fs }, stores, { limit: 100 });
      assert.deepEqual(damaged, []);
      return checkpoints;
    },
    newest: () => space.list()[0]!,
  };
  return space;
}

export const content = (text: string): Expected => ({ type: 'content', text });
export const edit = (oldText: string, newText: string): Expected => ({ type: 'edits', edits: [{ oldText, newText }] });

/** The entry of a path; fails where there is none. */
export function entryOf(meta: Meta, relative: string): Entry {
  const entry = meta.entries.find(({ path: name }) => name === relative);
  assert.ok(entry, `no entry for ${relative} in ${JSON.stringify(meta)}`);
  return entry;
}

/** The stored bytes of an entry's state before or after. */
export function bytesOf(
  space: Workspace,
  meta: ListedCheckpoint,
  relative: string,
  side: 'pre' | 'post' = 'pre',
): Buffer {
  const state = entryOf(meta, relative)[side];
  assert.equal(state?.type, 'file');
  const store = meta.fallback ? space.stores.fallback : space.stores.primary;
  return readBlob({ ...space.ports, fs }, store, meta.id, state as FileState);
}

export const reasons = (meta: Meta): string[] => meta.notCovered.map(({ reason }) => reason);
