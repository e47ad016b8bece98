// What the person saves, makes, moves and removes in the editor while an agent's command runs is told to the sweep, so that
// it is not booked as the command's. While none runs, a save costs the reading of a folder's names.
import path from 'node:path';
import * as vscode from 'vscode';
import { notePersonSave, seenAt, type Seen } from '../../core/capture/personSaves';
import { holds, relativeTo } from '../../core/capture/roots';
import { hasOpenSweeps } from '../../core/capture/sweep/isOpen';
import type { Ports } from '../../core/ports';
import type { WorkspaceRoots } from '../workspaceRoots';

/** Files of one folder that is moved or removed, and bytes of all of them. */
const maxFiles = 200;
const maxBytes = 50 * 2 ** 20;

interface Before {
  /** Real path of the file. */
  readonly file: string;
  readonly root: string;
  readonly seen: Seen;
}

export function personSaves(ports: Ports, roots: WorkspaceRoots): vscode.Disposable {
  /** By the file's real path; of what is under way. */
  const before = new Map<string, Before[]>();
  const { workspace } = vscode;

  /** Real path and the roots in which a command runs; undefined where none does. */
  function watched(uri: vscode.Uri): { file: string; roots: string[] } | undefined {
    const place = roots.locate(uri);
    if (place === undefined) return undefined;
    const file = path.join(place.root.path, ...place.path.split('/'));
    const busy = roots.all.filter((root) => holds(root.path, file) && hasOpenSweeps(ports, root.stores));
    return busy.length > 0 ? { file, roots: busy.map((root) => root.path) } : undefined;
  }

  function begin(uri: vscode.Uri): void {
    const found = watched(uri);
    if (found === undefined) return;
    let bytes = 0;
    for (const file of filesIn(ports, found.file)) {
      const seen: Seen = bytes > maxBytes ? { type: 'unknown' } : seenAt(ports, file);
      if (seen.type === 'file') bytes += seen.bytes.length;
      before.set(
        file,
        found.roots.map((root) => ({ file, root, seen })),
      );
    }
  }

  /** Notes how everything is now that `begin` looked at, at this place or below. */
  function end(uri: vscode.Uri): void {
    if (before.size === 0) return;
    const place = roots.locate(uri);
    if (place === undefined) return;
    const top = path.join(place.root.path, ...place.path.split('/'));
    for (const [file, those] of before) {
      if (file !== top && !holds(top, file)) continue;
      before.delete(file);
      for (const { root, seen } of those)
        notePersonSave(ports, root, relativeTo(root, file), seen, seenAt(ports, file));
    }
  }

  /** What a folder holds is known at its new place only when it is there; there was nothing before. */
  function arrived(from: vscode.Uri, to: vscode.Uri): void {
    end(from);
    const found = watched(to);
    if (found === undefined) return end(to);
    for (const file of filesIn(ports, found.file)) {
      if (before.has(file)) continue;
      before.set(
        file,
        found.roots.map((root) => ({ file, root, seen: { type: 'absent' } })),
      );
    }
    end(to);
  }

  return vscode.Disposable.from(
    workspace.onWillSaveTextDocument(({ document }) => begin(document.uri)),
    workspace.onDidSaveTextDocument(({ uri }) => end(uri)),
    workspace.onWillSaveNotebookDocument(({ notebook }) => begin(notebook.uri)),
    workspace.onDidSaveNotebookDocument(({ uri }) => end(uri)),
    workspace.onWillCreateFiles(({ files }) => files.forEach(begin)),
    workspace.onDidCreateFiles(({ files }) => files.forEach(end)),
    workspace.onWillDeleteFiles(({ files }) => files.forEach(begin)),
    workspace.onDidDeleteFiles(({ files }) => files.forEach(end)),
    workspace.onWillRenameFiles(({ files }) => files.forEach(({ oldUri, newUri }) => [oldUri, newUri].forEach(begin))),
    workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri, newUri }) => arrived(oldUri, newUri))),
  );
}

/** The file itself, or the files of a folder; links are not followed. */
function filesIn({ fs }: Ports, top: string): string[] {
  const files: string[] = [];
  const open = [top];
  while (open.length > 0 && files.length < maxFiles) {
    const file = open.pop()!;
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      const names = fs.readdirSync(file).filter((name) => name !== '.git' && name !== '.system_generated');
      open.push(...names.map((name) => path.join(file, name)));
    } else {
      files.push(file);
    }
  }
  return files;
}
