// A workspace edit with a checkpoint around it. Public API only: text edits are known beforehand, what becomes of files
// is told by VS Code's events right before it happens.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { AgentIdentity } from '../api';
import type { Log } from '../log';
import type { CallPath, Calls } from './calls';

/** Files of a folder that is deleted or renamed. */
const maxFiles = 5000;

export class EditInterceptor {
  /** One at a time: the events do not say whose edit they belong to. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly calls: Calls,
    private readonly log: Log,
  ) {}

  apply(edit: vscode.WorkspaceEdit, info: AgentIdentity): Promise<boolean> {
    const run = this.#last.then(() => this.#apply(edit, info));
    this.#last = run.catch(() => {});
    return run;
  }

  async #apply(edit: vscode.WorkspaceEdit, info: AgentIdentity): Promise<boolean> {
    if (!this.calls.enabled) return await vscode.workspace.applyEdit(edit);
    const call = { ...info, tool: info.tool ?? 'applyEdit', call: `edit-${randomUUID()}` };
    const touched = new Map<string, CallPath>();
    const capture = async (paths: readonly CallPath[]) => {
      for (const path of paths) if (!touched.has(path.uri.toString())) touched.set(path.uri.toString(), path);
      if (paths.length > 0) await this.calls.before(call, paths);
    };
    const quietly = (paths: () => Promise<readonly CallPath[]>) =>
      paths()
        .then(capture)
        .catch((error) => this.log.error('api', 'A file of an edit could not be captured', error));

    await quietly(async () => edit.entries().map(([uri]) => ({ uri })));
    const { workspace } = vscode;
    const listeners = [
      workspace.onWillCreateFiles((event) => event.waitUntil(quietly(async () => event.files.map((uri) => ({ uri }))))),
      workspace.onWillDeleteFiles((event) => event.waitUntil(quietly(() => this.#removals(event.files)))),
      workspace.onWillRenameFiles((event) => event.waitUntil(quietly(() => this.#renames(event.files)))),
    ];
    try {
      return await workspace.applyEdit(edit);
    } finally {
      for (const listener of listeners) listener.dispose();
      // Also where it was refused: a part of it may have been done.
      const files = [...touched.values()];
      await this.calls.after({ ...call, files: files.map(({ uri }) => uri) }, files);
    }
  }

  async #removals(uris: readonly vscode.Uri[]): Promise<CallPath[]> {
    const all = await Promise.all(uris.map((uri) => this.#withContent(uri)));
    return all.flat().map((uri) => ({ uri, removed: true }));
  }

  async #renames(files: readonly { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }[]): Promise<CallPath[]> {
    const all = await Promise.all(
      files.map(async ({ oldUri, newUri }) => {
        const from = await this.#withContent(oldUri);
        const moved = (uri: vscode.Uri) => newUri.with({ path: newUri.path + uri.path.slice(oldUri.path.length) });
        return from.flatMap((uri): CallPath[] => [
          { uri, removed: true },
          { uri: moved(uri), renamedFrom: uri },
        ]);
      }),
    );
    return all.flat();
  }

  /** A file, or a folder with everything in it. */
  async #withContent(uri: vscode.Uri): Promise<vscode.Uri[]> {
    const found = [uri];
    if (uri.scheme !== 'file') return found;
    for (let at = 0; at < found.length; at++) {
      const type = await vscode.workspace.fs.stat(found[at]!).then(
        (stat) => stat.type,
        () => vscode.FileType.Unknown,
      );
      // A link to a folder is itself removed, not what it leads to.
      if (type !== vscode.FileType.Directory) continue;
      for (const [name] of await vscode.workspace.fs.readDirectory(found[at]!)) {
        if (found.length >= maxFiles) {
          this.log.warn('api', `${uri.fsPath} has more than ${maxFiles} files: the rest has no checkpoint.`);
          return found;
        }
        found.push(vscode.Uri.joinPath(found[at]!, name));
      }
    }
    return found;
  }
}
