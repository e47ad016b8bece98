// Read-only documents of states in a store. A file system rather than a text provider, so that encodings, binary files
// and images are shown as they are.
import * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { readNow } from '../../core/restore/restore';
import type { PlanStep } from '../../core/restore/types';
import type { State } from '../../core/store/meta';
import { findCheckpoint } from '../../core/store/reader';
import { bytesOf } from '../timeline/content';
import { displayPath } from '../../core/restore/relativePath';
import { messageOf } from '../log';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import type { PlanPreviews, PlanShown } from './plans';
import { parseSide, type PlannedSide, type StoredSide } from './uri';

/** What a URI stands for. Content never changes: a state after that becomes known later has been unknown before. */
interface Document {
  readonly size: number;
  readonly time: number;
  read(): Uint8Array | undefined;
}

export class CheckpointFileSystem implements vscode.FileSystemProvider {
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]> = () => new vscode.Disposable(() => {});

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly plans: PlanPreviews,
  ) {}

  stat(uri: vscode.Uri): vscode.FileStat {
    const { size, time } = this.#find(uri);
    return { type: vscode.FileType.File, size, ctime: time, mtime: time, permissions: vscode.FilePermission.Readonly };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const found = this.#find(uri);
    let bytes: Uint8Array | undefined;
    try {
      bytes = found.read();
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(messageOf(error));
    }
    if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  #find(uri: vscode.Uri): Document {
    const side = parseSide(uri);
    const found = side && (side.type === 'stored' ? this.#stored(side) : this.#planned(side));
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    return found;
  }

  #stored(side: StoredSide): Document | undefined {
    const root = this.roots.byHash(side.root);
    if (!root) return undefined;
    try {
      const { store, meta } = findCheckpoint(this.ports, root.stores, side.id);
      const entry = meta.entries[side.entry];
      if (!entry || displayPath(entry.path) !== side.path) return undefined;
      const fallback = store.dir === root.stores.fallback.dir;
      return this.#document(root, { id: side.id, fallback }, entry[side.side], Date.parse(meta.createdAt));
    } catch (error) {
      if (CheckpointError.is(error, 'not-found')) return undefined;
      throw vscode.FileSystemError.Unavailable(messageOf(error));
    }
  }

  #planned(side: PlannedSide): Document | undefined {
    const found = this.plans.get(side.plan);
    const step = found?.plan.steps[side.step];
    if (!found || !step || displayPath(step.path) !== side.path) return undefined;
    const time = this.ports.now();
    if (side.side === 'now') return this.#now(found, step, time);
    const { merged, blobOf, result } = step;
    if (merged) return { size: merged.length, time, read: () => merged };
    if (!blobOf) return result.type === 'file' ? undefined : this.#document(found.root, undefined, result, time);
    const { store } = findCheckpoint(this.ports, found.root.stores, blobOf);
    const fallback = store.dir === found.root.stores.fallback.dir;
    return this.#document(found.root, { id: blobOf, fallback }, result, time);
  }

  /** The file as the plan found it: its editor's text where that is not saved. */
  #now({ root, plan, unsaved }: PlanShown, step: PlanStep, time: number): Document | undefined {
    const { current } = step;
    if (current.type !== 'file') return this.#document(root, undefined, current, time);
    return { size: current.size, time, read: () => readNow(this.ports, plan, step, unsaved) };
  }

  #document(
    root: HostRoot,
    owner: { id: StoredSide['id']; fallback: boolean } | undefined,
    state: State | undefined,
    time: number,
  ): Document | undefined {
    if (!state || (state.type === 'file' && !owner)) return undefined;
    const size = state.type === 'file' ? state.size : state.type === 'symlink' ? Buffer.byteLength(state.target) : 0;
    return { size, time, read: () => bytesOf(this.ports, root.stores, owner!, state) };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
