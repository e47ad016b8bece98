// Texts in open editors that are not on the disk yet.
import * as vscode from 'vscode';
import { displayPath } from '../core/restore/relativePath';
import type { RelativePath } from '../core/store/meta';
import type { HostRoot, WorkspaceRoots } from './workspaceRoots';

export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

/** The bytes that saving the editor would write; undefined where nothing is unsaved. */
export async function encodedText(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  const document = openDocument(uri);
  return document?.isDirty ? encoded(document) : undefined;
}

/** An editor's text in its file's encoding, byte order mark included. */
export async function encoded(document: vscode.TextDocument): Promise<Uint8Array> {
  return await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
}

/** Files of a root with unsaved text. */
export function unsavedDocuments(roots: WorkspaceRoots, root: HostRoot): Map<string, vscode.TextDocument> {
  const found = new Map<string, vscode.TextDocument>();
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty) continue;
    const located = roots.locate(document.uri);
    if (located?.root === root) found.set(located.path, document);
  }
  return found;
}

/** Notebooks of a root with unsaved changes: their bytes are not to be had. */
export function unsavedNotebooks(roots: WorkspaceRoots, root: HostRoot): string[] {
  return vscode.workspace.notebookDocuments
    .filter(({ isDirty }) => isDirty)
    .map(({ uri }) => roots.locate(uri))
    .filter((located) => located?.root === root)
    .map((located) => located!.path);
}

/** Replaces an editor's text as one undoable edit; does not save. */
export async function putIntoEditor(document: vscode.TextDocument, bytes: Uint8Array): Promise<boolean> {
  const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
  const edit = new vscode.WorkspaceEdit();
  const { range, replacement } = difference(document, text);
  edit.replace(document.uri, range, replacement);
  const applied = await vscode.workspace.applyEdit(edit);
  return applied;
}

/** Only what differs is replaced, so that cursors and marks elsewhere stay. */
function difference(document: vscode.TextDocument, text: string): { range: vscode.Range; replacement: string } {
  const now = document.getText();
  const most = Math.min(now.length, text.length);
  let head = 0;
  while (head < most && now[head] === text[head]) head++;
  let tail = 0;
  while (tail < most - head && now[now.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  // Whole lines: a line break of two characters, or a character of two, is not cut.
  const start = head === 0 ? 0 : now.lastIndexOf('\n', head - 1) + 1;
  const end = now.indexOf('\n', now.length - tail);
  const last = end < 0 ? now.length : end + 1;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(last));
  return { range, replacement: text.slice(start, text.length - (now.length - last)) };
}

/** What {@link unsavedDocuments} would be keyed by. */
export const editorKey = (path: RelativePath): string => displayPath(path);
