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
  const all = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  edit.replace(document.uri, all, text);
  const applied = await vscode.workspace.applyEdit(edit);
  return applied;
}

/** What {@link unsavedDocuments} would be keyed by. */
export const editorKey = (path: RelativePath): string => displayPath(path);
