// The folders whose checkpoints this window shows: its workspace folders, and the folders around them that have a store.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { holds, realPlace, relativeTo } from '../core/capture/roots';
import type { Ports } from '../core/ports';
import { refusalOf } from '../core/restore/safePath';
import { storeFolder } from '../core/store/layout';
import type { RelativePath } from '../core/store/meta';
import { rootStores, type RootStores } from '../core/store/stores';
import { Disposer } from './disposable';

export interface HostRoot {
  /** Real path. */
  readonly path: string;
  /** Names the root in URIs, where no absolute path may stand. */
  readonly hash: string;
  readonly name: string;
  readonly stores: RootStores;
  readonly folder: vscode.WorkspaceFolder;
  /** Set for a folder around the workspace folder: only paths under this (with a slash at its end) are shown. */
  readonly prefix: string;
}

export class WorkspaceRoots extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  #roots: readonly HostRoot[] | undefined;

  constructor(private readonly ports: Ports) {
    super();
    this.own(vscode.workspace.onDidChangeWorkspaceFolders(() => this.reload()));
  }

  get all(): readonly HostRoot[] {
    return (this.#roots ??= this.#find());
  }

  reload(): void {
    this.#roots = undefined;
    this.#changed.fire();
  }

  byHash(hash: string): HostRoot | undefined {
    return this.all.find((root) => root.hash === hash);
  }

  byPath(rootPath: string): HostRoot | undefined {
    return this.all.find((root) => root.path === rootPath);
  }

  /** The deepest root that holds the file, and the file's path in it; undefined for other schemes and places. */
  locate(uri: vscode.Uri): { root: HostRoot; path: string } | undefined {
    if (uri.scheme !== 'file') return undefined;
    const file = this.#place(uri.fsPath);
    const root = this.all
      .filter(({ path: dir }) => dir !== file && holds(dir, file))
      .sort((a, b) => b.path.length - a.path.length)[0];
    return root && { root, path: relativeTo(root.path, file) };
  }

  /**
   * The file on disk for a path that a store names, as the person opened its folder, so that an open editor of it is
   * found. Undefined where the path may not be touched or leads out of the root: then it is not read either.
   */
  fileUri(root: HostRoot, relative: RelativePath): vscode.Uri | undefined {
    if (typeof relative !== 'string') return undefined;
    if (refusalOf(relative, { windows: process.platform === 'win32', foreign: false }) !== undefined) return undefined;
    const file = path.join(root.path, ...relative.split('/'));
    try {
      if (realPlace(this.ports.fs, file) !== file) return undefined;
      if (this.ports.fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    } catch {
      return undefined;
    }
    return relative.startsWith(root.prefix)
      ? vscode.Uri.joinPath(root.folder.uri, relative.slice(root.prefix.length))
      : vscode.Uri.file(file);
  }

  #find(): HostRoot[] {
    const roots: HostRoot[] = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file') continue;
      const real = rootStores(this.ports, folder.uri.fsPath).root;
      for (const around of [real, ...this.#around(real)]) {
        if (roots.some((root) => root.path === around)) continue;
        roots.push({
          path: around,
          hash: createHash('sha256').update(around).digest('hex').slice(0, 16),
          name: around === real ? folder.name : path.basename(around),
          stores: rootStores(this.ports, around),
          folder,
          prefix: around === real ? '' : `${path.relative(around, real).split(path.sep).join('/')}/`,
        });
      }
    }
    return roots;
  }

  /** Folders around `folder` with a store: up to the Git top level, the home folder or a change of owner. */
  #around(folder: string): string[] {
    const { fs } = this.ports;
    const found: string[] = [];
    try {
      const { uid } = fs.statSync(folder);
      for (let at = folder; !isEntry(at, '.git') && at !== homedir();) {
        const parent = path.dirname(at);
        if (parent === at || fs.statSync(parent).uid !== uid) break;
        at = parent;
        if (isEntry(at, path.join(storeFolder, 'checkpoints'))) found.push(at);
      }
    } catch {
      // Not to be read: then there is nothing to show from there.
    }
    return found;

    function isEntry(at: string, name: string) {
      return fs.lstatSync(path.join(at, name), { throwIfNoEntry: false }) !== undefined;
    }
  }

  #place(file: string): string {
    try {
      return realPlace(this.ports.fs, file);
    } catch {
      return file;
    }
  }
}
